import type { Sql, TransactionSql } from './database.ts'

/** The channel on which every server hears of a new data version. */
export const dataChannel = 'asfiled_data'

export interface Batch {
  source: string
  entities: number
  factsAdded: number
}

export async function readDataVersion(sql: Sql): Promise<number> {
  const [row] = await sql<{ version: string }[]>`select version from data_version`
  return Number(row.version)
}

/** One step of the data version, in the transaction of the batch that causes it: both are seen or neither. */
export async function advanceDataVersion(transaction: TransactionSql, batch: Batch): Promise<number> {
  const [row] = await transaction<{ version: string }[]>`
    update data_version set version = version + 1, changed_at = now() returning version`
  await transaction`
    insert into import_batch (version, source, entities, facts_added)
    values (${row.version}, ${batch.source}, ${batch.entities}, ${batch.factsAdded})`
  await transaction`select pg_notify(${dataChannel}, ${row.version})`
  return Number(row.version)
}
