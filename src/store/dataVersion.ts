import type { Sql, Statements } from './database.ts'

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
