import type { SqlClient } from '../../postgres/client.ts'

/** A cap on the IDs that are read: half a million begin with a digit. */
const maxIdCandidates = 800
const lastCharacter = '\u{10FFFF}'

/** Entities whose ID is `folded`, then those whose ID begins with it, then those of which either was true of a former ID. An
 * entity with several such IDs comes once, under the best match; by a former one under its ID of today. */
export function findIds(sql: SqlClient, folded: string, limit: number): Promise<FoundEntity[]> {
  const beginning = (table: 'entity_ticker' | 'entity_former_id') => sql`
    (select ticker, entity_id, search_text(ticker) as id, ${table === 'entity_former_id'}::boolean as former
     from ${sql(table)}
     where search_text(ticker) ~>=~ ${folded} and search_text(ticker) ~<~ ${folded + lastCharacter}
     order by search_text(ticker) using ~<~
     limit ${maxIdCandidates})`
  return sql<FoundEntity[]>`
    select "entityId", ticker, name, market from (
      select distinct on (e.entity_id) e.entity_id as "entityId", case when t.former then e.ticker else t.ticker end as ticker,
             e.name, e.market, t.id = ${folded} as exact, t.former
      from (${beginning('entity_ticker')} union all ${beginning('entity_former_id')}) t
      join entity e on e.entity_id = t.entity_id
      order by e.entity_id, t.former, t.id = ${folded} desc, t.ticker = e.ticker desc, t.ticker collate "C") found
    order by former, exact desc, (name is null), char_length(name), ticker collate "C"
    limit ${limit}`
}

/** Entities with one of the IDs or registration numbers, in their order. A suffix in the query fixes the market. */
export function findNumbers(
  sql: SqlClient,
  tickers: readonly string[],
  numbers: readonly string[],
  market: string | null,
  limit: number,
): Promise<FoundEntity[]> {
  return sql<FoundEntity[]>`
    select entity_id as "entityId", ticker, name, market
    from entity
    where entity_id in (
        select entity_id from entity_ticker where ticker = any(${[...tickers]})
        union all
        select entity_id from entity where issuer_id = any(${[...numbers]}))
      and (${market}::text is null or market = ${market})
    order by issuer_id = ${numbers[0]} desc, (name is null), char_length(name), ticker collate "C"
    limit ${limit}`
}

export interface FoundEntity {
  entityId: number
  ticker: string
  name: string | null
  market: string
}
