import type { Sql, TransactionSql } from '../database.ts'

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
