import type { Statements } from '../database.ts'
import { type RowScope, recentFiscalYear, type StoredRows, unpack } from './rowScope.ts'

/** One row per metric: the latest period end known on the day, the year before the quarter where both end
 * then, at its latest vintage. One probe of fact_company a metric. */
export async function latestRows(sql: Statements, scope: RowScope): Promise<StoredRows> {
  const from = scope.from === null ? sql`` : sql`and f.period_end >= ${scope.from}`
  const year = scope.recentFiscalYearOnly
    ? sql`and f.fy = ${recentFiscalYear(sql, scope.asOf, scope.entityId)}`
    : sql``
  const metrics = scope.metrics === null ? sql`` : sql`where m.name = any(${[...scope.metrics]})`
  return unpack(
    await sql`
      select d.version, r.m, r.fy, r.fp, r."end", r.filed, r.v, r.u
      from data_version d left join (
        select m.name as m, l.fy, l.fp, l.period_end as "end", l.filed, l.value as v, u.name as u
        from metric m
        cross join lateral (
          select f.fy, f.fp, f.period_end, f.filed, f.value, f.unit_id
          from fact_as_of(${scope.asOf}) f
          where f.entity_id = ${scope.entityId} and f.metric_id = m.metric_id and f.current ${from} ${year}
          order by f.period_end desc, (f.fp = 0) desc, f.fp desc
          limit 1) l
        join unit u on u.unit_id = l.unit_id
        ${metrics}) r on true
      order by r.m collate "C"`,
  )
}
