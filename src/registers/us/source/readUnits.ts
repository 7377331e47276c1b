import { Failure } from '../../../errors.ts'
import type { Contribution } from '../../../model/statement.ts'
import { concepts } from '../concepts.ts'
import { readDocument } from '../contribution.ts'
import { readDataSet } from './dataSet.ts'
import { locateJsonFault } from './jsonFault.ts'
import type { SourceFile } from './listFiles.ts'
import { type Entry, messageOf, openZip, readEntry, type ZipFile } from './zip.ts'

export interface ReadProgress {
  /** Bytes of the files named, as far as they were worked through. */
  bytesRead: number
  documents: number
  /** Documents that an earlier import had read to their end. */
  documentsKnown: number
  figuresRead: number
  malformed: number
  /** Figures over a period that no fiscal year has. */
  unplaced: number
  skipped: SkippedDocument[]
  /** Called whenever some of the above has changed. */
  readonly changed: () => void
}

export const startReading = (changed: () => void = () => {}): ReadProgress => ({
  changed,
  bytesRead: 0,
  documents: 0,
  documentsKnown: 0,
  figuresRead: 0,
  malformed: 0,
  unplaced: 0,
  skipped: [],
})

export interface SkippedDocument {
  readonly name: string
  readonly reason: string
}

export interface ReadUnit {
  readonly contributions: readonly Contribution[]
  /** Given with the last of what a document contributes. */
  readonly receipt?: { readonly contentKey: string; readonly name: string }
}

/** A larger document is refused: parsing takes several times its size of memory. Apple's companyfacts, sixteen
 * years of filings, have 4 MB. */
export const largestDocumentBytes = 48 * 1024 * 1024

/** A document of more brackets than one in so many bytes is refused: each costs far more memory than its byte, and
 * a figure of the register has at least three times as many. */
const leastBytesPerBracket = 32

/** Two documents with the same key say the same. The table of tags is part of it: a document is read again once
 * the service understands more of it. */
const mappingKey = Bun.hash.xxHash3(JSON.stringify(concepts)).toString(36)

/** Reads files and zips one document at a time. What cannot be read is reported in `progress` and passed over. */
export async function* readUnits(
  files: readonly SourceFile[],
  known: ReadonlySet<string>,
  progress: ReadProgress,
): AsyncGenerator<ReadUnit> {
  for (const file of files) {
    const before = progress.bytesRead
    if (/\.zip$/i.test(file.path)) yield* readZip(file, known, progress)
    else {
      yield* readGuarded(file.path, progress, async () => {
        refuseLarge(file.bytes)
        const bytes = await Bun.file(file.path).bytes()
        const key = `${Bun.hash.xxHash3(bytes).toString(36)}-${bytes.length}-${mappingKey}`
        return known.has(key) ? 'known' : readJson(bytes, key, file.path, progress)
      })
    }
    progress.bytesRead = before + file.bytes
    progress.changed()
  }
}

async function* readZip(
  file: SourceFile,
  known: ReadonlySet<string>,
  progress: ReadProgress,
): AsyncGenerator<ReadUnit> {
  let zip: ZipFile
  try {
    zip = await openZip(file.path)
  } catch (error) {
    progress.skipped.push({ name: file.path, reason: messageOf(error) })
    return
  }
  const parts = new Map<string, Entry>()
  let documents = 0
  const before = progress.bytesRead
  try {
    for await (const entry of zip.eachEntry()) {
      const name = `${file.path}!${entry.fileName}`
      if (/(^|\/)(sub|num)\.(txt|tsv)$/.test(entry.fileName)) {
        parts.set(entry.fileName.replace(/^.*\//, '').slice(0, 3), entry)
        continue
      }
      if (!/\.json$/i.test(entry.fileName)) continue
      documents++
      const key = `${entry.crc32.toString(36)}-${entry.uncompressedSize}-${entry.fileName}-${mappingKey}`
      yield* readGuarded(name, progress, async () => {
        if (known.has(key)) return 'known'
        refuseLarge(entry.uncompressedSize)
        return readJson(await readEntry(zip, entry), key, name, progress)
      })
      progress.bytesRead =
        before + Math.min(file.bytes, entry.relativeOffsetOfLocalHeader + entry.compressedSize)
      progress.changed()
    }
    const sub = parts.get('sub')
    const num = parts.get('num')
    if (sub !== undefined && num !== undefined) {
      const key = `${sub.crc32.toString(36)}-${num.crc32.toString(36)}-${num.uncompressedSize}-${mappingKey}`
      yield* readDataSet(
        zip,
        { sub, num, bytes: file.bytes, name: file.path, contentKey: key },
        known,
        progress,
      )
    } else if (documents === 0) {
      progress.skipped.push({
        name: file.path,
        reason: 'There is neither a .json document nor sub.txt and num.txt in this zip.',
      })
    }
  } catch (error) {
    if (!isZipFault(error)) throw error
    progress.skipped.push({ name: file.path, reason: `The zip cannot be read any further: ${error.message}` })
  } finally {
    zip.close()
  }
}

async function* readGuarded(
  name: string,
  progress: ReadProgress,
  read: () => Promise<ReadUnit | 'known'>,
): AsyncGenerator<ReadUnit> {
  let unit: ReadUnit | 'known'
  try {
    unit = await read()
  } catch (error) {
    if (!(error instanceof Failure) && !isFileFault(error)) throw error
    progress.skipped.push({ name, reason: messageOf(error) })
    return
  }
  progress.documents++
  if (unit === 'known') progress.documentsKnown++
  else yield unit
}

/** What yauzl throws of a damaged zip is a plain Error; a TypeError and its like are defects of ours. */
const isZipFault = (error: unknown): error is Error =>
  error instanceof Failure || isFileFault(error) || (error instanceof Error && error.name === 'Error')

/** The file system's own faults (no permission, gone) concern one file. */
const isFileFault = (error: unknown): error is Error => error instanceof Error && 'syscall' in error

function refuseLarge(bytes: number): void {
  if (bytes <= largestDocumentBytes) return
  throw new Failure(
    'body_too_large',
    `The document has ${Math.ceil(bytes / 1e6)} MB; at most ${Math.floor(largestDocumentBytes / 1e6)} MB are read. Split it by entity.`,
  )
}

function readJson(bytes: Uint8Array, contentKey: string, name: string, progress: ReadProgress): ReadUnit {
  const content = readDocument(parseJson(bytes), name)
  progress.figuresRead += content.figuresRead
  progress.malformed += content.malformed
  return { contributions: content.contributions, receipt: { contentKey, name } }
}

function refuseDense(bytes: Uint8Array): void {
  const most = Math.max(100_000, bytes.length / leastBytesPerBracket)
  let brackets = 0
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0x7b || bytes[at] === 0x5b) brackets++
  if (brackets <= most) return
  throw new Failure(
    'body_invalid',
    `The document opens ${brackets} brackets in ${bytes.length} bytes; no document of the register does.`,
  )
}

/** Before a document of this size the remains of the one before are cleared away at once, so that two never lie
 * in memory together. */
const clearsMemoryBytes = 8 * 1024 * 1024

function parseJson(bytes: Uint8Array): unknown {
  refuseDense(bytes)
  if (bytes.length >= clearsMemoryBytes) Bun.gc(true)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('body_invalid', 'The document is not UTF-8.')
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    const fault = locateJsonFault(text)
    if (fault === null) throw new Failure('body_invalid', messageOf(error))
    const { line, column, byte, message } = fault
    throw new Failure('body_invalid', `line ${line}, column ${column} (byte ${byte}): ${message}.`)
  }
}
