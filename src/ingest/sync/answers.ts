import { dayNumber } from '../../dates.ts'
import type { Sql } from '../../postgres/client.ts'
import type { Outcome, Validators } from '../network/fetch.ts'
import type { Answer, RegisterRequest } from '../network/source.ts'
import type { Fetched, SyncOptions } from './options.ts'
import { readDocument, type SyncDocument, saveDocument } from './queries.ts'

/** What a register did not have may come: so many days later it is asked again, where a plan still wants it. */
const missingCountsForDays = 30

export interface Recalled {
  /** null: the register has to be asked. */
  readonly answer: Answer | null
  /** To be sent along, so that it need not say again what it said. */
  readonly validators: Validators | null
  readonly known: SyncDocument | null
}

/** Looks for the answer to a request among what is had. A file that is gone from the archive is not had. */
export async function recallAnswer(
  sql: Sql,
  options: SyncOptions,
  request: RegisterRequest,
): Promise<Recalled> {
  if (request.fileName === null) return { answer: null, validators: null, known: null }
  const known = await readDocument(sql, options.source.market, request.key)
  if (known === null) return { answer: null, validators: null, known }
  const isCurrent = request.revision !== null && known.revision === request.revision
  if (known.missing) {
    const age = dayNumber(options.today()) - dayNumber(known.confirmedOn)
    const counts = isCurrent && age < missingCountsForDays
    return { answer: counts ? { kind: 'missing' } : null, validators: null, known }
  }
  if (known.path === null || !(await options.archive.has(known.path)))
    return { answer: null, validators: null, known: null }
  if (isCurrent) return { answer: await hadAnswer(options, request, known.path), validators: known, known }
  return { answer: null, validators: request.method === 'POST' ? null : known, known }
}

/** What was said before: its bytes where the plan reads on from them. */
export async function hadAnswer(
  options: SyncOptions,
  request: RegisterRequest,
  path: string,
): Promise<Answer> {
  const bytes = request.needed || request.reads ? await options.archive.read(path) : null
  return bytes === null ? { kind: 'had' } : { kind: 'fresh', bytes }
}

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
