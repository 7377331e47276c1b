import type { Sql } from '../client.ts'
import { codeOf } from '../errors.ts'

/** @param name quoted as in `damageQueries.ts` */
export async function rebuildIndex(sql: Sql, name: string): Promise<void> {
  await sql.unsafe(`reindex index concurrently ${name}`)
}

/**
 * PostgreSQL treats a damaged page of a map as empty; a vacuum of every page fills it again. A checkpoint
 * writes it to disk. If the role may not request one, PostgreSQL makes one itself within minutes.
 */
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
