import { type Period, quartersOf } from './layOut.ts'
import { axisKey } from './tags.ts'
import type { Dimension, ReportedFigure, Statement, StatementLine, WholeFiling } from './wholeFiling.ts'

/** The figures of a concept for one period, divided along an axis as one presentation divides them. */
export interface Breakdown {
  readonly axis: string
  /** Null if no presentation divides them. */
  readonly statement: Statement | null
  readonly period: Period
  readonly unit: string
  /** The figure of the whole company. */
  readonly total: ReportedFigure | null
  readonly members: readonly BreakdownMember[]
}

export interface BreakdownMember {
  readonly member: string
  readonly label: string | null
  /** The nearest ancestor that also has a figure. */
  readonly partOf: string | null
  readonly figure: ReportedFigure
}

/** Axes of segments by the names of the API; taxonomies changed some of them. */
export const segmentAxes: Readonly<Record<string, readonly string[]>> = {
  product: ['ProductOrService', 'ProductsAndServices', 'ProductsAndServicesByType'],
  geography: ['Geographical', 'GeographicAreas', 'GeographicDistribution', 'GeographicalAreas'],
  segment: ['BusinessSegments', 'SegmentReportingInformationBySegment', 'Segments', 'OperatingSegments'],
}

/**
 * The breakdowns of a concept, the latest period first. Presentations that show the same members of a period count
 * once. Members that no presentation shows form a separate breakdown.
 *
 * @param figures of the concept
 * @param axes accepted ones, by `axisKey`
 */
export function breakdownsOf(
  { statements }: Pick<WholeFiling, 'statements'>,
  concept: string,
  figures: readonly ReportedFigure[],
  axes: ReadonlySet<string>,
): Breakdown[] {
  const divided = figures.flatMap(figure => {
    const part = partOf(figure, axes)
    return part === null || figure.value === null ? [] : [{ ...part, figure }]
  })
  if (divided.length === 0) return []
  const presented = statements.flatMap(statement => {
    if (!statement.lines.some(line => line.concept === concept)) return []
    return axesOf(statement.lines)
      .filter(({ axis }) => axes.has(axisKey(axis)))
      .map(({ axis, members }) => ({ axis, members, statement }))
  })
  const byPeriod = Map.groupBy(divided, ({ axis, figure: { context, unit } }) =>
    JSON.stringify([axisKey(axis), context.start, context.end, context.quarters, unit]),
  )
  const breakdowns = [...byPeriod.values()].flatMap(parts => {
    const [{ axis, figure }] = parts
    const { start, end, quarters } = figure.context
    const { unit } = figure
    const total = mostPrecise(
      figures.filter(
        ({ context, ...each }) =>
          each.unit === unit &&
          each.value !== null &&
          context.dimensions.length === 0 &&
          context.start === start &&
          context.end === end &&
          context.quarters === quarters,
      ),
    )
    const figureOf = (member: string) =>
      mostPrecise(
        parts.filter(part => part.member === member && !part.isOfSegments).map(part => part.figure),
      ) ?? mostPrecise(parts.filter(part => part.member === member).map(part => part.figure))
    const shown = new Map<string, Breakdown>()
    const base = { axis, period: { start, end, quarters }, unit, total }
    for (const { members, statement, ...each } of presented) {
      if (axisKey(each.axis) !== axisKey(axis)) continue
      const found = membersOf(members, figureOf)
      const key = found
        .map(({ member }) => member)
        .sort()
        .join(' ')
      if (found.length > 0 && !shown.has(key)) shown.set(key, { ...base, statement, members: found })
    }
    const named = new Set([...shown.values()].flatMap(({ members }) => members.map(({ member }) => member)))
    const rest = [...new Set(parts.map(({ member }) => member))].filter(member => !named.has(member)).sort()
    const others = rest.flatMap((member): BreakdownMember[] => {
      const own = figureOf(member)
      return own === null ? [] : [{ member, label: null, partOf: null, figure: own }]
    })
    return [
      ...shown.values(),
      ...(others.length === 0 ? [] : [{ ...base, statement: null, members: others }]),
    ]
  })
  return breakdowns.sort((a, b) => b.period.end - a.period.end || quartersOf(a.period) - quartersOf(b.period))
}

/** The figures of segments are often marked as before the reconciliation with the whole company. */
const ofSegments = ({ axis, member }: Dimension) =>
  axisKey(axis) === 'ConsolidationItems' && /OperatingSegments(Member)?$/.test(member)

/** The one member that a figure belongs to on the axes; null for other figures. */
function partOf({ context: { dimensions } }: ReportedFigure, axes: ReadonlySet<string>) {
  const rest = dimensions.filter(each => !ofSegments(each))
  if (rest.length !== 1 || !axes.has(axisKey(rest[0].axis))) return null
  return { ...rest[0], isOfSegments: rest.length < dimensions.length }
}

/** The axes of a presentation, each with its members. */
function axesOf(lines: readonly StatementLine[]): { axis: string; members: StatementLine[] }[] {
  const found: { axis: string; depth: number; members: StatementLine[] }[] = []
  for (const line of lines) {
    const depth = line.depth ?? 0
    const open = found.at(-1)
    if (/Axis$/.test(line.concept) && line.depth !== null)
      found.push({ axis: line.concept, depth, members: [] })
    else if (open !== undefined && depth > open.depth && !/(LineItems|Abstract)$/.test(line.concept))
      open.members.push(line)
    else if (open !== undefined && depth <= open.depth) found.push({ axis: '', depth: -1, members: [] })
  }
  return found.filter(({ axis }) => axis !== '')
}

function membersOf(
  lines: readonly StatementLine[],
  figureOf: (member: string) => ReportedFigure | null,
): BreakdownMember[] {
  const above: { readonly member: string; readonly depth: number }[] = []
  const found = new Map<string, BreakdownMember>()
  for (const { concept: member, label, depth } of lines) {
    while (above.length > 0 && (above.at(-1)?.depth ?? 0) >= (depth ?? 0)) above.pop()
    const figure = figureOf(member)
    if (figure === null || found.has(member)) continue
    found.set(member, { member, label, partOf: above.at(-1)?.member ?? null, figure })
    above.push({ member, depth: depth ?? 0 })
  }
  return [...found.values()]
}

function mostPrecise(figures: readonly ReportedFigure[]): ReportedFigure | null {
  const accuracy = ({ decimals }: ReportedFigure) => decimals ?? Number.NEGATIVE_INFINITY
  return figures.reduce<ReportedFigure | null>(
    (best, figure) => (best === null || accuracy(figure) > accuracy(best) ? figure : best),
    null,
  )
}
