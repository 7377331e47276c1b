import { Failure } from '../../errors.ts'
import { messageOf, unpackGzip } from '../reading/archives.ts'
import type { ReadProgress, ReadUnit } from '../reading/progress.ts'
import {
  type DocumentContent,
  maxDocumentBytes,
  type Register,
  type SourceDocument,
} from '../registers/registerInterface.ts'
import type { SourceFile } from './listFiles.ts'

/** Everything that reading the files of one import needs. */
export interface ReadContext {
  readonly register: Register
  readonly read: Register['readDocument']
  /** Part of each content key, so that documents are read again once the service understands more of them. */
  readonly version: string
  /** The content keys of everything that an earlier run read completely. */
  readonly known: ReadonlySet<string>
  readonly progress: ReadProgress
  /** The documents that wait for others, by file; null during the second and last reading of these. */
  readonly waiting: Map<string, Set<string>> | null
}

/** Bounds the memory for the names of documents that wait for others. */
const maxWaiting = 2_000_000

/** Reads one document. 'waits' means that it must be read again after all others. */
export function readDocument(
  { register, read, progress, waiting }: ReadContext,
  file: SourceFile,
  { name, bytes }: SourceDocument,
  contentKey: string,
): ReadUnit | 'waits' {
  const document = /\.gz$/i.test(name)
    ? { name: withoutGz(name), bytes: unpackGzip(bytes, maxBytesOf(register)) }
    : { name, bytes }
  const content = read(document)
  if ((content.waits || content.isTentative) && waiting !== null) {
    const names = waiting.get(file.path) ?? new Set()
    waiting.set(file.path, names.add(name))
    if (names.size > maxWaiting) {
      throw new Failure(
        'body_too_large',
        `More than ${maxWaiting} documents of this zip depend on other documents. Split the zip.`,
      )
    }
    return 'waits'
  }
  addContent(progress, name, content)
  const isRecorded = !content.waits && !content.isAlwaysRead
  return {
    parsed: content.parsed,
    ...(content.statements === undefined ? {} : { statements: content.statements }),
    ...(content.wholeFilings === undefined ? {} : { wholeFilings: content.wholeFilings }),
    ...(isRecorded ? { receipt: { contentKey, name } } : {}),
  }
}

/** Adds what a document states to the counts of the import. */
export function addContent(progress: ReadProgress, name: string, content: DocumentContent): void {
  progress.figuresRead += content.figuresRead
  progress.malformed += content.malformed
  if (content.faults !== undefined) progress.faults.merge(name, content.faults)
  if (content.contradictions !== undefined) progress.contradictions.merge(name, content.contradictions)
  progress.unplaced += content.unplaced ?? 0
  for (const [reason, count] of Object.entries(content.leftOut ?? {})) addLeftOut(progress, reason, count)
}

/**
 * Runs `read` for one document. Faults of the document or its file are reported in `progress`, so that
 * everything else is imported; other errors are thrown.
 */
export async function* reportFaults(
  name: string,
  progress: ReadProgress,
  read: () => Promise<ReadUnit | 'known' | 'waits'>,
): AsyncGenerator<ReadUnit> {
  let unit: ReadUnit | 'known' | 'waits'
  try {
    unit = await read()
  } catch (error) {
    if (!(error instanceof Failure) && !isFileFault(error)) throw error
    progress.skipped.push({ name, reason: messageOf(error) })
    return
  }
  if (unit === 'waits') return
  progress.documents++
  if (unit === 'known') progress.documentsUnchanged++
  else yield unit
}

/** Errors of the file system (no permission, deleted) concern one file. */
export const isFileFault = (error: unknown): error is Error => error instanceof Error && 'syscall' in error

export function refuseLarge(register: Register, bytes: number): void {
  const maxBytes = maxBytesOf(register)
  if (bytes <= maxBytes) return
  throw new Failure(
    'body_too_large',
    `The document is ${Math.ceil(bytes / 1e6)} MB; the limit is ${Math.floor(maxBytes / 1e6)} MB. Split it by company.`,
  )
}

export const maxBytesOf = (register: Register) => register.maxDocumentBytes ?? maxDocumentBytes

export const withoutGz = (name: string) => name.replace(/\.gz$/i, '')

export function addLeftOut({ leftOut }: ReadProgress, reason: string, more: number): void {
  if (more > 0) leftOut.set(reason, (leftOut.get(reason) ?? 0) + more)
}
