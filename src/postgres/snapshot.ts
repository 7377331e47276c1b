import type { ReservedSql, Sql, Statements } from './client.ts'

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

/** The channel on which every server hears of a new data version. */
export const dataChannel = 'asfiled_data'

export interface Batch {
  source: string
  entities: number
  factsAdded: number
}

export async function readDataVersion(sql: Statements): Promise<number> {
  const [row] = await sql<{ version: string }[]>`select version from data_version`
  return Number(row.version)
}

/** One step of the data version, in the transaction of the batch that causes it: both are seen or neither. */
export async function advanceDataVersion(transaction: Statements, batch: Batch): Promise<number> {
  const [row] = await transaction<{ version: string }[]>`
    update data_version set version = version + 1, changed_at = now() returning version`
  await transaction`
    insert into import_batch (version, source, entities, facts_added)
    values (${row.version}, ${batch.source}, ${batch.entities}, ${batch.factsAdded})`
  await transaction`select pg_notify(${dataChannel}, ${row.version})`
  return Number(row.version)
}

export interface DataVersionWatch {
  /** The version that this server has last heard of. */
  current(): number
  close(): Promise<void>
}

const pollMs = 5_000

/** Follows the data version by NOTIFY. It asks again whenever the listening connection had to be made anew, and
 * every few seconds besides, so a lost message costs seconds and never the truth. */
export async function watchDataVersion(
  sql: Sql,
  onChange: (version: number) => void,
): Promise<DataVersionWatch> {
  let version = await readDataVersion(sql)
  const heard = (next: number) => {
    if (next <= version) return
    version = next
    onChange(next)
  }
  const ask = () => {
    readDataVersion(sql).then(heard, () => {})
  }
  const listener = await sql.listen(dataChannel, payload => heard(Number(payload)), ask)
  const poll = setInterval(ask, pollMs)
  return {
    current: () => version,
    close: async () => {
      clearInterval(poll)
      await listener.unlisten().catch(() => {})
    },
  }
}
