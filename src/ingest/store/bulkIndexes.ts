import { Failure } from '../../errors.ts'
import type { Sql } from '../../postgres/client.ts'

/**
 * The indexes that a bulk load drops, with their definitions from the migrations. Updating them would cost
 * more than creating them at the end. Without them a company is still found by its ID and read by index, but
 * cross-sections and name searches scan whole tables.
 */
export const secondaryIndexes = {
  fact_cross_section: 'on fact (metric_id, entity_id, period_end desc, filed desc) where fp < 5',
  entity_names:
    'on entity using gin (name_terms(market, name, search_name)) with (gin_pending_list_limit = 256)',
} as const

/**
 * Tables of facts, and tables of companies and filings, which are maintained at the same time after a bulk load. Each
 * part has one of the indexes. Earlier data versions are read from the tables whose names end in `_past`.
 */
const loadedParts = [
  { index: 'fact_cross_section', loaded: ['fact', 'fact_repeat'], others: ['fact_past'] },
  {
    index: 'entity_names',
    loaded: ['filing', 'entity', 'entity_ticker'],
    others: ['pulled_filing', 'whole_filing', 'filing_past', 'entity_past', 'entity_ticker_past'],
  },
] as const

const lockTimeoutS = 10

/**
 * Drops the secondary indexes until `createMissingIndexes`, and turns autovacuum off for the tables until
 * then: it would scan them repeatedly as they grow.
 */
export async function dropSecondaryIndexes(sql: Sql): Promise<void> {
  const dropped = sql.begin(async transaction => {
    // Dropping an index waits for the readers of its table, and new readers queue behind it, so the wait is
    // kept short.
    await transaction`select set_config('lock_timeout', ${`${lockTimeoutS}s`}, true)`
    for (const table of loadedParts.flatMap(({ loaded }) => loaded))
      await transaction`alter table ${transaction(table)} set (autovacuum_enabled = false)`
    await transaction`drop index if exists ${transaction(Object.keys(secondaryIndexes))}`
  })
  await dropped.catch(error => {
    if (error.code !== '55P03') throw error
    throw new Failure(
      'conflict',
      `Another connection has been reading the facts for more than ${lockTimeoutS} s. Run the command again, or without --bulk.`,
      { cause: error },
    )
  })
}

/** The secondary indexes that do not exist, because a bulk load is in progress or was killed. */
export async function findMissingIndexes(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from unnest(${Object.keys(secondaryIndexes)}::text[]) name where to_regclass(name) is null`
  return rows.map(row => row.name)
}

/**
 * Creates the missing indexes, and updates the statistics of all loaded tables if any were missing. Importers wait for
 * the indexes, readers do not. Returns whether any were missing.
 */
export async function createMissingIndexes(sql: Sql): Promise<boolean> {
  const missing = await findMissingIndexes(sql)
  if (missing.length === 0) return false
  await settled(
    loadedParts.map(async ({ index, loaded, others }) => {
      if (missing.includes(index)) {
        await sql.begin(async transaction => {
          await transaction`set local maintenance_work_mem = '128MB'`
          // Before the index, because this lock excludes another command that does the same. Two of them could
          // create an index at the same time, and each would then wait for the other to reset its table.
          for (const table of loaded)
            await transaction`alter table ${transaction(table)} reset (autovacuum_enabled)`
          await transaction.unsafe(`create index if not exists ${index} ${secondaryIndexes[index]}`)
        })
      }
      // Creating an index has read all rows; autovacuum does the rest in its own time.
      await sql`analyze ${sql([...loaded, ...others])}`
    }),
  )
  return true
}

/** Waits for all, so that nothing runs on when the first failure is thrown. */
async function settled(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason
}

/** After this many added facts the planner gets new statistics at once instead of waiting for autovacuum. */
const vacuumFromFacts = 250_000
/**
 * After this many, the cross-section index is rebuilt: facts arrive entity by entity, which leaves its pages
 * half full.
 */
const reindexFromFacts = 1_000_000

/**
 * Maintenance after an import: updates statistics, visibility map and indexes, as the number of added facts
 * requires. It blocks no reader; importers only wait while dropped indexes are created.
 */
export async function maintainFactTables(sql: Sql, factsAdded: number): Promise<void> {
  if (await createMissingIndexes(sql)) return
  if (factsAdded < vacuumFromFacts) return
  if (factsAdded >= reindexFromFacts) {
    // A killed reindex leaves an invalid index behind, which blocks nothing but takes space.
    const left = await sql<{ name: string }[]>`
      select relname as name from pg_class join pg_index on indexrelid = pg_class.oid
      where relname like 'fact_cross_section_ccnew%' and not indisvalid`
    for (const { name } of left) await sql`drop index concurrently if exists ${sql(name)}`
    await sql`reindex index concurrently fact_cross_section`
  }
  const tables = loadedParts.flatMap(({ loaded, others }) => [...loaded, ...others])
  await sql`vacuum (analyze, skip_locked) ${sql(tables)}`
}
