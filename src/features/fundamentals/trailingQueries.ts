import { factsAsOf, namedRule, rawRule, trailingAsOf } from '../../postgres/asOf.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { shownYears } from '../../rights/queries.ts'
import { namedProvenance, ofStates, rawProvenance } from './provenanceQueries.ts'
import { type RowPlan, type StoredRows, unpack } from './queries.ts'

/**
 * A company's trailing twelve months as known on the day: stored ones, which end with a first, second or
 * third quarter, and full years, which equal their own. Per-share figures and counts cannot be summed, so
 * they have none.
 */
export async function trailingRows(
  sql: SqlClient,
  plan: RowPlan & { readonly view: 'history' | 'latest' },
): Promise<StoredRows> {
  const { asOf, entityId, years } = plan
  const names = plan.metrics === null ? null : [...plan.metrics]
  const metrics = (column: 'm' | 'stored') =>
    names === null
      ? sql``
      : sql`and m.name = any(${column === 'm' ? names : names.map(name => `${name}_ttm`)})`
  const from = plan.from === null ? sql`` : sql`and f.period_end >= ${plan.from}`
  const ofYears = (row: 'f' | 'r') => {
    const column = row === 'f' ? sql`f.fy` : sql`r.fy`
    const range = years === null ? sql`` : sql`and ${column} between ${years.first} and ${years.last}`
    return sql`${range} ${shownYears(sql, plan.recentFiscalYearOnly, column, asOf, entityId)}`
  }
  const isLatest = plan.view === 'latest'
  // In a history, the first vintage is chosen before filtering by year: a later one with another year must
  // not pass for the first.
  const [before, after] = isLatest ? [ofYears('f'), sql``] : [sql``, ofYears('r')]
  const current = isLatest || plan.vintage === 'latest' ? sql`and f.current` : sql``
  const columns = sql`f.fy, 5 as fp, f.period_end as "end", f.filed, f.value as v, u.name as u, f.until,
                      f.tag_id is null as derived, f.is_earlier as earlier, f.accepted_at, f.accession
                      ${rawRule(sql, asOf)} ${rawProvenance(sql, plan)}`
  const all = sql`
    select left(m.name, -4) as m, ${columns}
    from ${trailingAsOf(sql, asOf)} f join metric m on m.metric_id = f.metric_id join unit u on u.unit_id = f.unit_id
    where f.entity_id = ${entityId} ${metrics('stored')} ${from} ${before} ${current}
    union all
    select m.name as m, ${columns}
    from ${factsAsOf(sql, asOf)} f join metric m on m.metric_id = f.metric_id join unit u on u.unit_id = f.unit_id
    where f.entity_id = ${entityId} and f.fp = 0 and f.period_start is not null and u.name !~ 'shares$'
      ${metrics('m')} ${from} ${before} ${current}`
  const chosen = isLatest
    ? sql`select distinct on (m) * from (${all}) a order by m, "end" desc`
    : plan.vintage === 'first'
      ? sql`select distinct on (m, "end") * from (${all}) a order by m, "end", filed, accepted_at nulls first, accession`
      : all
  return unpack(
    await sql`
      select d.version, r.m, r.fy, r.fp, r."end", r.filed, r.v, r.u, r.until, r.derived, r.earlier ${namedRule(sql, asOf, 'r')} ${namedProvenance(sql, plan.fields)}
      from data_version d left join (${chosen}) r on true ${after} ${ofStates(sql, plan.checks, 'r')}
      order by r.m collate "C", r."end", r.filed, r.accepted_at nulls first, r.accession`,
  )
}
