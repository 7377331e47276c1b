import { daysBefore, type IsoDate } from '../../dates.ts'
import { dayOf } from '../../instants.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { isPeriodFigure } from './columns.ts'
import { currentEnds, type Ending, type RowPlan } from './queries.ts'

/**
 * A fiscal year has at least 364 days, or slightly fewer if its end was moved. A company whose latest period
 * ends more than this many days after another period has therefore reported a whole year since.
 */
const staleAfterDays = 350

/**
 * The day before which a period of view=latest is stale compared with the company's latest reported period;
 * null if no row is that old.
 */
export async function staleBefore(
  sql: SqlClient,
  plan: RowPlan,
  rows: readonly Ending[],
): Promise<IsoDate | null> {
  if (!mayBeStale(plan, rows)) return null
  const latest = latestEnd(isWhole(plan) ? rows : await currentEnds(sql, plan))
  return latest === null ? null : daysBefore(latest, staleAfterDays)
}

/** True if a second statement ran; the caller must re-check the data version. */
export const readsOtherRows = (plan: RowPlan, rows: readonly Ending[]): boolean =>
  mayBeStale(plan, rows) && !isWhole(plan)

/** No period is known before it ends, so one that ended within the last year is never stale. */
function mayBeStale({ asOf }: RowPlan, rows: readonly Ending[]): boolean {
  const recent = daysBefore(dayOf(asOf), staleAfterDays)
  return rows.some(({ end }) => end < recent)
}

/**
 * Whether the rows, one per metric, are certain to include the company's latest period, if there are any
 * rows.
 */
const isWhole = ({ metrics, fps, years, recentFiscalYearOnly }: RowPlan) =>
  metrics === null && fps === null && years === null && !recentFiscalYearOnly

/** Cover counts are excluded: they are dated weeks after their report's own period. */
function latestEnd(rows: readonly Ending[]): IsoDate | null {
  return rows.reduce<IsoDate | null>(
    (latest, { m, end }) => (isPeriodFigure(m) && (latest === null || end > latest) ? end : latest),
    null,
  )
}
