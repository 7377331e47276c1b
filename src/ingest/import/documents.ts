import { Failure } from '../../errors.ts'
import { type Entry, messageOf, openZip, readEntry, unpackGzip, type ZipFile } from '../reading/archives.ts'
import type { ReadProgress, ReadUnit, SkippedDocument } from '../reading/progress.ts'
import {
  largestDocumentBytes,
  type PackedSet,
  type Register,
  type SetReport,
  type SourceDocument,
} from '../registers/register.ts'
import type { SourceFile } from './files.ts'

/** A zip of more entries is no set that makes sense together only, and its list is not held in memory: SEC's bulk files
 * have a million. */
const mostEntriesOfSet = 20_000

/** Of documents that wait for others no more are remembered: their names take memory. */
const mostWaiting = 2_000_000

/** What reading the files of one import needs. */
interface Reading {
  readonly register: Register
  readonly read: Register['readDocument']
  /** Two documents with the same key say the same; they are read again once the service understands more of them. */
  readonly mapping: string
  readonly known: ReadonlySet<string>
  readonly progress: ReadProgress
  /** The documents that wait for others, by file; null while these are read for the second and last time. */
  readonly waiting: Map<string, Set<string>> | null
}

/** Reads files and zips of a register one document at a time. What cannot be read is reported in `progress` and passed
 * over; what an earlier run read to its end (`known`) is not read again. */
export async function* readUnits(
  register: Register,
  files: readonly SourceFile[],
  known: ReadonlySet<string>,
  progress: ReadProgress,
): AsyncGenerator<ReadUnit> {
  const mapping = Bun.hash.xxHash3(register.mapping).toString(36)
  const read = register.readTogether?.() ?? register.readDocument
  const waiting = new Map<string, Set<string>>()
  const reading: Reading = { register, read, mapping, known, progress, waiting }
  for (const file of files) {
    const before = progress.bytesRead
    yield* readFile(reading, file, null)
    progress.bytesRead = before + file.bytes
    progress.changed()
  }
  for (const file of files) {
    const names = waiting.get(file.path)
    if (names === undefined) continue
    waiting.delete(file.path)
    const before = progress.bytesRead
    yield* readFile({ ...reading, waiting: null }, file, names)
    progress.bytesRead = before
    progress.changed()
  }
}

/** @param only the documents to read; null: all */
async function* readFile(
  reading: Reading,
  file: SourceFile,
  only: ReadonlySet<string> | null,
): AsyncGenerator<ReadUnit> {
  if (/\.zip$/i.test(file.path)) {
    yield* readZip(reading, file, only)
    return
  }
  yield* readGuarded(file.path, reading.progress, async () => {
    refuseLarge(reading.register, file.bytes)
    const bytes = await Bun.file(file.path).bytes()
    const key = `${Bun.hash.xxHash3(bytes).toString(36)}-${bytes.length}-${reading.mapping}`
    if (reading.known.has(key)) return 'known'
    return readDocument(reading, file, { name: file.path, bytes }, key)
  })
}

async function* readZip(
  reading: Reading,
  file: SourceFile,
  only: ReadonlySet<string> | null,
): AsyncGenerator<ReadUnit> {
  const { register, mapping, known, progress } = reading
  let zip: ZipFile
  try {
    zip = await openZip(file.path)
  } catch (error) {
    progress.skipped.push({ name: file.path, reason: messageOf(error) })
    return
  }
  const before = progress.bytesRead
  try {
    // What is wrong with a name was told when the zip was gone through first.
    const named = namedEntries(zip, file.path, only === null ? progress.skipped : [])
    const listed = zip.entryCount <= mostEntriesOfSet ? await Array.fromAsync(named) : null
    if (listed !== null && register.readSet) {
      const set: PackedSet = { path: file.path, bytes: file.bytes, zip, entries: listed }
      const units = register.readSet(set, setReport(file, mapping, known, progress))
      if (units !== null) {
        progress.documents++
        for await (const unit of units) yield withMapping(unit, mapping)
        return
      }
    }
    let documents = 0
    for await (const entry of listed ?? named) {
      if (!register.documentNames.test(withoutGz(entry.fileName))) continue
      documents++
      const name = `${file.path}!${entry.fileName}`
      if (only !== null && !only.has(name)) continue
      const key = `${entry.crc32.toString(36)}-${entry.uncompressedSize}-${entry.fileName}-${mapping}`
      yield* readGuarded(name, progress, async () => {
        if (known.has(key)) return 'known'
        // Either size may be a lie, and both are held.
        refuseLarge(register, Math.max(entry.uncompressedSize, entry.compressedSize))
        return readDocument(reading, file, { name, bytes: await readEntry(zip, entry) }, key)
      })
      progress.bytesRead =
        before + Math.min(file.bytes, entry.relativeOffsetOfLocalHeader + entry.compressedSize)
      progress.changed()
    }
    if (documents === 0) {
      progress.skipped.push({ name: file.path, reason: 'There is no document of the register in this zip.' })
    }
  } catch (error) {
    if (!isZipFault(error)) throw error
    // The second reading of a damaged zip ends where the first one did.
    if (progress.skipped.some(({ name }) => name === file.path)) return
    progress.skipped.push({ name: file.path, reason: `The zip cannot be read any further: ${error.message}` })
  } finally {
    zip.close()
  }
}

/** A document's name is part of what it is recorded by. */
const longestName = 500

/** The entries of a zip whose names can be recorded: no file is called otherwise, and the database would refuse it. */
async function* namedEntries(zip: ZipFile, path: string, skipped: SkippedDocument[]): AsyncGenerator<Entry> {
  for await (const entry of zip.eachEntry()) {
    const { fileName } = entry
    if (fileName.length <= longestName && !/\p{Cc}/u.test(fileName)) {
      yield entry
      continue
    }
    const name = `${path}!${fileName.slice(0, 100).replace(/\p{Cc}/gu, '?')}`
    const reason = `The entry's name has control characters or more than ${longestName} characters.`
    skipped.push({ name, reason })
  }
}

const withMapping = (unit: ReadUnit, mapping: string): ReadUnit =>
  unit.receipt === undefined
    ? unit
    : { ...unit, receipt: { ...unit.receipt, contentKey: `${unit.receipt.contentKey}-${mapping}` } }

function setReport(
  file: SourceFile,
  mapping: string,
  known: ReadonlySet<string>,
  progress: ReadProgress,
): SetReport {
  const before = progress.bytesRead
  return {
    isKnown: contentKey => {
      const found = known.has(`${contentKey}-${mapping}`)
      if (found) progress.documentsKnown++
      return found
    },
    figures: more => {
      progress.figuresRead += more
    },
    unplaced: more => {
      progress.unplaced += more
    },
    malformed: more => {
      progress.malformed += more
    },
    leftOut: (reason, more) => addLeftOut(progress, reason, more),
    skip: (name, reason) => progress.skipped.push({ name, reason }),
    progress: share => {
      progress.bytesRead = before + share * file.bytes
      progress.changed()
    },
  }
}

async function* readGuarded(
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
  if (unit === 'known') progress.documentsKnown++
  else yield unit
}

/** What yauzl throws of a damaged zip is a plain Error; a TypeError and its like are defects of ours. */
const isZipFault = (error: unknown): error is Error =>
  error instanceof Failure || isFileFault(error) || (error instanceof Error && error.name === 'Error')

/** The file system's own faults (no permission, gone) concern one file. */
const isFileFault = (error: unknown): error is Error => error instanceof Error && 'syscall' in error

const mostBytes = (register: Register) => register.largestDocumentBytes ?? largestDocumentBytes

function refuseLarge(register: Register, bytes: number): void {
  const most = mostBytes(register)
  if (bytes <= most) return
  throw new Failure(
    'body_too_large',
    `The document has ${Math.ceil(bytes / 1e6)} MB; at most ${Math.floor(most / 1e6)} MB are read. Split it by entity.`,
  )
}

const withoutGz = (name: string) => name.replace(/\.gz$/i, '')

function readDocument(
  { register, read, progress, waiting }: Reading,
  file: SourceFile,
  { name, bytes }: SourceDocument,
  contentKey: string,
): ReadUnit | 'waits' {
  const document = /\.gz$/i.test(name)
    ? { name: withoutGz(name), bytes: unpackGzip(bytes, mostBytes(register)) }
    : { name, bytes }
  const content = read(document)
  if ((content.waits || content.isTentative) && waiting !== null) {
    const names = waiting.get(file.path) ?? new Set()
    waiting.set(file.path, names.add(name))
    if (names.size > mostWaiting) {
      throw new Failure(
        'body_too_large',
        `More than ${mostWaiting} documents of one zip wait for others. Split it.`,
      )
    }
    return 'waits'
  }
  progress.figuresRead += content.figuresRead
  progress.malformed += content.malformed
  progress.unplaced += content.unplaced ?? 0
  for (const [reason, count] of Object.entries(content.leftOut ?? {})) addLeftOut(progress, reason, count)
  const isRecorded = !content.waits && !content.isAlwaysRead
  return { contributions: content.contributions, ...(isRecorded ? { receipt: { contentKey, name } } : {}) }
}

function addLeftOut({ leftOut }: ReadProgress, reason: string, more: number): void {
  if (more > 0) leftOut.set(reason, (leftOut.get(reason) ?? 0) + more)
}
