import type { IsoDate } from '../../model/date.ts'
import type { Sql } from '../database.ts'

/** What is known of an answer of a register. */
export interface SyncDocument {
  readonly key: string
  readonly revision: string | null
  readonly missing: boolean
  readonly etag: string | null
  readonly lastModified: string | null
  readonly digest: string | null
  readonly path: string | null
  /** The last day on which the register said so. */
  readonly confirmedOn: IsoDate
}

export async function readDocument(sql: Sql, market: string, key: string): Promise<SyncDocument | null> {
  const [row] = await sql<SyncDocument[]>`
    select key, revision, missing, etag, last_modified as "lastModified", digest, path,
      confirmed_on::text as "confirmedOn"
    from sync_document where market = ${market} and key = ${key}`
  return row ?? null
}

/** A file that came with the answer and waits to be imported, or is there to be looked up. */
export interface KeptFile {
  readonly path: string
  readonly bytes: number
  readonly imports: boolean
  readonly subject: string | null
}

/** Records an answer and its file together: one is never known without the other. */
export async function saveDocument(
  sql: Sql,
  market: string,
  document: SyncDocument,
  file: KeptFile | null,
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
