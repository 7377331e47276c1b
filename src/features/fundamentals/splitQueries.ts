import { factsAsOf } from '../../postgres/asOf.ts'
import type { SqlClient } from '../../postgres/client.ts'
import type { RowPlan } from './queries.ts'
import type { Evidence } from './splits.ts'

/** Every vintage of the company's share counts, per-share figures and profits that was filed by the day. */
export async function splitEvidence(sql: SqlClient, { asOf, entityId }: RowPlan): Promise<Evidence[]> {
  return sql<Evidence[]>`
    select m.name as metric, f.period_end as "end", f.fp, f.filed, f.accession, f.value,
           case when u.name = 'shares' then 'count' when m.name = 'net_income' then 'profit' else 'perShare' end as kind
    from ${factsAsOf(sql, asOf)} f join metric m on m.metric_id = f.metric_id join unit u on u.unit_id = f.unit_id
    where f.entity_id = ${entityId}
      and (m.name = 'net_income' or (f.tag_id is not null and (u.name = 'shares' or u.name like '%/shares')))
    order by f.filed, f.accepted_at nulls first, f.accession, m.name, f.period_end, f.fp`
}
