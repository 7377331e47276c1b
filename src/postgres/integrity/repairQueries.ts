import type { Sql } from '../client.ts'
import { codeOf } from '../errors.ts'

/** @param name as `damageQueries.ts` quotes it */
export async function rebuildIndex(sql: Sql, name: string): Promise<void> {
  await sql.unsafe(`reindex index concurrently ${name}`)
}

/** PostgreSQL reads a damaged page of a map as an empty one; a vacuum of every page fills it again. It is on disk after a checkpoint, which
 * PostgreSQL makes within minutes by itself where the role may not. */
export async function rewriteMaps(sql: Sql, name: string): Promise<void> {
  await sql.unsafe(`vacuum (disable_page_skipping) ${name}`)
  await sql.unsafe(`checkpoint`).catch(error => {
    if (codeOf(error) !== '42501') throw error
  })
}

export async function countValidIndexes(sql: Sql, name: string): Promise<number> {
  const [{ count }] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_index where indexrelid = to_regclass(${name}) and indisvalid`
  return count
}
