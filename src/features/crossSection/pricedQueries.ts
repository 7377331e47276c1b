import type { SqlClient } from '../../postgres/client.ts'
import { hasRecentPrices } from '../valuations/valueMarketQueries.ts'
import { fits, laterThan, ofSeen } from './queries.ts'
import type { TableCompany } from './tablePage.ts'
import type { TableScope } from './tableQueries.ts'

/**
 * The companies of a market that are within all bounds on figures of filings and have prices that are recent enough to
 * count on the day, in order of first import.
 *
 * @param day days since 1970-01-01
 */
export async function pricedCompanies(
  sql: SqlClient,
  scope: TableScope,
  priceSetId: number,
  day: number,
  bound: number,
): Promise<Omit<TableCompany, 'figures'>[]> {
  return sql`
    select e.entity_id as "entityId", e.ticker, e.issuer_id as "issuerId"
    from entity e
    where e.market = ${scope.market} ${laterThan(sql, scope.market, null)} ${ofSeen(sql, scope)}
      and ${hasRecentPrices(sql, sql`e.entity_id`, priceSetId, day)}
      ${fits(sql, scope, sql`e.entity_id`, sql``)}
    order by e.entity_id
    limit ${bound}`
}
