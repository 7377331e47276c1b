import { type AsOf, lastWholeDay } from '../instants.ts'
import { filingIsKnown } from './asOf.ts'
import type { SqlClient, SqlFragment } from './client.ts'

/**
 * What a company's filings state about it: the filings with figures, and the entries for these and other filings in the
 * register's data sets and indexes. An entry has no time, so it counts from the end of its day.
 */
export const statementsAsOf = (sql: SqlClient, entityId: SqlFragment, asOf: AsOf): SqlFragment => sql`(
  select l.filed, l.accepted_at, l.accession, l.form, coalesce(l.company_name, n.company_name) as company_name,
         coalesce(l.sector, n.sector) as sector, coalesce(l.fiscal_year_end, n.fiscal_year_end) as fiscal_year_end, n.filer_status
  from filing l
  join entity c on c.entity_id = l.entity_id
  left join register_entry n on n.market = c.market and n.issuer_id = c.issuer_id and n.accession = l.accession
  where l.entity_id = ${entityId} and ${filingIsKnown(sql, asOf)}
  union all
  select n.filed, null, n.accession, n.form, n.company_name, n.sector, n.fiscal_year_end, n.filer_status
  from entity c join register_entry n on n.market = c.market and n.issuer_id = c.issuer_id
  where c.entity_id = ${entityId} and n.filed <= ${lastWholeDay(asOf)}
    and not exists (select from filing l where l.accession = n.accession and l.entity_id = ${entityId}))`
