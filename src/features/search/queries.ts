import type { SqlClient } from '../../postgres/client.ts'

/** Caps the IDs read: half a million begin with a digit. */
const maxIdCandidates = 800
const lastCharacter = '\u{10FFFF}'

/**
 * IDs without punctuation have at most this length: a share class (BRK-B) is the only part of a symbol that
 * is set off by punctuation.
 */
const maxSymbolLetters = 8

/** Spellings of an ID that differ in one punctuation mark: BRK.B, BRK/B and BRKB for BRK-B. */
function spellings(folded: string, squeezed: string): string[] {
  if (!/^[a-z0-9]+$/.test(squeezed) || squeezed.length > maxSymbolLetters) return [folded]
  const split = Array.from({ length: squeezed.length - 1 }, (_, index) => index + 1)
  return [folded, squeezed, ...split.map(at => `${squeezed.slice(0, at)}-${squeezed.slice(at)}`)]
}

/**
 * Entities with this ID or the code before its suffix (2330 of 2330.TW), whatever its punctuation; then those
 * whose ID begins with `folded`; then the same for former IDs. An entity with several such IDs appears once,
 * under its best match; one found by a former ID appears under its current ID.
 */
export function findIds(
  sql: SqlClient,
  { folded, squeezed }: { readonly folded: string; readonly squeezed: string },
  limit: number,
): Promise<FoundEntity[]> {
  const spelled = spellings(folded, squeezed)
  const columns = (table: 'entity_ticker' | 'entity_former_id') =>
    sql`ticker, entity_id, search_text(ticker) as id, ${table === 'entity_former_id'}::boolean as former from ${sql(table)}`
  const matching = (table: 'entity_ticker' | 'entity_former_id') => sql`
    (select ${columns(table)} where search_text(ticker) = any(${spelled}))
    union all
    (select ${columns(table)}
     where search_text(ticker) ~>=~ ${folded} and search_text(ticker) ~<~ ${folded + lastCharacter}
     order by search_text(ticker) using ~<~
     limit ${maxIdCandidates})`
  return sql<FoundEntity[]>`
    select "entityId", ticker, name, market from (
      select distinct on (e.entity_id) e.entity_id as "entityId", case when t.former then e.ticker else t.ticker end as ticker,
             e.name, e.market, t.rank, t.former
      from (
        select *, case when id = ${folded} then 0 when id = any(${spelled}) then 1
                       when starts_with(id, ${`${folded}.`}) and char_length(id) = ${Array.from(folded).length + suffixLength} then 2
                       else 3 end as rank
        from (${matching('entity_ticker')} union all ${matching('entity_former_id')}) read) t
      join entity e on e.entity_id = t.entity_id
      order by e.entity_id, t.former, t.rank, t.ticker = e.ticker desc, t.ticker collate "C") found
    order by former, rank, (name is null), char_length(name), ticker collate "C"
    limit ${limit}`
}

/** The length of `.TW`. */
const suffixLength = 3

/**
 * Entities that an exchange lists under this code, if the code is not part of their ID (7974 for E02367.JP).
 */
export function findCodes(sql: SqlClient, code: string, limit: number): Promise<FoundEntity[]> {
  return sql<FoundEntity[]>`
    select entity_id as "entityId", e.ticker, e.name, e.market
    from entity_other_name o join entity e using (entity_id)
    where name_terms(o.market, o.name, o.search_name) @> ${[`n${code}`]} and o.search_name = ${code}
    order by e.ticker collate "C"
    limit ${limit}`
}

/**
 * Entities with one of the IDs or registration numbers, in their order. A suffix in the query determines the
 * market.
 */
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
