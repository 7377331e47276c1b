import type { Sql, TransactionSql } from '../../postgres/client.ts'

export interface FileReceipt {
  readonly contentKey: string
  readonly name: string
}

/** The content keys of all files that were imported completely. */
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

/** Whether every batch on record came from this source. */
export async function isAllFrom(sql: Sql, source: string): Promise<boolean> {
  const [{ others }] = await sql<{ others: boolean }[]>`
    select exists (select from import_batch where source <> ${source}) as others`
  return !others
}

/** An arbitrary number, the same for every importer on one database. */
const importLock = 0x61736970

/**
 * Blocks other importers until this transaction ends. Otherwise one could change an entity between our
 * reading and replacing it.
 */
export async function takeImportLock(transaction: TransactionSql): Promise<void> {
  await transaction`select pg_advisory_xact_lock(${importLock})`
}

/**
 * Makes every query of this transaction look its rows up individually, by index. Plans are cached during a
 * load, and one made while the tables were small would scan them once they are large.
 */
export async function planByIndex(transaction: TransactionSql): Promise<void> {
  await transaction`
    select set_config(name, 'off', true) from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) name`
}

/**
 * Whether the sample is to be loaded now: nothing has ever been imported, or an earlier load of it was
 * interrupted. Records the beginning of the load.
 */
export async function beginSampleLoad(sql: Sql): Promise<boolean> {
  const rows = await sql`
    insert into sample_load
    select where not exists (select from import_batch) or exists (select from sample_load)
    on conflict (only_row) do update set started_at = now() where sample_load.finished_at is null
    returning started_at`
  return rows.length > 0
}

export async function finishSampleLoad(sql: Sql): Promise<void> {
  await sql`update sample_load set finished_at = now()`
}
