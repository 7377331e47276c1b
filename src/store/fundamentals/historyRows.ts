import type { Statements } from '../database.ts'
import { type RowScope, recentFiscalYear, type StoredRows, unpack } from './rowScope.ts'

/** The vintages filed by the day, ordered by metric, period end and filing; vintages of one day by acceptance, then
 * accession. All of them, or of each period the first or the one that is current on the day. */
export async function historyRows(sql: Statements, scope: RowScope): Promise<StoredRows> {
  const from = scope.from === null ? sql`` : sql`and f.period_end >= ${scope.from}`
  const year = scope.recentFiscalYearOnly
    ? sql`and f.fy = ${recentFiscalYear(sql, scope.asOf, scope.entityId)}`
    : sql``
  const metrics = scope.metrics === null ? sql`` : sql`and m.name = any(${[...scope.metrics]})`
  const current = scope.vintage === 'latest' ? sql`and f.current` : sql``
  const isFirst = scope.vintage === 'first'
  const each = isFirst ? sql`distinct on (f.metric_id, f.period_end, f.fp)` : sql``
  const earliest = isFirst
    ? sql`order by f.metric_id, f.period_end, f.fp, f.filed, f.accepted_at nulls first, f.accession`
    : sql``
  return unpack(
    await sql`
      select d.version, r.m, r.fy, r.fp, r."end", r.filed, r.v, r.u
      from data_version d left join (
        select ${each} m.name as m, f.fy, f.fp, f.period_end as "end", f.filed, f.value as v, u.name as u,
               f.accepted_at, f.accession
        from fact_as_of(${scope.asOf}) f
        join metric m on m.metric_id = f.metric_id
        join unit u on u.unit_id = f.unit_id
        where f.entity_id = ${scope.entityId} ${from} ${year} ${metrics} ${current} ${earliest}) r on true
      order by r.m collate "C", r."end", r.filed, r.fp, r.accepted_at nulls first, r.accession`,
  )
}
