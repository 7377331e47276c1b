import { daysBefore, type IsoDate } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { isPeriodFigure } from './columns.ts'
import type { RowPlan, StoredRow } from './queries.ts'

/** A fiscal year has 364 days or more, a few less where its end was moved: whoever reported a period that ends later than this after
 * another one has reported a whole year since. */
const staleAfterDays = 350

type Ending = Pick<StoredRow, 'm' | 'end'>

/** The day before which a period of view=latest ended long ago, compared with the latest that the company has reported; null: no
 * row is that old. */
export async function staleBefore(
  sql: SqlClient,
  plan: RowPlan,
  rows: readonly Ending[],
): Promise<IsoDate | null> {
  if (!mayBeStale(plan, rows)) return null
  const latest = latestEnd(isWhole(plan) ? rows : await latestKnownEnds(sql, plan))
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

async function latestKnownEnds(sql: SqlClient, { asOf, entityId }: RowPlan): Promise<Ending[]> {
  return sql<Ending[]>`
    select m.name as m, l.period_end as "end"
    from metric m cross join lateral (
      select f.period_end from fact_as_of(${asOf}) f
      where f.entity_id = ${entityId} and f.metric_id = m.metric_id and f.current
      order by f.period_end desc limit 1) l
    where not m.is_trailing`
}
