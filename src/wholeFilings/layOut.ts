import { startOfMonths } from '../dates.ts'
import { kindOfStatement } from './kindOfStatement.ts'
import type {
  Dimension,
  FigureContext,
  ReportedFigure,
  Statement,
  StatementKind,
  StatementLine,
  WholeFiling,
} from './wholeFiling.ts'

/** A statement as a table of figures. */
export interface StatementTable {
  readonly columns: readonly StatementColumn[]
  readonly rows: readonly StatementRow[]
}

/** A period or, in a statement of equity, one component of equity in a period. */
export interface StatementColumn {
  readonly period: Period | null
  readonly dimensions: readonly Dimension[]
}

export interface StatementRow {
  readonly line: StatementLine
  readonly isHeading: boolean
  /** True if the row shows balances at the beginnings of its periods. */
  readonly atBeginning: boolean
  /** The breakdown that the row belongs to; empty for the whole company. */
  readonly dimensions: readonly Dimension[]
  /** The period of the row in a statement of equity. */
  readonly period: Period | null
  /** By column; null where the filing states no figure. Empty for headings. */
  readonly cells: readonly (ReportedFigure | null)[]
}

export type Period = Pick<FigureContext, 'start' | 'end' | 'quarters'>

/** The number as the statement shows it. */
export function shownValue({ negated }: StatementLine, { value }: ReportedFigure): string | null {
  if (!negated || value === null || value === '0') return value
  return value.startsWith('-') ? value.slice(1) : `-${value}`
}

/** A period whose lines are fewer than this fraction of those of the fullest period belongs to another statement. */
const minShareOfLines = 0.25

/** The axis of the American taxonomy, and that of IFRS and of Japan. */
const equityAxis = /(^|:)((Statement)?EquityComponents|ComponentsOfEquity(IFRS)?)(Axis)?$/

/**
 * Arranges a statement as the SEC's renderer does. Columns are periods, sorted by length and then latest first. An
 * instant is shown in the period that it ends or, if the label of its line says so, in the period that it begins. Rows are the lines
 * with figures and their headings, first for the whole company and then for each member on the statement. In a
 * statement of equity the components are the columns, and the rows repeat for each period in order of its beginning.
 */
export function layOutStatement(
  { figures }: Pick<WholeFiling, 'figures'>,
  statement: Statement,
): StatementTable {
  if (statement.dimensions !== undefined) return layOutPart(figures, statement, statement.dimensions)
  const { lines: placed, members } = partsOf(statement)
  const cells = new CellIndex(figures, placed, members, statement.kind)
  const periods = cells.periods()
  const lines = placed.map(each => ({
    ...each,
    atBeginning: each.atBeginning || cells.isOpening(each, periods),
  }))
  const lists = cells.dimensionLists(members)
  // Other statements of several registrants may have figures of components, too.
  const kind = kindOfStatement(statement) ?? 'EQ'
  const isEquity = kind === 'EQ' && lists.some(list => list.some(({ axis }) => equityAxis.test(axis)))
  if (isEquity) {
    const columns = lists.map((dimensions): StatementColumn => ({ period: null, dimensions }))
    const inOrder = [...periods].sort((a, b) => beginningOf(a) - beginningOf(b) || b.end - a.end)
    const rows = inOrder.flatMap(period =>
      withHeadings(
        lines,
        line => columns.map(({ dimensions }) => cells.find(line, period, dimensions)),
        period,
      ),
    )
    return { columns, rows }
  }
  const columns = periods.map((period): StatementColumn => ({ period, dimensions: [] }))
  const rows = lists.flatMap(dimensions =>
    withHeadings(
      lines,
      line => periods.map(period => cells.find(line, period, dimensions)),
      null,
      dimensions,
    ),
  )
  return { columns, rows }
}

/** Arranges the figures that have certain dimensions as if they did not have them. */
function layOutPart(
  figures: readonly ReportedFigure[],
  { dimensions: _, ...statement }: Statement,
  common: readonly Dimension[],
): StatementTable {
  const isCommon = ({ axis, member }: Dimension) =>
    common.some(each => each.axis === axis && each.member === member)
  const originals = new Map<ReportedFigure, ReportedFigure>()
  for (const figure of figures) {
    const { dimensions } = figure.context
    const others = dimensions.filter(each => !isCommon(each))
    if (dimensions.length - others.length < common.length) continue
    originals.set({ ...figure, context: { ...figure.context, dimensions: others } }, figure)
  }
  const { columns, rows } = layOutStatement({ figures: [...originals.keys()] }, statement)
  const original = (cell: ReportedFigure | null) => (cell === null ? null : (originals.get(cell) ?? null))
  return { columns, rows: rows.map(row => ({ ...row, cells: row.cells.map(original) })) }
}

interface PlacedLine {
  readonly line: StatementLine
  readonly isHeading: boolean
  /** True if an instant belongs to the beginning of the column's period. */
  readonly atBeginning: boolean
}

/** Splits a presentation into its lines and, for each axis, its members. Tables and axes are not lines. */
function partsOf({ lines }: Statement): {
  lines: readonly PlacedLine[]
  members: ReadonlyMap<string, readonly string[]>
} {
  const members = new Map<string, string[]>()
  const placed: PlacedLine[] = []
  let axis: { readonly name: string; readonly depth: number } | null = null
  lines.forEach((line, at) => {
    const depth = line.depth ?? 0
    if (axis !== null && depth <= axis.depth) axis = null
    if (axis !== null) {
      members.get(axis.name)?.push(line.concept)
      return
    }
    if (/Axis$/.test(line.concept) && line.depth !== null) {
      axis = { name: line.concept, depth }
      if (!members.has(line.concept)) members.set(line.concept, [])
      return
    }
    if (line.depth !== null && /(Table|LineItems)$/.test(line.concept)) return
    const next = lines[at + 1]
    const isHeading =
      /(Abstract|RollForward)$/.test(line.concept) || (next !== undefined && (next.depth ?? 0) > depth)
    placed.push({ line, isHeading, atBeginning: isAtBeginning(line, lines, at) })
  })
  return { lines: placed, members }
}

/** Data sets state no label roles, so the first of two lines of one concept is taken as the opening balance. */
function isAtBeginning(line: StatementLine, lines: readonly StatementLine[], at: number): boolean {
  if (line.depth !== null) return /periodStartLabel$/i.test(line.labelRole ?? '')
  return lines.findIndex((other, index) => index > at && other.concept === line.concept) >= 0
}

export const isInstant = ({ start, quarters }: Period) =>
  start === null && (quarters === null || quarters === 0)

/** The period begins at the end of this day. */
export function beginningOf(period: Period): number {
  if (period.start !== null) return period.start - 1
  return isInstant(period) ? period.end : startOfMonths(period.end, (period.quarters ?? 0) * 3) - 1
}

/** The length in quarters, rounded: fiscal quarters have 12 to 14 weeks. */
export const quartersOf = (period: Period) => Math.round((period.end - beginningOf(period)) / 91.3)

/** The figures of a statement's lines, by concept. */
class CellIndex {
  readonly #byConcept = new Map<string, ReportedFigure[]>()

  constructor(
    figures: readonly ReportedFigure[],
    lines: readonly PlacedLine[],
    members: ReadonlyMap<string, readonly string[]>,
    kind: StatementKind | null,
  ) {
    for (const { line } of lines) this.#byConcept.set(line.concept, [])
    // Data sets do not state the axes of a statement, so its breakdowns are used only where nothing else is stated.
    const isDataSet = lines.every(({ line }) => line.depth === null)
    let undivided: ReadonlySet<string> | null = null
    const isUndivided = (concept: string) => {
      undivided ??= new Set(
        figures.filter(({ context }) => context.dimensions.length === 0).map(each => each.concept),
      )
      return undivided.has(concept)
    }
    const isOnStatement = ({ concept, context }: ReportedFigure) =>
      isDataSet
        ? !isUndivided(concept) ||
          (kind === 'EQ' && context.dimensions.every(({ axis }) => equityAxis.test(axis)))
        : context.dimensions.every(({ axis, member }) => members.get(axis)?.includes(member))
    for (const figure of figures) {
      const isWhole = figure.context.dimensions.length === 0
      if (isWhole || isOnStatement(figure)) this.#byConcept.get(figure.concept)?.push(figure)
    }
  }

  /** The columns of the statement. */
  periods(): Period[] {
    interface Found {
      readonly period: Period
      concepts: number
      last: string | null
    }
    const all = new Map<string, Found>()
    // Figures share their contexts, so few keys are made.
    const byContext = new Map<FigureContext, Found>()
    for (const [concept, figures] of this.#byConcept) {
      for (const { context } of figures) {
        let ofPeriod = byContext.get(context)
        if (ofPeriod === undefined) {
          const key = `${context.start} ${context.end} ${context.quarters}`
          ofPeriod = all.get(key) ?? { period: context, concepts: 0, last: null }
          all.set(key, ofPeriod)
          byContext.set(context, ofPeriod)
        }
        if (ofPeriod.last !== concept) ofPeriod.concepts++
        ofPeriod.last = concept
      }
    }
    const found = [...all.values()]
    const durations = found.filter(({ period }) => !isInstant(period))
    const candidates = durations.length > 0 ? durations : found
    const fullest = Math.max(0, ...candidates.map(({ concepts }) => concepts))
    return candidates
      .filter(({ concepts }) => concepts >= fullest * minShareOfLines)
      .map(({ period: { start, end, quarters } }) => ({ start, end, quarters }))
      .sort((a, b) => quartersOf(a) - quartersOf(b) || b.end - a.end)
  }

  /** The combinations of members for which the lines have figures: first the empty one, then in presentation order. */
  dimensionLists(members: ReadonlyMap<string, readonly string[]>): (readonly Dimension[])[] {
    const lists = new Map<string, readonly Dimension[]>([['', []]])
    for (const figures of this.#byConcept.values())
      for (const { context } of figures) lists.set(keyOf(context.dimensions), context.dimensions)
    const order = [...members].flatMap(([axis, names]) => names.map(name => `${axis} ${name}`))
    const rank = (list: readonly Dimension[]) =>
      list.map(({ axis, member }) => order.indexOf(`${axis} ${member}`)).sort((a, b) => a - b)
    return [...lists]
      .sort(([a, left], [b, right]) => compareLists(rank(left), rank(right)) || (a < b ? -1 : 1))
      .map(([, list]) => list)
  }

  /**
   * True for a line of a data set whose balances belong to the beginnings of the columns (`Cash at beginning
   * of year`, with a tag of its own). The beginning of one column is often the end of another. So the
   * decisive columns are the first one, whose beginning is not the end of any other, and the last one, whose
   * end is not the beginning of any other.
   */
  isOpening({ line }: PlacedLine, periods: readonly Period[]): boolean {
    if (line.depth !== null) return false
    const figures = this.#byConcept.get(line.concept) ?? []
    if (!figures.every(({ context }) => isInstant(context))) return false
    const beginnings = new Set(periods.map(beginningOf))
    const ends = new Set(periods.map(({ end }) => end))
    const days = figures.map(({ context }) => context.end)
    return (
      days.some(day => beginnings.has(day) && !ends.has(day)) &&
      days.every(day => beginnings.has(day) || !ends.has(day))
    )
  }

  /** The most precise figure of a cell. */
  find(placed: PlacedLine, period: Period, dimensions: readonly Dimension[]): ReportedFigure | null {
    const key = keyOf(dimensions)
    const day = placed.atBeginning ? beginningOf(period) : period.end
    let best: ReportedFigure | null = null
    for (const figure of this.#byConcept.get(placed.line.concept) ?? []) {
      const { context } = figure
      const fits = isInstant(context)
        ? context.end === day
        : context.start === period.start && context.end === period.end && context.quarters === period.quarters
      if (!fits || (context.dimensions !== dimensions && keyOf(context.dimensions) !== key)) continue
      if (best === null || accuracy(figure) > accuracy(best)) best = figure
    }
    return best
  }
}

const keyOf = (dimensions: readonly Dimension[]) =>
  dimensions.length === 0 ? '' : dimensions.map(({ axis, member }) => `${axis} ${member}`).join(' ')

const accuracy = ({ decimals, value }: ReportedFigure) =>
  value === null ? Number.NEGATIVE_INFINITY : (decimals ?? -1_000)

function compareLists(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) return a.length - b.length
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? 0 : a[at] - b[at]
}

/** The lines with figures, and the headings above them. */
function withHeadings(
  lines: readonly PlacedLine[],
  cellsOf: (placed: PlacedLine) => readonly (ReportedFigure | null)[],
  period: Period | null,
  dimensions: readonly Dimension[] = [],
): StatementRow[] {
  const rows: StatementRow[] = []
  let pending: PlacedLine[] = []
  for (const placed of lines) {
    const depth = placed.line.depth ?? 0
    pending = pending.filter(({ line }) => (line.depth ?? 0) < depth)
    const cells = cellsOf(placed)
    if (cells.some(cell => cell !== null)) {
      // A breakdown repeats lines of the statement above it, without its headings.
      if (dimensions.length === 0)
        for (const { line, isHeading, atBeginning } of pending)
          rows.push({ line, isHeading, atBeginning, dimensions, period, cells: [] })
      pending = []
      const { line, atBeginning } = placed
      rows.push({ line, isHeading: false, atBeginning, dimensions, period, cells })
    } else if (placed.isHeading) pending.push(placed)
  }
  return rows
}
