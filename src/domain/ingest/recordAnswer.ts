import type { Outcome } from '../../registers/network/askPolitely.ts'
import type { Answer, RegisterRequest } from '../../registers/network/source.ts'
import type { Sql } from '../../store/database.ts'
import { type SyncDocument, saveDocument } from '../../store/sync/syncDocuments.ts'
import { hadAnswer } from './recallAnswer.ts'
import type { Fetched, SyncOptions } from './syncOptions.ts'

type Recorded = Extract<Outcome, { kind: 'fresh' | 'unchanged' | 'missing' }>

/** Keeps what came and records it: first the file, whole, then in one transaction that it is had. An answer that says the
 * same again is not kept twice. */
export async function recordAnswer(
  sql: Sql,
  options: SyncOptions,
  request: RegisterRequest,
  outcome: Recorded,
  known: SyncDocument | null,
  fetched: Fetched,
): Promise<Answer> {
  if (request.fileName === null)
    return outcome.kind === 'fresh' ? { kind: 'fresh', bytes: outcome.bytes } : { kind: 'missing' }
  const { market } = options.source
  const { key, revision } = request
  const confirmedOn = options.today()
  const nothing = { etag: null, lastModified: null, digest: null, path: null }
  switch (outcome.kind) {
    case 'missing':
      fetched.missing++
      await saveDocument(sql, market, { ...nothing, key, revision, missing: true, confirmedOn }, null)
      return { kind: 'missing' }
    case 'unchanged': {
      if (known?.path == null) return { kind: 'failed' }
      fetched.same++
      await saveDocument(sql, market, { ...known, revision, confirmedOn }, null)
      return hadAnswer(options, request, known.path)
    }
    case 'fresh': {
      const { bytes, validators } = outcome
      const digest = `${Bun.hash.xxHash3(bytes).toString(36)}-${bytes.length}`
      const { etag, lastModified } = validators
      const document = { key, revision, missing: false, etag, lastModified, digest, confirmedOn }
      fetched.bytes += bytes.length
      if (known?.path != null && known.digest === digest) {
        fetched.same++
        await saveDocument(sql, market, { ...document, path: known.path }, null)
      } else {
        const path = await options.archive.keep(market, confirmedOn, request.fileName, bytes)
        fetched.kept++
        fetched.keptBytes += bytes.length
        const file = { path, bytes: bytes.length, imports: request.imports, subject: request.subject ?? null }
        await saveDocument(sql, market, { ...document, path }, file)
      }
      return { kind: 'fresh', bytes }
    }
  }
}
