import type postgres from 'postgres'
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

/** A cap on the names that one branch of a statement reads; own names and other names are a branch each. */
const maxNameCandidates = 500
/** The prefix lengths in the index of names (SQL function search_terms). */
const lengths = [4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40]

/** From this length on, few names begin with the query, and all are read in one statement. For a shorter query short names are read
 * first. In bytes, because one Chinese character narrows as much as a syllable. */
const isLong = ({ folded }: SearchProbe) => Buffer.byteLength(folded) >= 6

type Level = 'prefix' | 'contains'

/** Entities with a name (their own or another) that starts with the query, then those with a name that contains it. On each
 * of these levels, the shortest matching name comes first; ties are ordered by ID. `seen` are entities found earlier. If
 * there are few matches, all are read. For a common word, short names are read first: otherwise every name that contains it
 * would be read. */
export async function findNames(
  sql: SqlClient,
  probe: SearchProbe,
  seen: readonly number[],
  limit: number,
): Promise<readonly FoundEntity[]> {
  const search = { sql, probe, seen, limit }
  const bounds = boundsFor(probe.length)
  const whole = isLong(probe) ? await candidates(search, 'prefix', null) : null
  const isWhole = whole?.isCut === false
  const begun = isWhole ? whole.found : await shortestFirst(search, 'prefix', bounds)
  if (begun.length === limit) return begun
  const all = await candidates(search, 'contains', null)
  if (!all.isCut) return all.found
  const beginning = isWhole
    ? begun
    : [...begun, ...(await shortestFirst(without(search, begun), 'prefix', [null]))]
  if (beginning.length === limit) return beginning
  return [...beginning, ...(await shortestFirst(without(search, beginning), 'contains', [...bounds, null]))]
}

/** The matches that are missing after an earlier level. */
function without(search: Search, found: readonly FoundEntity[]): Search {
  const seen = [...search.seen, ...found.map(entity => entity.entityId)]
  return { ...search, seen, limit: search.limit - found.length }
}

interface Search {
  sql: SqlClient
  probe: SearchProbe
  seen: readonly number[]
  limit: number
}

/** Reads names up to each length bound in turn, ascending; the last, null, is unbounded. Matches under one bound are shorter than
 * all further ones and stay: under the next bound the cap may cut them off. */
async function shortestFirst(search: Search, level: Level, bounds: readonly (number | null)[]) {
  const found: FoundEntity[] = []
  for (const bound of bounds) {
    found.push(...(await candidates(without(search, found), level, bound)).found)
    if (found.length === search.limit) break
  }
  return found
}

function boundsFor(length: number): number[] {
  const start = lengths.findIndex(bound => bound >= length)
  if (start < 0) return lengths.slice(-1)
  return [0, 2, 6].map(step => lengths[start + step]).filter(bound => bound !== undefined)
}

async function candidates(
  { sql, probe, seen, limit }: Search,
  level: Level,
  bound: number | null,
): Promise<{ found: FoundEntity[]; isCut: boolean }> {
  const short = bound === null ? [] : [`l${bound}`]
  const read = (table: postgres.Fragment, condition: postgres.Fragment) => sql`
    (select *, count(*) over () = ${maxNameCandidates} as is_cut
     from (select entity_id, search_name, char_length(name) as length from ${table}
           where ${condition} and entity_id <> all(${[...seen]})
           limit ${maxNameCandidates}) read)`
  const branch = (condition: postgres.Fragment) => sql`
    ${read(sql`entity`, condition)} union all ${read(sql`entity_other_name`, condition)}`
  const grams = branch(holding(sql, probe, level, short))
  // Two selects and not one with `or`: the latter computes the terms of every row again.
  const all =
    probe.words === null ? grams : sql`${grams} union all ${branch(wording(sql, probe, level, short))}`
  const rows = await sql<(FoundEntity & { isCut: boolean })[]>`
    select e.entity_id as "entityId", e.ticker, e.name, e.market, best.is_cut as "isCut"
    from (
      select distinct on (entity_id) entity_id, length, starts_with(search_name, ${probe.folded}) as begins,
        bool_or(is_cut) over () as is_cut
      from (${all}) candidate
      order by entity_id, begins desc, length) best
    join entity e on e.entity_id = best.entity_id
    order by best.begins desc, best.length, e.ticker collate "C"
    limit ${limit}`
  return { found: [...rows], isCut: rows[0]?.isCut ?? false }
}

/** Outside France, Belgium and Denmark: the query as one text. */
const holding = (sql: SqlClient, probe: SearchProbe, level: Level, short: readonly string[]) =>
  level === 'prefix'
    ? sql`search_terms(market, name, search_name) @> ${[probe.prefix, ...probe.grams, ...short]}
        and starts_with(search_name, ${probe.folded})`
    : sql`search_terms(market, name, search_name) @> ${[...probe.grams, ...short]}
        and strpos(search_name, ${probe.folded}) > 0`

/** France, Belgium and Denmark: every word of the query, as a whole word or as the beginning of one. */
const wording = (sql: SqlClient, probe: SearchProbe, level: Level, short: readonly string[]) =>
  level === 'prefix'
    ? sql`search_terms(market, name, search_name) @> ${[probe.prefix, ...(probe.words ?? []), ...short]}
        and starts_with(search_name, ${probe.folded}) and search_spaced(search_name) like all(${probe.patterns})`
    : sql`search_terms(market, name, search_name) @> ${[...(probe.words ?? []), ...short]}
        and search_spaced(search_name) like all(${probe.patterns})`

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

/** A query as the database's search functions take it: folded like every stored name, and its index terms. */
export interface SearchProbe {
  folded: string
  /** Characters of `folded`. */
  length: number
  prefix: string
  /** Terms of its words, and what each word has to look like; null if it has no word. */
  words: string[] | null
  patterns: string[] | null
  grams: string[]
}

export async function makeProbe(sql: SqlClient, text: string): Promise<SearchProbe> {
  const [probe] = await sql<SearchProbe[]>`
    select folded, char_length(folded) as length, p.prefix, p.words, p.patterns, p.grams
    from search_text(${text}) as folded, search_probe(folded) as p`
  return probe
}
