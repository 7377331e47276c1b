import { nearestMonthEnd } from '../../dates.ts'
import { differenceOfDecimals } from '../../wholeFilings/decimals.ts'
import type { KnownFiling } from '../../wholeFilings/knownFilingQueries.ts'
import type { KnownCell } from '../../wholeFilings/knownStatement.ts'
import { isInstant, type Period, quartersOf } from '../../wholeFilings/layOut.ts'
import { axisKey, localName, tagKey } from '../../wholeFilings/tags.ts'
import type { Dimension, ReportedFigure } from '../../wholeFilings/wholeFiling.ts'
import type { StatementRead } from './statement.ts'

/** A value that a filing stated before a later one changed it. */
export interface EarlierValue {
  readonly figure: ReportedFigure
  readonly filing: KnownFiling
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
 * For each cell of a statement, by line and column, the latest different value that an earlier filing stated for the
 * same line, period, unit and members: the cell was restated. Null for all others. Only filings that the request may
 * still read are compared, the latest first.
 *
 * @returns also how many filings were left out
 */
export async function readEarlierValues({ table, known, reader }: StatementRead): Promise<{
  readonly rows: readonly (readonly (EarlierValue | null)[])[]
  readonly leftOut: number
}> {
  const rowOf = new Map(
    table.rows.map(row => [row, [row.line.concept, ...row.otherTags.map(({ tag }) => tag)].map(tagKey)]),
  )
  const tags = new Set([...rowOf.values()].flat())
  const used = new Set(table.rows.flatMap(({ cells }) => cells.flatMap(cell => cell?.accession ?? [])))
  const latestUsed = known.findIndex(({ accession }) => used.has(accession))
  const candidates = latestUsed < 0 ? [] : known.slice(latestUsed + 1)
  // Those of the statement itself, except its latest, are among them and do not count again.
  const read = candidates.slice(0, reader.left + Math.max(0, used.size - 1))
  const compared = new Map<string, ReadonlyMap<string, ReportedFigure>>()
  const wholes = await reader.readAll(read)
  wholes.forEach(({ accession, concepts, figuresOf }) => {
    const wanted = new Set(concepts.filter(concept => tags.has(tagKey(concept))))
    compared.set(accession, mostPrecise(wanted.size === 0 ? [] : figuresOf(wanted)))
  })
  const rankOf = new Map(known.map(({ accession }, rank) => [accession, rank]))
  const earlierOf = (keys: readonly string[], cell: KnownCell): EarlierValue | null => {
    const rank = rankOf.get(cell.accession) ?? known.length
    for (const filing of known.slice(rank + 1)) {
      const figures = compared.get(filing.accession)
      for (const tag of keys) {
        const figure = figures?.get(`${tag} ${figureText(cell.figure)}`)
        if (figure !== undefined && isChanged(figure, cell.figure)) return { figure, filing }
      }
    }
    return null
  }
  return {
    rows: table.rows.map(row =>
      row.cells.map(cell => (cell === null ? null : earlierOf(rowOf.get(row) ?? [], cell))),
    ),
    leftOut: Math.max(0, candidates.length - wholes.length),
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
