import type { Sql, SqlClient, SqlFragment } from './client.ts'

/** An arbitrary lock number that all runs of `sync` on one database share, manual or scheduled. */
const syncLock = 0x61737379

/**
 * Takes the lock that lets one process at a time fetch from a register. Null if another process holds it. The
 * lock ends with its connection, so a killed process leaves none behind.
 */
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

/** Whether any process holds the lock of a market; neither waits for it nor takes it. */
export const isSyncLocked = (sql: SqlClient, market: SqlFragment): SqlFragment => sql`
  exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.granted and l.objsubid = 2
      and l.database = (select oid from pg_database where datname = current_database())
      and l.classid::bigint = ${syncLock} and l.objid::bigint = hashtext(${market})::bigint & 4294967295)`
