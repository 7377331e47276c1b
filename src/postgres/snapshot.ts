import type { ReservedSql, Sql, SqlClient } from './client.ts'
import { readRouteOf } from './readRoute.ts'

/** A reserved connection in a read-only transaction, so that all its queries see the same data. */
export interface Snapshot {
  readonly connection: ReservedSql
  /** Returns the connection to the pool. Must be called, or the pool loses the connection. */
  release(): Promise<void>
}

/**
 * Runs `work` on a snapshot. `work` must not use the pool itself: with all connections in use it would wait
 * for its own. On a pool with replicas it may run again, on the primary, so it must only read.
 */
export function withSnapshot<T>(sql: Sql, work: (connection: SqlClient) => Promise<T>): Promise<T> {
  return readRouteOf(sql)?.snapshot(work) ?? runInSnapshot(sql, work)
}

/** Like `withSnapshot`, always on this pool's own database. */
export async function runInSnapshot<T>(sql: Sql, work: (connection: SqlClient) => Promise<T>): Promise<T> {
  const snapshot = await openSnapshot(sql)
  try {
    return await work(snapshot.connection)
  } finally {
    await snapshot.release()
  }
}

export async function openSnapshot(sql: Sql, signal?: AbortSignal): Promise<Snapshot> {
  signal?.throwIfAborted()
  const connection = await sql.reserve()
  const release = async () => {
    await connection`rollback`.catch(() => {})
    connection.release()
  }
  try {
    await connection.unsafe('begin isolation level repeatable read read only').simple()
    signal?.throwIfAborted()
    return { connection, release }
  } catch (error) {
    await release()
    throw error
  }
}
