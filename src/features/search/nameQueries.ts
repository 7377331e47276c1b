import type postgres from 'postgres'
import type { SqlClient } from '../../postgres/client.ts'
import type { FoundEntity } from './queries.ts'

/** Caps the names that one branch of a statement reads. Own names and other names are separate branches. */
const maxNameCandidates = 500
/** The name lengths in the index (SQL functions name_size and name_terms_of). */
const lengths = [4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40]
const sizeLetters = 'abcdefghijklmn'
/**
 * The maximum number of a query's words that are looked up in the index. Further words would cost more than they
 * save. Names are compared with all words in any case.
 */
const maxIndexedWords = 4
/**
 * If at most this many names contain a query's rarest word, they are read at once. If there are more, short
 * names are read first until there are enough matches.
 */
const maxNamesAtOnce = 4_000

/**
 * A word that the statistics of the index do not list, or list as rarer, counts as contained in this share of all names.
 * They undercount words, because they list only the most common terms, and a word has a term for each length of a name.
 */
const maxUnknownShare = 0.015
/** Reading and comparing a name takes as long as this many entries in the list of an index term. */
const entriesPerName = 20

/**
 * Few names begin with a query of at least this length, so all of them are read in one statement. For shorter queries,
 * short names are read first. The length is measured in bytes, because one Chinese character narrows the search as much
 * as a syllable does.
 */
const isLong = ({ squeezed }: SearchProbe) => Buffer.byteLength(squeezed) >= 6

type Level = 'prefix' | 'contains'

/**
 * A range of name lengths, as indexes into `lengths`. The index after the last means all longer names.
 */
interface Sizes {
  readonly first: number
  readonly last: number
}

const allSizes: Sizes = { first: 0, last: lengths.length }

/**
 * Entities with a name (own or other) that starts with the query, then those with a name that contains it.
 * Within each level the shortest matching name comes first; ties are ordered by ID. `seen` lists the entities that
 * were found earlier. If there are few matches, all of them are read. For a common word, short names are read first;
 * otherwise every name that contains the word would be read.
 */
export async function findNames(
  sql: SqlClient,
  probe: SearchProbe,
  seen: readonly number[],
  limit: number,
): Promise<readonly FoundEntity[]> {
  const common = await commonWords(sql)
  const readings = readingsOf(probe).map(reading => ({
    ...reading,
    indexed: narrowingTerms(reading.words.map(termOf), common),
  }))
  const search = { sql, probe, readings, seen, limit }
  const sizes = sizesFor(probe.length)
  const begun = isLong(probe) ? [] : await shortestFirst(search, 'prefix', sizes)
  if (begun.length === limit) return begun
  // Few names contain the whole query as one word, although many may contain its first nine letters.
  const mayBeCommon = readings.filter(({ isWhole }) => !isWhole || probe.length <= longestTerm)
  const isCommon = mayBeCommon.some(({ indexed }) => indexed.every(word => common.has(word)))
  if (!isCommon) {
    const all = await candidates(search, 'contains', allSizes)
    if (!all.isCut) return all.found
  }
  const longer = { first: (sizes.at(-1)?.last ?? -1) + 1, last: allSizes.last }
  const everyLength = [...sizes, longer]
  const prefixed = await shortestFirst(
    without(search, begun),
    'prefix',
    isLong(probe) ? everyLength : [longer],
  )
  const beginning = [...begun, ...prefixed]
  if (beginning.length === limit) return beginning
  return [...beginning, ...(await shortestFirst(without(search, beginning), 'contains', everyLength))]
}

interface Search {
  sql: SqlClient
  probe: SearchProbe
  readings: readonly IndexedReading[]
  seen: readonly number[]
  limit: number
}

/** The same search without the entities found so far. */
function without(search: Search, found: readonly FoundEntity[]): Search {
  const seen = [...search.seen, ...found.map(entity => entity.entityId)]
  return { ...search, seen, limit: search.limit - found.length }
}

/**
 * Reads names of each length range in ascending order until there are enough. In each range it finds all
 * matches, or as many as are still needed, so that no match of a shorter range is skipped.
 */
async function shortestFirst(search: Search, level: Level, ranges: readonly Sizes[]) {
  const found: FoundEntity[] = []
  for (const sizes of ranges) {
    if (found.length === search.limit) break
    found.push(...(await candidates(without(search, found), level, sizes)).found)
  }
  return found
}

/** The lengths near the query's, in three ranges. */
function sizesFor(length: number): Sizes[] {
  const start = lengths.findIndex(bound => bound >= length)
  if (start < 0) return [{ first: 0, last: lengths.length - 1 }]
  const ends = [0, 2, 6].map(step => start + step).filter(index => index < lengths.length)
  return ends.map((last, index) => ({ first: index === 0 ? 0 : ends[index - 1] + 1, last }))
}

async function candidates(
  { sql, probe, readings, seen, limit }: Search,
  level: Level,
  sizes: Sizes,
): Promise<{ found: FoundEntity[]; isCut: boolean }> {
  const read = (table: 'entity' | 'entity_other_name', condition: postgres.Fragment) => {
    const own = table === 'entity' ? sql`, ticker, name, market` : sql``
    return sql`
      (select *, count(*) over () = ${maxNameCandidates} as is_cut
       from (select entity_id, search_name, char_length(name) as length ${own} from ${sql(table)}
             where ${condition} and entity_id <> all(${[...seen]})
             limit ${maxNameCandidates}) read)`
  }
  // The row of a company's own name already includes the displayed columns. Looking them up by number would read two
  // more pages per candidate.
  const branch = (condition: postgres.Fragment) => sql`
    select entity_id, search_name, length, is_cut, ticker, name, market from ${read('entity', condition)} own
    union all
    select other.entity_id, other.search_name, length, is_cut, e.ticker, e.name, e.market
    from ${read('entity_other_name', condition)} other join entity e on e.entity_id = other.entity_id`
  // A separate select for each way to match: a single one with `or` would recompute the terms of every row.
  const all = readings.reduce(
    (selects, reading) => sql`${selects} union all ${branch(wording(sql, probe, reading, level, sizes))}`,
    branch(holding(sql, probe, level, sizes)),
  )
  const rows = await sql<(FoundEntity & { isCut: boolean })[]>`
    select entity_id as "entityId", ticker, name, market, is_cut as "isCut"
    from (
      select distinct on (entity_id) entity_id, ticker, name, market, length,
        starts_with(search_squeezed(search_name), ${probe.squeezed}) as begins, bool_or(is_cut) over () as is_cut
      from (${all}) candidate
      order by entity_id, begins desc, length) best
    order by begins desc, length, ticker collate "C"
    limit ${limit}`
  return { found: [...rows], isCut: rows[0]?.isCut ?? false }
}

/** Matches the query as one text without punctuation, in all markets except France, Belgium and Denmark. */
function holding(sql: SqlClient, probe: SearchProbe, level: Level, { last }: Sizes): postgres.Fragment {
  const short = last < lengths.length ? [`l${lengths[last]}`] : []
  return level === 'prefix'
    ? sql`name_terms(market, name, search_name) @> ${[probe.prefix, ...probe.grams, ...short]}
        and starts_with(search_squeezed(search_name), ${probe.squeezed})`
    : sql`name_terms(market, name, search_name) @> ${[...probe.grams, ...short]}
        and strpos(search_squeezed(search_name), ${probe.squeezed}) > 0`
}

/**
 * One way to split a query into words. Each must be a word of the name or, from four characters on, begin
 * one.
 */
interface Reading {
  readonly words: readonly string[]
  /**
   * A regular expression for the words of a name as its own punctuation separates them; null if none is
   * needed.
   */
  readonly begins: string | null
  /** Whether several words of the query are read as one. */
  readonly isWhole: boolean
}

interface IndexedReading extends Reading {
  /** Index terms for those words that are looked up. */
  readonly indexed: readonly string[]
}

const maxWholeWord = 3

/**
 * The query's words split at punctuation, its words joined across punctuation, and the whole query as one word. The
 * third reading finds WALMART for "wal mart". A short last word must still end where a word of the name ends, so that
 * "total di" does not find TOTAL DIRECT.
 */
function readingsOf({ squeezed, words, joined }: SearchProbe): Reading[] {
  const distinct = [words, joined].filter(
    (list, index, all) =>
      list.length > 0 && all.findIndex(other => other.join(' ') === list.join(' ')) === index,
  )
  const readings: Reading[] = distinct.map(list => ({ words: list, begins: null, isWhole: false }))
  if (squeezed === '' || distinct.some(list => list.length === 1)) return readings
  const endsShort = Array.from(words.at(-1) ?? '').length <= maxWholeWord
  const begins = endsShort ? `^ ${Array.from(squeezed).join(' ?')} ` : null
  return [...readings, { words: [squeezed], begins, isWhole: true }]
}

const longestTerm = 9

/** The index term of a word. */
export function termOf(word: string): string {
  const letters = Array.from(word)
  return letters.length <= maxWholeWord ? `w${word}` : `p${letters.slice(0, longestTerm).join('')}`
}

/** Matches texts with the letters of a word in their order, whatever is in between. Words have no characters that `like` reads. */
const lettersOf = (word: string) => `%${Array.from(word).join('%')}%`

const patternOf = (word: string) => (Array.from(word).length <= maxWholeWord ? `% ${word} %` : `% ${word}%`)

/**
 * For France, Belgium and Denmark: matches every word of the query as a whole word or as the beginning of
 * one.
 */
function wording(
  sql: SqlClient,
  probe: SearchProbe,
  { words, indexed, begins, isWhole }: IndexedReading,
  level: Level,
  { first, last }: Sizes,
): postgres.Fragment {
  const letters = [...sizeLetters.slice(first, last + 1)]
  const holds = (term: string) =>
    sql`name_terms(market, name, search_name) && ${letters.map(letter => term + letter)}`
  const patterns = words.map(patternOf)
  const isWord = sql`search_name_words(search_name) like all(${patterns})`
  // The words of a name take many times as long as a comparison with the name itself, which decides about nearly all of
  // them: without a word's letters in their order no punctuation makes the word, and a word between spaces is one. The
  // whole query may contain characters at which a name is split.
  const matched = isWhole ? isWord : sql`(' ' || search_name || ' ' like all(${patterns}) or ${isWord})`
  const conditions = indexed.reduce(
    (all, term) => sql`${holds(term)} and ${all}`,
    sql`search_name like all(${words.map(lettersOf)}) and ${matched}`,
  )
  const matches = begins === null ? conditions : sql`${conditions} and search_spaced(search_name) ~ ${begins}`
  return level === 'prefix'
    ? sql`${holds(probe.beginning)} and starts_with(search_squeezed(search_name), ${probe.squeezed}) and ${matches}`
    : matches
}

/**
 * The terms to look up: the rarest first, then those that are not known to be common, then the longest. The list of a
 * common word is read only if that takes less time than comparing the names that the rarer words leave. Without
 * statistics any word may be the only rare one, so none is left out.
 */
export function narrowingTerms(terms: readonly string[], common: CommonWords): readonly string[] {
  const shareOf = (term: string) => Math.max(common.get(term) ?? 0, maxUnknownShare)
  const rarestFirst = terms.toSorted(
    (a, b) => shareOf(a) - shareOf(b) || Number(common.has(a)) - Number(common.has(b)) || b.length - a.length,
  )
  let left = 1
  const chosen: string[] = []
  for (const term of rarestFirst.slice(0, maxIndexedWords)) {
    if (common.size > 0 && shareOf(term) > left * entriesPerName) break
    chosen.push(term)
    left *= shareOf(term)
  }
  return chosen
}

/**
 * The statistics are read again after this many searches: a new database has none, and words may become
 * common.
 */
const searchesBetweenReads = 2_000

/**
 * Terms that occur in too many names to read at once, each with its share of all names. They affect how names are read
 * but not which are found.
 */
type CommonWords = ReadonlyMap<string, number>

interface ReadWords {
  searches: number
  readonly words: Promise<CommonWords>
}

const readWords = new WeakMap<SqlClient, ReadWords>()

function commonWords(sql: SqlClient): Promise<CommonWords> {
  let known = readWords.get(sql)
  if (known === undefined || known.searches >= searchesBetweenReads) {
    known = { searches: 0, words: readCommonWords(sql).catch(() => new Map()) }
    readWords.set(sql, known)
  }
  known.searches++
  return known.words
}

/** Read from the statistics of the index, which list its most common terms. */
async function readCommonWords(sql: SqlClient): Promise<CommonWords> {
  const rows = await sql<{ word: string; share: number }[]>`
    select left(term, -1) as word, sum(share)::float8 as share
    from pg_stats s join pg_class c on c.oid = to_regclass(s.tablename)
    cross join lateral unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as element(term, share)
    where s.schemaname = current_schema() and s.tablename = 'entity_names' and term ~ '^[wp]'
    group by 1 having sum(share * reltuples) > ${maxNamesAtOnce}`
  return new Map(rows.map(({ word, share }) => [word, share]))
}

/**
 * A query in the form that the database's search functions take: folded like every stored name, with index
 * terms that lack the length letter.
 */
export interface SearchProbe {
  folded: string
  /** Without spaces and punctuation; empty if the query has nothing else. */
  squeezed: string
  /** Characters of `squeezed`. */
  length: number
  /** Terms of names that begin with the query: `beginning` in markets that match by word, `prefix` in all
   * others. */
  beginning: string
  prefix: string
  grams: string[]
  /** Split at punctuation. */
  words: string[]
  /** Split at spaces, with punctuation removed. */
  joined: string[]
}

export async function makeProbe(sql: SqlClient, text: string): Promise<SearchProbe> {
  const [probe] = await sql<SearchProbe[]>`
    select folded, p.squeezed, char_length(p.squeezed) as length, p.beginning, p.prefix, p.grams, p.words, p.joined
    from search_text(${text}) as folded, name_query(folded) as p`
  return probe
}
