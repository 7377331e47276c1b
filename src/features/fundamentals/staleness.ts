import { daysBefore, type IsoDate } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { isPeriodFigure } from './columns.ts'
import { currentEnds, type Ending, type RowPlan } from './queries.ts'

/** A fiscal year has 364 days or more, a few less where its end was moved: whoever reported a period that ends later than this after
 * another one has reported a whole year since. */
const staleAfterDays = 350

/** The day before which a period of view=latest ended long ago, compared with the latest that the company has reported; null: no
 * row is that old. */
export async function staleBefore(
  sql: SqlClient,
  plan: RowPlan,
  rows: readonly Ending[],
): Promise<IsoDate | null> {
  if (!mayBeStale(plan, rows)) return null
  const latest = latestEnd(isWhole(plan) ? rows : await currentEnds(sql, plan))
  return latest === null ? null : daysBefore(latest, staleAfterDays)
}

/** Whether more was read than the rows themselves, of which it must be of the same data version. */
export const readsOtherRows = (plan: RowPlan, rows: readonly Ending[]): boolean =>
  mayBeStale(plan, rows) && !isWhole(plan)

/** No period is known before it ends, so what ended in the year before the day is never stale. */
function mayBeStale({ asOf }: RowPlan, rows: readonly Ending[]): boolean {
  const recent = daysBefore(asOf, staleAfterDays)
  return rows.some(({ end }) => end < recent)
}

/** Whether the rows, one a metric, have the company's latest period among them, if they have any. */
const isWhole = ({ metrics, fps, years, recentFiscalYearOnly }: RowPlan) =>
  metrics === null && fps === null && years === null && !recentFiscalYearOnly

/** A count on a cover is left out: its day is weeks after the report's own period. */
function latestEnd(rows: readonly Ending[]): IsoDate | null {
  return rows.reduce<IsoDate | null>(
    (latest, { m, end }) => (isPeriodFigure(m) && (latest === null || end > latest) ? end : latest),
    null,
  )
}
