import type { Sql } from '../database.ts'

/** Calls `changed` when a key or a grant changed on any server, and after the line to the database was lost and
 * found again, since news may have been missed. Returns what ends the watch. */
export async function watchAccess(sql: Sql, changed: () => void): Promise<() => Promise<void>> {
  const { unlisten } = await sql.listen('asfiled_access', changed, changed)
  return unlisten
}
