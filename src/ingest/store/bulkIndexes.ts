import { Failure } from '../../errors.ts'
import type { Sql } from '../../postgres/client.ts'

/** The indexes that cost a bulk load more to keep up to date than to write at its end, as the migrations make them. Without
 * them a company is found by its ID and read as ever; a cross-section and a search for a name read whole tables. */
export const bulkIndexes = {
  fact_cross_section: 'on fact (metric_id, entity_id, period_end desc, filed desc)',
  entity_search:
    'on entity using gin (search_terms(market, name, search_name)) with (gin_pending_list_limit = 256)',
} as const

const longestWaitS = 10
const loadedTables = ['fact', 'fact_repeat', 'filing', 'entity', 'entity_ticker']

/** Drops them until `writeIndexes`, and has the database leave the tables alone until then: it would go through them again and
 * again as they grow. */
export async function setIndexesAside(sql: Sql): Promise<void> {
  const set = sql.begin(async transaction => {
    // An index is dropped when nobody reads its table, and whoever comes meanwhile waits.
    await transaction`select set_config('lock_timeout', ${`${longestWaitS}s`}, true)`
    for (const table of loadedTables)
      await transaction`alter table ${transaction(table)} set (autovacuum_enabled = false)`
    await transaction`drop index if exists ${transaction(Object.keys(bulkIndexes))}`
  })
  await set.catch(error => {
    if (error.code !== '55P03') throw error
    throw new Failure(
      'conflict',
      `Somebody has read the facts for more than ${longestWaitS} s: run it again, or without --bulk.`,
      { cause: error },
    )
  })
}

/** Those that are not there: a bulk load is under way, or was killed. */
export async function findMissingIndexes(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from unnest(${Object.keys(bulkIndexes)}::text[]) name where to_regclass(name) is null`
  return rows.map(row => row.name)
}

/** Writes those that are missing. Who imports waits for it, who reads does not. Returns whether there were any. */
export async function writeIndexes(sql: Sql): Promise<boolean> {
  const missing = await findMissingIndexes(sql)
  if (missing.length === 0) return false
  await sql.begin(async transaction => {
    await transaction`set local maintenance_work_mem = '256MB'`
    for (const [name, definition] of Object.entries(bulkIndexes)) {
      if (missing.includes(name)) await transaction.unsafe(`create index if not exists ${name} ${definition}`)
    }
    for (const table of loadedTables)
      await transaction`alter table ${transaction(table)} reset (autovacuum_enabled)`
  })
  return true
}

/** From so many added facts on, the planner is told at once, not when the database gets to it. */
const tidyFrom = 250_000
/** From so many on, the index by metric is written anew: facts come entity by entity, which leaves its pages half full. */
const reindexFrom = 1_000_000

const tables = (sql: Sql) =>
  sql(['fact', 'fact_repeat', 'filing', 'pulled_filing', 'entity', 'entity_ticker'])

/** After an import: statistics, visibility and indexes as many added facts ask for. Nobody waits for it meanwhile, but for
 * indexes that were set aside. */
export async function tidyFacts(sql: Sql, factsAdded: number): Promise<void> {
  if (await writeIndexes(sql)) {
    // To write them was to read all rows; what is left of a vacuum the database does when it gets to it.
    await sql`analyze ${tables(sql)}`
    return
  }
  if (factsAdded < tidyFrom) return
  if (factsAdded >= reindexFrom) {
    // What a reindex that was killed left behind is in nobody's way but takes room.
    const left = await sql<{ name: string }[]>`
      select relname as name from pg_class join pg_index on indexrelid = pg_class.oid
      where relname like 'fact_cross_section_ccnew%' and not indisvalid`
    for (const { name } of left) await sql`drop index concurrently if exists ${sql(name)}`
    await sql`reindex index concurrently fact_cross_section`
  }
  await sql`vacuum (analyze, skip_locked) ${tables(sql)}`
}
