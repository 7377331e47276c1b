import type postgres from 'postgres'
import type { Statements } from '../../postgres/client.ts'

/** IDs read at most: a digit begins half a million of them. */
const maxIdCandidates = 800
const lastCharacter = '\u{10FFFF}'

/** Entities with an ID that is `folded`, then those with one that begins with it. An entity with several such
 * IDs comes once, under the one that fits best. */
export function findIds(sql: Statements, folded: string, most: number): Promise<FoundEntity[]> {
  return sql<FoundEntity[]>`
    select * from (
      select distinct on (e.entity_id) e.entity_id as "entityId", t.ticker, e.name, e.market,
             t.id = ${folded} as exact
      from (
        select ticker, entity_id, search_text(ticker) as id
        from entity_ticker
        where search_text(ticker) ~>=~ ${folded} and search_text(ticker) ~<~ ${folded + lastCharacter}
        order by search_text(ticker) using ~<~
        limit ${maxIdCandidates}) t
      join entity e on e.entity_id = t.entity_id
      order by e.entity_id, t.id = ${folded} desc, t.ticker = e.ticker desc, t.ticker collate "C") found
    order by exact desc, (name is null), char_length(name), ticker collate "C"
    limit ${most}`
}

/** Names read at most by one branch of one statement; there is one for own names and one for others. */
const maxNameCandidates = 500
/** The lengths by which names are indexed (search_terms). */
const lengths = [4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40]

/** A long query begins few names, mostly: they are read at once. Of those that a short one begins, short names are asked for
 * first. In bytes, for a Chinese character says as much as a syllable. */
const isLong = ({ folded }: SearchProbe) => Buffer.byteLength(folded) >= 6

type Level = 'prefix' | 'contains'

/** Entities of which a name, their own or another, begins with the query, then those of which one holds it; in each level
 * the one with the shortest such name first, then by ID. `seen` are entities that were found before. A query that few names
 * match is answered from all of them; for a common one short names are asked for first, so that not every name that holds it
 * has to be read. */
export async function findNames(
  sql: Statements,
  probe: SearchProbe,
  seen: readonly number[],
  most: number,
): Promise<readonly FoundEntity[]> {
  const search = { sql, probe, seen, most }
  const bounds = boundsFor(probe.length)
  const whole = isLong(probe) ? await candidates(search, 'prefix', null) : null
  const isWhole = whole?.isCut === false
  const begun = isWhole ? whole.found : await shortestFirst(search, 'prefix', bounds)
  if (begun.length === most) return begun
  const all = await candidates(search, 'contains', null)
  if (!all.isCut) return all.found
  const beginning = isWhole
    ? begun
    : [...begun, ...(await shortestFirst(without(search, begun), 'prefix', [null]))]
  if (beginning.length === most) return beginning
  return [...beginning, ...(await shortestFirst(without(search, beginning), 'contains', [...bounds, null]))]
}

/** The same for what is missing after some were found. */
function without(search: Search, found: readonly FoundEntity[]): Search {
  const seen = [...search.seen, ...found.map(entity => entity.entityId)]
  return { ...search, seen, most: search.most - found.length }
}

interface Search {
  sql: Statements
  probe: SearchProbe
  seen: readonly number[]
  most: number
}

/** Bounds ascend; null, which comes last, is none. What was found under one is shorter than all that is found under the next
 * alone, and stays: of a common name the next may not be read to its end. */
async function shortestFirst(search: Search, level: Level, bounds: readonly (number | null)[]) {
  const found: FoundEntity[] = []
  for (const bound of bounds) {
    found.push(...(await candidates(without(search, found), level, bound)).found)
    if (found.length === search.most) break
  }
  return found
}

function boundsFor(length: number): number[] {
  const start = lengths.findIndex(bound => bound >= length)
  if (start < 0) return lengths.slice(-1)
  return [0, 2, 6].map(step => lengths[start + step]).filter(bound => bound !== undefined)
}

async function candidates(
  { sql, probe, seen, most }: Search,
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
  // Two selects and not one with `or`: that one would work out the terms of every row again.
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
    limit ${most}`
  return { found: [...rows], isCut: rows[0]?.isCut ?? false }
}

/** Outside France, Belgium and Denmark: the text as it stands. */
const holding = (sql: Statements, probe: SearchProbe, level: Level, short: readonly string[]) =>
  level === 'prefix'
    ? sql`search_terms(market, name, search_name) @> ${[probe.prefix, ...probe.grams, ...short]}
        and starts_with(search_name, ${probe.folded})`
    : sql`search_terms(market, name, search_name) @> ${[...probe.grams, ...short]}
        and strpos(search_name, ${probe.folded}) > 0`

/** France, Belgium and Denmark: every word, as a word or as the beginning of one. */
const wording = (sql: Statements, probe: SearchProbe, level: Level, short: readonly string[]) =>
  level === 'prefix'
    ? sql`search_terms(market, name, search_name) @> ${[probe.prefix, ...(probe.words ?? []), ...short]}
        and starts_with(search_name, ${probe.folded}) and search_spaced(search_name) like all(${probe.patterns})`
    : sql`search_terms(market, name, search_name) @> ${[...(probe.words ?? []), ...short]}
        and search_spaced(search_name) like all(${probe.patterns})`

/** Entities whose ID or registration number is one of those given, the number as it was typed first; the market may be known from a suffix. */
export function findNumbers(
  sql: Statements,
  tickers: readonly string[],
  numbers: readonly string[],
  market: string | null,
  most: number,
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
    limit ${most}`
}

export interface FoundEntity {
  entityId: number
  ticker: string
  name: string | null
  market: string
}

/** A query as the search functions of the database see it: folded like every stored name, and the terms to
 * look for. */
export interface SearchProbe {
  folded: string
  /** Characters of `folded`. */
  length: number
  prefix: string
  /** Terms of its words, and what each word has to look like; null where it has no word. */
  words: string[] | null
  patterns: string[] | null
  grams: string[]
}

export async function makeProbe(sql: Statements, text: string): Promise<SearchProbe> {
  const [probe] = await sql<SearchProbe[]>`
    select folded, char_length(folded) as length, p.prefix, p.words, p.patterns, p.grams
    from search_text(${text}) as folded, search_probe(folded) as p`
  return probe
}
