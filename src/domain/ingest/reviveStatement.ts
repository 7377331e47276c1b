import { nearestMonthEnd, startOfMonths } from '../../model/months.ts'
import type { Filing, Statement } from '../../model/statement.ts'
import type { StoredRow } from '../../store/facts/storedRows.ts'
import { spanOf, statedMetric } from './span.ts'

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
