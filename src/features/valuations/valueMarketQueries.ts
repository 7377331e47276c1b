import { isoDate } from '../../dates.ts'
import { maxPriceAgeDays } from '../../markets/valuations.ts'
import type { SqlClient, SqlFragment } from '../../postgres/client.ts'

/** The most companies of one market that are valued. */
const maxEntities = 50_000

/**
 * Whether a company has prices of which one may count as the price of the day.
 *
 * @param day days since 1970-01-01
 */
export const hasRecentPrices = (
  sql: SqlClient,
  entityId: SqlFragment,
  priceSetId: number,
  day: number,
): SqlFragment => sql`
  exists (
    select from price_asset a where a.price_set_id = ${priceSetId} and a.entity_id = ${entityId}
      and a.last_day >= ${isoDate(day - maxPriceAgeDays)} and a.first_day <= ${isoDate(day)})`

/** The companies of a market that have such prices. */
export async function pricedEntities(
  sql: SqlClient,
  market: string,
  priceSetId: number,
  day: number,
): Promise<number[]> {
  const rows = await sql<{ entityId: number }[]>`
    select e.entity_id as "entityId" from entity e
    where e.market = ${market} and ${hasRecentPrices(sql, sql`e.entity_id`, priceSetId, day)}
    order by e.entity_id limit ${maxEntities}`
  return rows.map(({ entityId }) => entityId)
}
