import { dayNumber } from '../../dates.ts'
import type { Sql } from '../../postgres/client.ts'
import type { FetchOutcome, Validators } from '../network/fetchWithRetry.ts'
import type { RegisterRequest, StepResult } from '../network/source.ts'
import type { FetchSummary, SyncOptions } from './options.ts'
import { readSyncDocument, type SyncDocument, saveSyncDocument } from './queries.ts'

/**
 * A document that the register did not have may appear later, so it is requested again after this many days.
 */
const missingValidDays = 30

interface CachedResponse {
  /** Null if the request must be sent. */
  readonly result: StepResult | null
  /** For a conditional request, so that the register need not send an unchanged document. */
  readonly validators: Validators | null
  readonly known: SyncDocument | null
}

/**
 * Looks up the response to a request in the archive. If a recorded file is gone, it counts as never fetched.
 */
export async function findCached(
  sql: Sql,
  options: SyncOptions,
  request: RegisterRequest,
): Promise<CachedResponse> {
  if (request.fileName === null) return { result: null, validators: null, known: null }
  const known = await readSyncDocument(sql, options.source.market, request.key)
  if (known === null) return { result: null, validators: null, known }
  const isCurrent = request.revision !== null && known.revision === request.revision
  if (known.missing) {
    const ageDays = dayNumber(options.today()) - dayNumber(known.confirmedOn)
    const isValid = isCurrent && ageDays < missingValidDays
    return { result: isValid ? { kind: 'missing' } : null, validators: null, known }
  }
  if (known.path === null || !(await options.archive.has(known.path)))
    return { result: null, validators: null, known: null }
  if (isCurrent) return { result: await cachedResult(options, request, known.path), validators: known, known }
  return { result: null, validators: request.method === 'POST' ? null : known, known }
}

/** Includes the file's bytes if the plan reads them. */
async function cachedResult(
  options: SyncOptions,
  request: RegisterRequest,
  path: string,
): Promise<StepResult> {
  const bytes = request.requiredByPlan || request.readByPlan ? await options.archive.read(path) : null
  return bytes === null ? { kind: 'cached' } : { kind: 'fresh', bytes }
}

type StorableOutcome = Extract<FetchOutcome, { kind: 'fresh' | 'unchanged' | 'missing' }>

/**
 * Stores a response: first the whole file, then one transaction that records it, so that a recorded file is
 * always complete. A response equal to the previous one is not stored again.
 */
export async function saveResponse(
  sql: Sql,
  options: SyncOptions,
  request: RegisterRequest,
  outcome: StorableOutcome,
  known: SyncDocument | null,
  fetched: FetchSummary,
): Promise<StepResult> {
  if (request.fileName === null)
    return outcome.kind === 'fresh' ? { kind: 'fresh', bytes: outcome.bytes } : { kind: 'missing' }
  const { market } = options.source
  const { key, revision } = request
  const confirmedOn = options.today()
  switch (outcome.kind) {
    case 'missing': {
      fetched.missing++
      const nothing = { etag: null, lastModified: null, digest: null, path: null }
      await saveSyncDocument(sql, market, { ...nothing, key, revision, missing: true, confirmedOn }, null)
      return { kind: 'missing' }
    }
    case 'unchanged': {
      if (known?.path == null) return { kind: 'failed' }
      fetched.unchanged++
      await saveSyncDocument(sql, market, { ...known, revision, confirmedOn }, null)
      return cachedResult(options, request, known.path)
    }
    case 'fresh': {
      const { bytes, validators } = outcome
      const digest = `${Bun.hash.xxHash3(bytes).toString(36)}-${bytes.length}`
      const { etag, lastModified } = validators
      const document = { key, revision, missing: false, etag, lastModified, digest, confirmedOn }
      fetched.bytes += bytes.length
      if (known?.path != null && known.digest === digest) {
        fetched.unchanged++
        await saveSyncDocument(sql, market, { ...document, path: known.path }, null)
      } else {
        const path = await options.archive.save(market, confirmedOn, request.fileName, bytes)
        fetched.saved++
        fetched.savedBytes += bytes.length
        const file = { path, bytes: bytes.length, imports: request.imports, subject: request.subject ?? null }
        await saveSyncDocument(sql, market, { ...document, path }, file)
      }
      return { kind: 'fresh', bytes }
    }
  }
}
