import { dayNumber } from '../../model/date.ts'
import type { Validators } from '../../registers/network/askPolitely.ts'
import type { Answer, RegisterRequest } from '../../registers/network/source.ts'
import type { Sql } from '../../store/database.ts'
import { readDocument, type SyncDocument } from '../../store/sync/syncDocuments.ts'
import type { SyncOptions } from './syncOptions.ts'

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
