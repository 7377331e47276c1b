import type { IsoDate } from '../../dates.ts'
import type { AsOf } from '../../instants.ts'
import { factsAsOf, rawRule, trailingAsOf } from '../../postgres/asOf.ts'
import type { SqlClient, SqlFragment } from '../../postgres/client.ts'

/**
 * Full years that equal their own trailing twelve months: flows, but not counts or per-share figures, which
 * cannot be summed.
 */
const ofYear = (sql: SqlClient) => sql`
  and f.fp = 0 and f.period_start is not null and f.unit_id not in (select unit_id from unit where name ~ 'shares$')`

const columns = (sql: SqlClient, metricId: SqlFragment, asOf: AsOf) => sql`
  ${metricId} as metric_id, f.fy, 5::smallint as fp, f.period_end, f.filed, f.value, f.unit_id, f.tag_id, f.is_earlier, f.check_state ${rawRule(sql, asOf)}`

/**
 * A company's latest trailing twelve months that were current on the day, by the rule of
 * `fundamentals/trailingQueries.ts`: stored ones, which end with a first, second or third quarter, and full
 * years.
 *
 * @param metricId of the metric itself
 * @param more further conditions on a figure `f`
 */
export function latestTrailing(
  sql: SqlClient,
  { asOf, from }: { readonly asOf: AsOf; readonly from: IsoDate | null },
  metricId: SqlFragment,
  entityId: SqlFragment,
  more: SqlFragment,
): SqlFragment {
  const since = from === null ? sql`` : sql`and f.period_end >= ${from}`
  const storedId = sql`(
    select t.metric_id from metric m join metric t on t.name = m.name || '_ttm' where m.metric_id = ${metricId})`
  return sql`
    select t.* from (
      (select ${columns(sql, metricId, asOf)} from ${trailingAsOf(sql, asOf)} f
       where f.metric_id = ${storedId} and f.entity_id = ${entityId} and f.current ${since} ${more}
       order by f.period_end desc limit 1)
      union all
      (select ${columns(sql, metricId, asOf)} from ${factsAsOf(sql, asOf)} f
       where f.metric_id = ${metricId} and f.entity_id = ${entityId} and f.current ${ofYear(sql)} ${since} ${more}
       order by f.period_end desc limit 1)) t
    order by t.period_end desc
    limit 1`
}

/**
 * A metric's number, and the number under which its trailing twelve months are stored; null if it has none.
 */
export interface MetricNumbers {
  readonly id: number
  readonly trailingId: number | null
}

/**
 * The trailing twelve months of a company `e` that are current on the day and end on or after a day, read
 * like those of `figuresOf`.
 */
export function trailingFigures(
  sql: SqlClient,
  asOf: AsOf,
  metrics: readonly MetricNumbers[],
  { since, before }: { readonly since: IsoDate | null; readonly before: IsoDate },
): SqlFragment {
  const stored = metrics.flatMap(({ id, trailingId }) => (trailingId === null ? [] : [{ id, trailingId }]))
  const storedIds = sql`${stored.map(({ trailingId }) => trailingId)}::smallint[]`
  const ownId = sql`(${stored.map(({ id }) => id)}::smallint[])[array_position(${storedIds}, f.metric_id)]`
  const ids = sql`${metrics.map(({ id }) => id)}::smallint[]`
  const bound = since === null ? sql`` : sql`and f.period_end >= ${since}`
  const ofCompany = sql`
    f.entity_id >= e.entity_id and f.entity_id <= e.entity_id and f.current ${bound} and f.period_end <= ${before}`
  return sql`
    select ${columns(sql, ownId, asOf)} from ${trailingAsOf(sql, asOf)} f
    where ${ofCompany} and f.metric_id = any(${storedIds})
    union all
    select ${columns(sql, sql`f.metric_id`, asOf)} from ${factsAsOf(sql, asOf)} f
    where ${ofCompany} and f.metric_id = any(${ids}) ${ofYear(sql)}`
}
