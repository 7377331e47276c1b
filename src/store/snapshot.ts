import type { ReservedSql, Sql, Statements } from './database.ts'

/** A connection of one's own on which every statement sees the same data. */
export interface Snapshot {
  readonly connection: ReservedSql
  /** Gives the connection back. Call it always. */
  end(): Promise<void>
}

/** Statements that all see the same data. `work` takes no other connection: it would wait for itself. */
export async function inSnapshot<T>(sql: Sql, work: (connection: Statements) => Promise<T>): Promise<T> {
  const snapshot = await openSnapshot(sql)
  try {
    return await work(snapshot.connection)
  } finally {
    await snapshot.end()
  }
}

export async function openSnapshot(sql: Sql, signal?: AbortSignal): Promise<Snapshot> {
  signal?.throwIfAborted()
  const connection = await sql.reserve()
  const end = async () => {
    await connection`rollback`.catch(() => {})
    connection.release()
  }
  try {
    await connection.unsafe('begin isolation level repeatable read read only').simple()
    signal?.throwIfAborted()
    return { connection, end }
  } catch (error) {
    await end()
    throw error
  }
}
