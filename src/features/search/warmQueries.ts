import type { Sql } from '../../postgres/client.ts'

/** The relations that a search reads, the most scattered first. */
const relations = [
  'entity_names',
  'entity_other_names',
  'entity',
  'entity_other_name',
  'entity_ticker_search',
  'entity_former_id_search',
  'entity_ticker',
  'entity_pkey',
]

const pageBytes = 8_192
/**
 * 16 MB, which a disk reads in about the time of the pause, so that requests for figures get their share of
 * it.
 */
const pagesAtOnce = 2_048
const pauseMs = 15

/**
 * Reads the relations of searches from disk into memory, in file order. A search for a name touches hundreds
 * of scattered pages, so the first ones after a start would wait for the disk each time. Returns the bytes
 * read, or null if the database lacks the extension pg_prewarm. If they exceed half of the database's
 * buffers, they go into the operating system's cache instead, so that they do not displace figures.
 *
 * @param maxBytes relations that would exceed this total are skipped
 */
export async function warmSearch(sql: Sql, maxBytes: number): Promise<number | null> {
  const [{ canWarm, bufferBytes }] = await sql<{ canWarm: boolean; bufferBytes: number }[]>`
    select to_regproc('pg_prewarm') is not null as "canWarm",
           pg_size_bytes(current_setting('shared_buffers'))::float8 as "bufferBytes"`
  if (!canWarm) return null
  const sizes = await sql<{ name: string; bytes: number }[]>`
    select name, pg_relation_size(to_regclass(name))::float8 as bytes
    from unnest(${relations}::text[]) with ordinality listed(name, place)
    where to_regclass(name) is not null order by place`
  let sum = 0
  const fitting = sizes.filter(({ bytes }) => {
    if (sum + bytes > maxBytes) return false
    sum += bytes
    return true
  })
  const mode = sum <= bufferBytes / 2 ? 'buffer' : 'read'
  for (const { name, bytes } of fitting) {
    const pages = bytes / pageBytes
    for (let first = 0; first < pages; first += pagesAtOnce) {
      const last = Math.min(pages, first + pagesAtOnce) - 1
      await sql`select pg_prewarm(${name}::regclass, ${mode}, 'main', ${first}, ${last})`
      await Bun.sleep(pauseMs)
    }
  }
  return sum
}
