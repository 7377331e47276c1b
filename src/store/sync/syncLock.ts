import type { Sql } from '../database.ts'

/** Any number will do as long as every `sync` on one database uses the same. */
const syncLock = 0x61737379

/** Lets one process at a time fetch from a market's register; null where another does. The lock ends with its connection,
 * however the process ends. */
export async function takeSyncLock(sql: Sql, market: string): Promise<{ release(): Promise<void> } | null> {
  const connection = await sql.reserve()
  const [row] = await connection<{ taken: boolean }[]>`
    select pg_try_advisory_lock(${syncLock}, hashtext(${market})) as taken`
  if (!row.taken) {
    connection.release()
    return null
  }
  return {
    release: async () => {
      await connection`select pg_advisory_unlock(${syncLock}, hashtext(${market}))`.catch(() => {})
      connection.release()
    },
  }
}
