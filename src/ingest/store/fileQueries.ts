import type { Sql, TransactionSql } from '../../postgres/client.ts'

export interface FileReceipt {
  readonly contentKey: string
  readonly name: string
}

/** The keys of every file that was imported to its end. */
export async function readImportedFiles(sql: Sql): Promise<Set<string>> {
  const keys = new Set<string>()
  for await (const rows of sql<{ content_key: string }[]>`select content_key from import_file`.cursor(
    10_000,
  )) {
    for (const row of rows) keys.add(row.content_key)
  }
  return keys
}

export async function recordImportedFiles(
  transaction: TransactionSql,
  files: readonly FileReceipt[],
): Promise<void> {
  if (files.length === 0) return
  await transaction`
    insert into import_file (content_key, name)
    select * from unnest(${files.map(file => file.contentKey)}::text[], ${files.map(file => file.name)}::text[])
    on conflict do nothing`
}

/** Any number will do as long as every importer on one database uses the same. */
const importLock = 0x61736970

/** Holds back other importers until this transaction ends: what it read of an entity is what it replaces. */
export async function takeImportLock(transaction: TransactionSql): Promise<void> {
  await transaction`select pg_advisory_xact_lock(${importLock})`
}

/** Whether every batch on record came from this source. */
export async function isAllFrom(sql: Sql, source: string): Promise<boolean> {
  const [{ others }] = await sql<{ others: boolean }[]>`
    select exists (select from import_batch where source <> ${source}) as others`
  return !others
}

/** Has every statement of this transaction find its rows one by one, by index. A plan is kept while a load goes on, and one
 * that was made when the tables were small would read them whole when they are large. */
export async function planByIndex(transaction: TransactionSql): Promise<void> {
  await transaction`
    select set_config(name, 'off', true) from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) name`
}
