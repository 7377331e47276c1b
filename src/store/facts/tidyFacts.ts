import type { Sql } from '../database.ts'
import { writeIndexes } from './bulkIndexes.ts'

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
