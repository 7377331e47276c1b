import type { Sql } from '../database.ts'
import { type RowScope, recentFiscalYear, type StoredRows, unpack } from './rowScope.ts'

/** Every vintage filed by the day, ordered by metric, period end and filing; vintages of one day by acceptance,
 * then accession. */
export async function historyRows(sql: Sql, scope: RowScope): Promise<StoredRows> {
  const from = scope.from === null ? sql`` : sql`and f.period_end >= ${scope.from}`
  const year = scope.recentFiscalYearOnly ? sql`and f.fy = ${recentFiscalYear(sql, scope)}` : sql``
  const metrics = scope.metrics === null ? sql`` : sql`and m.name = any(${[...scope.metrics]})`
  return unpack(
    await sql`
      select d.version, r.m, r.fy, r.fp, r."end", r.filed, r.v, r.u
      from data_version d left join (
        select m.name as m, f.fy, f.fp, f.period_end as "end", f.filed, f.value as v, u.name as u,
               f.accepted_at, f.accession
        from fact_as_of(${scope.asOf}) f
        join metric m on m.metric_id = f.metric_id
        join unit u on u.unit_id = f.unit_id
        where f.entity_id = ${scope.entityId} ${from} ${year} ${metrics}) r on true
      order by r.m collate "C", r."end", r.filed, r.fp, r.accepted_at nulls first, r.accession`,
  )
}
