import type { IsoDate } from '../../dates.ts'
import type { Sql } from '../../postgres/client.ts'

/**
 * Where the runs of a market stopped, by name. Excludes the cursors of companies, of which there may be
 * millions.
 */
export async function readCursors(sql: Sql, market: string): Promise<Map<string, string>> {
  const rows = await sql<{ name: string; position: string }[]>`
    select name, position from sync_cursor where market = ${market} and name not like 'company %'`
  return new Map(rows.map(row => [row.name, row.position]))
}

export async function saveCursor(sql: Sql, market: string, name: string, position: string): Promise<void> {
  await sql`
    insert into sync_cursor (market, name, position) values (${market}, ${name}, ${position})
    on conflict (market, name) do update set position = excluded.position`
}

/** What is recorded about the latest response under a key. */
export interface SyncDocument {
  readonly key: string
  readonly revision: string | null
  readonly missing: boolean
  readonly etag: string | null
  readonly lastModified: string | null
  readonly digest: string | null
  readonly path: string | null
  /** The last day on which the register sent or confirmed it. */
  readonly confirmedOn: IsoDate
}

export async function readSyncDocument(sql: Sql, market: string, key: string): Promise<SyncDocument | null> {
  const [row] = await sql<SyncDocument[]>`
    select key, revision, missing, etag, last_modified as "lastModified", digest, path,
      confirmed_on::text as "confirmedOn"
    from sync_document where market = ${market} and key = ${key}`
  return row ?? null
}

/** A new file in the archive. Without `imports` it does not wait for an import. */
interface ArchivedFile {
  readonly path: string
  readonly bytes: number
  readonly imports: boolean
  readonly subject: string | null
}

/** Records a response and its file in one transaction, so that neither is ever known without the other. */
export async function saveSyncDocument(
  sql: Sql,
  market: string,
  document: SyncDocument,
  file: ArchivedFile | null,
): Promise<void> {
  const { key, revision, missing, etag, lastModified, digest, path, confirmedOn: day } = document
  await sql.begin(async transaction => {
    await transaction`
      insert into sync_document
        (market, key, revision, missing, etag, last_modified, digest, path, confirmed_on)
      values (${market}, ${key}, ${revision}, ${missing}, ${etag}, ${lastModified}, ${digest}, ${path}, ${day})
      on conflict (market, key) do update set
        revision = excluded.revision, missing = excluded.missing, etag = excluded.etag,
        last_modified = excluded.last_modified, digest = excluded.digest, path = excluded.path,
        confirmed_on = excluded.confirmed_on`
    if (file === null) return
    await transaction`
      insert into sync_file (path, market, pulled_on, bytes, subject, imported_at)
      values (
        ${file.path}, ${market}, ${day}, ${file.bytes}, ${file.subject},
        case when ${file.imports} then null else now() end
      )
      on conflict (path) do update set bytes = excluded.bytes, imported_at = excluded.imported_at`
  })
}

export interface WaitingFile {
  readonly path: string
  readonly pulledOn: IsoDate
  readonly bytes: number
  readonly subject: string | null
}

/** Files that wait for an import, ordered by day and path, starting after `after`. */
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

/** All files of these subjects, imported or not. */
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

/**
 * The next companies of a market that are not done for the day, ordered by number.
 *
 * @param after the last number of the previous page; empty to start at the beginning
 */
export async function readWaitingCompanies(
  sql: Sql,
  market: string,
  { after, today, limit }: { readonly after: string; readonly today: IsoDate; readonly limit: number },
): Promise<string[]> {
  const rows = await sql<{ issuer_id: string }[]>`
    select e.issuer_id from entity e
    where e.market = ${market} and e.issuer_id > ${after} and not exists (
      select from sync_cursor c
      where c.market = ${market} and c.name = 'company ' || e.issuer_id and c.position = ${today}
    )
    order by e.issuer_id limit ${limit}`
  return rows.map(row => row.issuer_id)
}

/** The given companies without those that are done for the day, in the given order. */
export async function withoutDoneCompanies(
  sql: Sql,
  market: string,
  numbers: readonly string[],
  today: IsoDate,
): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from sync_cursor
    where market = ${market} and position = ${today} and name = any(${numbers.map(number => `company ${number}`)})`
  const done = new Set(rows.map(row => row.name))
  return numbers.filter(number => !done.has(`company ${number}`))
}

/** True if the database has any company of the market. */
export async function hasCompanies(sql: Sql, market: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists(select from entity where market = ${market}) as found`
  return row.found
}
