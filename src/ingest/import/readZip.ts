import { Failure } from '../../errors.ts'
import { type Entry, messageOf, openZip, readEntry, type ZipFile } from '../reading/archives.ts'
import type { ReadUnit, SkippedDocument } from '../reading/progress.ts'
import type { SetProgress, ZipSet } from '../registers/registerInterface.ts'
import type { SourceFile } from './listFiles.ts'
import {
  addContent,
  isFileFault,
  type ReadContext,
  readDocument,
  refuseLarge,
  reportFaults,
  withoutGz,
} from './readDocument.ts'

/**
 * Zips with more entries are not offered to `readSet`, and their lists are not kept in memory: the SEC's bulk
 * files have a million entries.
 */
const maxEntriesOfSet = 20_000

/**
 * Reads a zip: as a set if the register recognises it as one, otherwise entry by entry.
 *
 * @param only the documents to read, or null for all
 */
export async function* readZip(
  context: ReadContext,
  file: SourceFile,
  only: ReadonlySet<string> | null,
): AsyncGenerator<ReadUnit> {
  const { register, progress } = context
  let zip: ZipFile
  try {
    zip = await openZip(file.path)
  } catch (error) {
    progress.skipped.push({ name: file.path, reason: messageOf(error) })
    return
  }
  try {
    // The first pass over the zip has already reported refused names.
    const named = namedEntries(zip, file.path, only === null ? progress.skipped : [])
    const listed = zip.entryCount <= maxEntriesOfSet ? await Array.fromAsync(named) : null
    if (listed !== null && register.readSet) {
      const set: ZipSet = { path: file.path, bytes: file.bytes, zip, entries: listed }
      const units = register.readSet(set, setProgress(context, file))
      if (units !== null) {
        progress.documents++
        for await (const unit of units) yield withVersion(unit, context.version)
        return
      }
    }
    yield* readEntries(context, file, zip, listed ?? named, only)
  } catch (error) {
    if (!isZipFault(error)) throw error
    // The second pass over a damaged zip ends where the first one did, so its fault is already reported.
    if (progress.skipped.some(({ name }) => name === file.path)) return
    progress.skipped.push({ name: file.path, reason: `The rest of the zip cannot be read: ${error.message}` })
  } finally {
    zip.close()
  }
}

async function* readEntries(
  context: ReadContext,
  file: SourceFile,
  zip: ZipFile,
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  only: ReadonlySet<string> | null,
): AsyncGenerator<ReadUnit> {
  const { register, version, known, progress } = context
  const before = progress.bytesRead
  let documents = 0
  for await (const entry of entries) {
    if (!register.documentNames.test(withoutGz(entry.fileName))) continue
    documents++
    const name = `${file.path}!${entry.fileName}`
    if (only !== null && !only.has(name)) continue
    const key = `${entry.crc32.toString(36)}-${entry.uncompressedSize}-${entry.fileName}-${version}`
    yield* reportFaults(name, progress, async () => {
      if (known.has(key)) return 'known'
      // A zip may misstate either size, so both are limited.
      refuseLarge(register, Math.max(entry.uncompressedSize, entry.compressedSize))
      return readDocument(context, file, { name, bytes: await readEntry(zip, entry) }, key)
    })
    progress.bytesRead =
      before + Math.min(file.bytes, entry.relativeOffsetOfLocalHeader + entry.compressedSize)
    progress.onChange()
  }
  if (documents === 0) {
    progress.skipped.push({ name: file.path, reason: 'This zip contains no document of the register.' })
  }
}

/** A document's name is part of its content key. */
const maxNameLength = 500

/**
 * The entries of a zip with names that can be stored. No real document has any other name, and the database
 * would reject it.
 */
async function* namedEntries(zip: ZipFile, path: string, skipped: SkippedDocument[]): AsyncGenerator<Entry> {
  for await (const entry of zip.eachEntry()) {
    const { fileName } = entry
    if (fileName.length <= maxNameLength && !/\p{Cc}/u.test(fileName)) {
      yield entry
      continue
    }
    const name = `${path}!${fileName.slice(0, 100).replace(/\p{Cc}/gu, '?')}`
    const reason = `The entry's name has control characters or more than ${maxNameLength} characters.`
    skipped.push({ name, reason })
  }
}

const withVersion = (unit: ReadUnit, version: string): ReadUnit =>
  unit.receipt === undefined
    ? unit
    : { ...unit, receipt: { ...unit.receipt, contentKey: `${unit.receipt.contentKey}-${version}` } }

function setProgress({ version, known, progress }: ReadContext, file: SourceFile): SetProgress {
  const before = progress.bytesRead
  return {
    isKnown: contentKey => {
      const found = known.has(`${contentKey}-${version}`)
      if (found) progress.documentsUnchanged++
      return found
    },
    figures: more => {
      progress.figuresRead += more
    },
    unplaced: more => {
      progress.unplaced += more
    },
    content: (name, content) => addContent(progress, name, content),
    skip: (name, reason) => progress.skipped.push({ name, reason }),
    progress: share => {
      progress.bytesRead = before + share * file.bytes
      progress.onChange()
    },
  }
}

/** yauzl throws a plain Error for a damaged zip; a TypeError and the like are defects of ours. */
const isZipFault = (error: unknown): error is Error =>
  error instanceof Failure || isFileFault(error) || (error instanceof Error && error.name === 'Error')
