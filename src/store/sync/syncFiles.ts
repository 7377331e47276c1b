import type { IsoDate } from '../../model/date.ts'
import type { Sql } from '../database.ts'

export interface WaitingFile {
  readonly path: string
  readonly pulledOn: IsoDate
  readonly bytes: number
  readonly subject: string | null
}

/** Files that wait for the importer after `after`, in the order in which they came: by day, then path. */
export async function readWaitingFiles(
  sql: Sql,
  market: string,
  after: WaitingFile | null,
  limit: number,
): Promise<readonly WaitingFile[]> {
  const from = after?.pulledOn ?? '0001-01-01'
  return sql<WaitingFile[]>`
    select path, pulled_on::text as "pulledOn", bytes::float8 as bytes, subject from sync_file
    where market = ${market} and imported_at is null and (pulled_on, path) > (${from}::date, ${after?.path ?? ''})
    order by pulled_on, path limit ${limit}`
}

/** All files of some subjects, imported or not. */
export async function readFilesOfSubjects(
  sql: Sql,
  market: string,
  subjects: readonly string[],
): Promise<readonly string[]> {
  if (subjects.length === 0) return []
  const rows = await sql<{ path: string }[]>`
    select path from sync_file where market = ${market} and subject = any(${subjects}::text[])
    order by pulled_on, path`
  return rows.map(row => row.path)
}

export async function countWaitingFiles(sql: Sql, market: string): Promise<number> {
  const [row] = await sql<{ files: number }[]>`
    select count(*)::int as files from sync_file where market = ${market} and imported_at is null`
  return row.files
}

export async function markImported(sql: Sql, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  await sql`update sync_file set imported_at = now() where path = any(${paths}::text[])`
}
