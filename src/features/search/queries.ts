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

/** A company that was found by a former symbol or name. */
export interface FoundBefore extends FoundEntity {
  former: FormerName
}

/** A symbol or a name that a company had, with its first and last day. */
export interface FormerName {
  kind: 'symbol' | 'name'
  value: string
  from: string | null
  /** Null: the source states no end. */
  to: string | null
}

/**
 * Companies that once had this symbol, in any spelling, or one that begins with it, but no longer have it. The company
 * that had it last comes first.
 */
export async function findFormerSymbols(
  sql: SqlClient,
  { folded, squeezed }: { readonly folded: string; readonly squeezed: string },
  limit: number,
): Promise<FoundBefore[]> {
  return sql<FoundBefore[]>`
    select "entityId", ticker, name, market, json_build_object('kind', 'symbol', 'value', symbol, 'from', from_day, 'to', to_day) as former
    from (
      select distinct on (e.entity_id) e.entity_id as "entityId", e.ticker, e.name, e.market, s.symbol, s.from_day, s.to_day,
             s.is_exact
      from (
        select *, search_text(symbol) = any(${spellings(folded, squeezed)}) as is_exact
        from (
          (select * from symbol_spell where search_text(symbol) = any(${spellings(folded, squeezed)}) and from_day < 'infinity')
          union
          (select * from symbol_spell
           where search_text(symbol) ~>=~ ${folded} and search_text(symbol) ~<~ ${folded + lastCharacter}
             and from_day < 'infinity'
           order by search_text(symbol) using ~<~
           limit ${maxIdCandidates})) read) s
      join entity e on e.issuer_id = s.issuer_id and e.market || '' = s.market
      where not exists (
        select from entity_ticker t where t.entity_id = e.entity_id and symbol_form(t.ticker) = s.form)
      order by e.entity_id, s.is_exact desc, s.to_day desc nulls first, s.from_day desc) found
    order by is_exact desc, to_day desc nulls first, ticker collate "C"
    limit ${limit}`
}

/** Caps the filings read: a company has one for each quarter. */
const maxNamedFilings = 2_000
/** With fewer letters nearly every name would match. */
const minNameLetters = 3

/**
 * Companies that once had a name that begins with the text, according to filings or the register, but no longer have
 * it. Its days are those of the first and last such filing, or those that the register states.
 */
export async function findFormerNames(
  sql: SqlClient,
  { squeezed, length }: { readonly squeezed: string; readonly length: number },
  limit: number,
): Promise<FoundBefore[]> {
  if (length < minNameLetters) return []
  return sql<FoundBefore[]>`
    select e.entity_id as "entityId", e.ticker, e.name, e.market,
           json_build_object('kind', 'name', 'value', n.name, 'from', n.first, 'to', n.last) as former
    from (
      select distinct on (entity_id) entity_id, name, first, last
      from (
        select entity_id, folded, max(company_name) as name, min(first) as first, max(last) as last
        from (
          (select entity_id, company_name, filed as first, filed as last, search_squeezed(search_text(company_name)) as folded
           from filing
           where company_name is not null and filed < 'infinity'
             and search_squeezed(search_text(company_name)) ~>=~ ${squeezed}
             and search_squeezed(search_text(company_name)) ~<~ ${squeezed + lastCharacter}
           limit ${maxNamedFilings})
          union all
          (select o.entity_id, f.name, f.used_from, f.used_until, search_squeezed(search_text(f.name))
           from former_name f join entity o on o.issuer_id = f.issuer_id and o.market || '' = f.market
           where search_squeezed(search_text(f.name)) ~>=~ ${squeezed}
             and search_squeezed(search_text(f.name)) ~<~ ${squeezed + lastCharacter}
           limit ${maxNamedFilings})) stated
        group by entity_id, folded) names
      order by entity_id, last desc) n
    join entity e on e.entity_id = n.entity_id
    where search_squeezed(search_text(coalesce(e.name, ''))) <> search_squeezed(search_text(n.name))
    order by char_length(n.name), e.ticker collate "C"
    limit ${limit}`
}
