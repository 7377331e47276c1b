import type { Sql } from '../database.ts'

/** The indexes that cost a bulk load more to keep up to date than to write at its end, as the migrations make them. Without
 * them a company is found by its ID and read as ever; a cross-section and a search for a name read whole tables. */
export const bulkIndexes = {
  fact_cross_section: 'on fact (metric_id, entity_id, period_end desc, filed desc)',
  entity_search:
    'on entity using gin (search_terms(market, name, search_name)) with (gin_pending_list_limit = 256)',
} as const

/** Drops them until `writeIndexes`. */
export async function setIndexesAside(sql: Sql): Promise<void> {
  await sql`drop index if exists ${sql(Object.keys(bulkIndexes))}`
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
  })
  return true
}
