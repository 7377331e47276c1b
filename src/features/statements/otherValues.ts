import { nearestMonthEnd } from '../../dates.ts'
import { differenceOfDecimals } from '../../wholeFilings/decimals.ts'
import type { KnownFiling } from '../../wholeFilings/knownFilingQueries.ts'
import type { KnownCell } from '../../wholeFilings/knownStatement.ts'
import { isInstant, type Period, quartersOf } from '../../wholeFilings/layOut.ts'
import { roundingOf, withRounding } from '../../wholeFilings/rounding.ts'
import { axisKey, localName, tagKey } from '../../wholeFilings/tags.ts'
import type { Dimension, ReportedFigure } from '../../wholeFilings/wholeFiling.ts'
import type { StatementRead } from './statement.ts'

/** A value that another filing states for a figure. */
export interface OtherValue {
  readonly figure: ReportedFigure
  readonly filing: KnownFiling
}

/** What other filings that were public state for the figure of a cell, where it differs. */
export interface OtherValues {
  /** The latest different value of an earlier filing: the figure was restated. */
  readonly before: OtherValue | null
  /** The value of the latest filing after the cell's own: the figure was restated since. */
  readonly after: OtherValue | null
}

/**
 * Equal for the same period in sources that state exact days and in those that round them to the end of a month and
 * count quarters.
 */
export const periodText = (period: Period): string =>
  `${isInstant(period) ? 0 : quartersOf(period)} ${nearestMonthEnd(period.end)}`

/** Equal for the same members, whatever the taxonomy or the data set calls their axes. */
export const membersText = (dimensions: readonly Dimension[]): string =>
  dimensions
    .map(({ axis, member }) => `${axisKey(axis)} ${localName(member).replace(/Member$/, '')}`)
    .sort()
    .join(' ')

const figureText = ({ context, unit }: ReportedFigure): string =>
  `${periodText(context)} ${unit} ${membersText(context.dimensions)}`

/**
 * Compares the cells of a statement with the other filings that state the same line, period, unit and members. Only
 * filings that the request may still read are compared, the latest first.
 *
 * @returns by line and column, null for cells with which all others agree; how many filings were left out; and by
 * accession the power of ten to which a filing rounds
 */
export async function readOtherValues({ table, known, reader }: StatementRead): Promise<{
  readonly rows: readonly (readonly (OtherValues | null)[])[]
  readonly leftOut: number
  readonly roundings: ReadonlyMap<string, number>
}> {
  const tagsOf = table.rows.map(({ line, otherTags }) =>
    [line.concept, ...otherTags.map(({ tag }) => tag)].map(tagKey),
  )
  const tags = new Set(tagsOf.flat())
  const read = reader.affordable(known)
  const wholes = await reader.readAll(read)
  const figuresOf = new Map(
    wholes.map(({ accession, concepts, figuresOf }) => {
      const wanted = new Set(concepts.filter(concept => tags.has(tagKey(concept))))
      return [accession, mostPrecise(wanted.size === 0 ? [] : figuresOf(wanted))]
    }),
  )
  const roundings = new Map(
    [...figuresOf].map(([accession, found]) => [accession, roundingOf([...found.values()])]),
  )
  const rankOf = new Map(read.map(({ accession }, rank) => [accession, rank]))
  const statedIn = (filing: KnownFiling, keys: readonly string[]): OtherValue | null => {
    const figures = figuresOf.get(filing.accession)
    const key = keys.find(each => figures?.has(each))
    const figure = key === undefined ? undefined : figures?.get(key)
    return figure === undefined ? null : { figure, filing }
  }
  const othersOf = (ofLine: readonly string[], { figure, accession }: KnownCell): OtherValues | null => {
    const rank = rankOf.get(accession)
    if (rank === undefined) return null
    const keys = ofLine.map(tag => `${tag} ${figureText(figure)}`)
    const accurate = (each: ReportedFigure, of: string) => withRounding(each, roundings.get(of) ?? 0)
    const own = accurate(figure, accession)
    const differs = (other: OtherValue | null) =>
      other !== null && isChanged(accurate(other.figure, other.filing.accession), own)
    const later = read.slice(0, rank).flatMap(filing => statedIn(filing, keys) ?? [])
    const after = differs(later.at(0) ?? null) ? later[0] : null
    let before: OtherValue | null = null
    for (const filing of read.slice(rank + 1)) {
      const stated = statedIn(filing, keys)
      if (!differs(stated)) continue
      before = stated
      break
    }
    return before === null && after === null ? null : { before, after }
  }
  return {
    rows: table.rows.map(({ cells }, at) =>
      cells.map(cell => (cell === null ? null : othersOf(tagsOf[at], cell))),
    ),
    leftOut: known.length - read.length,
    roundings,
  }
}

function mostPrecise(figures: readonly ReportedFigure[]): ReadonlyMap<string, ReportedFigure> {
  const found = new Map<string, ReportedFigure>()
  for (const figure of figures) {
    const key = `${tagKey(figure.concept)} ${figureText(figure)}`
    const other = found.get(key)
    if (other === undefined || accuracyOf(figure) > accuracyOf(other)) found.set(key, figure)
  }
  return found
}

const accuracyOf = ({ decimals }: ReportedFigure) => decimals ?? Number.NEGATIVE_INFINITY

/** Whether two values differ by more than the rounding of the less accurate one. */
export function isChanged(
  a: Pick<ReportedFigure, 'value' | 'decimals'>,
  b: Pick<ReportedFigure, 'value' | 'decimals'>,
): boolean {
  if (a.value === b.value || a.value === null || b.value === null) return false
  if (a.decimals === null || b.decimals === null || a.decimals === b.decimals) return true
  const coarser = Math.min(a.decimals, b.decimals)
  return Math.abs(Number(differenceOfDecimals(a.value, b.value))) > 10 ** -coarser / 2
}
