import { dayNumber, nearestMonthEnd, startOfMonths } from '../../dates.ts'
import { type Filing, longAgo, type Statement } from '../../facts/reportedFact.ts'
import { spanOf, statedMetric } from '../../facts/spans.ts'
import type { StoredRow } from '../store/factQueries.ts'
import { type Reading, withoutEdit } from './observations.ts'

/** The readings that rows on record came from, where the readings themselves were not kept (the shipped sample, an import
 * by an earlier version): an edit bears its day; a filing was read before everything else, or, where it took the place of
 * another, on the day under which it stands.
 *
 * @param filings by accession */
export function recallPulls(
  rows: readonly StoredRow[],
  filings: ReadonlyMap<string, Filing>,
  replaces: boolean,
): readonly Reading[] {
  const firstOfEnd = new Map<number, string>()
  const ofAccession = new Map<string, Statement[]>()
  for (const row of rows) {
    const filing = filings.get(withoutEdit(row.accession))
    const statement = filing === undefined ? null : reviveStatement(row, filing)
    if (statement === null || filing === undefined) continue
    const first = firstOfEnd.get(statement.end)
    if (first === undefined || filing.accession < first) firstOfEnd.set(statement.end, filing.accession)
    const known = ofAccession.get(row.accession)
    if (known === undefined) ofAccession.set(row.accession, [statement])
    else known.push(statement)
  }
  return [...ofAccession].map(([accession, statements]): Reading => {
    const [{ filing }] = statements
    if (accession !== filing.accession)
      return { day: dayNumber(accession.slice(filing.accession.length + 1)), statements }
    const tookPlace = replaces && statements.some(({ end }) => firstOfEnd.get(end) !== accession)
    return { day: tookPlace ? filing.filed : longAgo, statements }
  })
}

/** The statement that a stored row was made from; null for a row that was derived. */
export function reviveStatement(row: StoredRow, filing: Filing): Statement | null {
  if (row.tag === null) return null
  const span = spanOf(row.start, row.end) ?? 0
  const end = row.rounded ? nearestMonthEnd(row.end) : row.end
  const start = row.rounded && row.start !== null ? startOfMonths(end, span * 3) : row.start
  return {
    metric: statedMetric(row.metric, span),
    tag: row.tag,
    unit: row.unit,
    start,
    end,
    value: row.value,
    rounded: row.rounded,
    filing,
  }
}
