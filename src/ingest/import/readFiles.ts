import { open } from 'node:fs/promises'
import { Failure } from '../../errors.ts'
import { assertRegularFile } from '../reading/archives.ts'
import type { ReadProgress, ReadUnit } from '../reading/progress.ts'
import type { Register } from '../registers/registerInterface.ts'
import type { SourceFile } from './listFiles.ts'
import { maxBytesOf, type ReadContext, readDocument, refuseLarge, reportFaults } from './readDocument.ts'
import { readZip } from './readZip.ts'

/**
 * Reads files and zips of a register one document at a time. Unreadable ones are reported in `progress` and
 * skipped. Documents that wait for others are read again after all others.
 *
 * @param known the content keys of what an earlier run read completely; these are skipped
 */
export async function* readUnits(
  register: Register,
  files: readonly SourceFile[],
  known: ReadonlySet<string>,
  progress: ReadProgress,
): AsyncGenerator<ReadUnit> {
  const read = register.createReader?.() ?? register.readDocument
  const waiting = new Map<string, Set<string>>()
  const context: ReadContext = {
    register,
    read,
    version: register.derivationVersion(),
    known,
    progress,
    waiting,
  }
  for (const file of files) {
    const before = progress.bytesRead
    yield* readFile(context, file, null)
    progress.bytesRead = before + file.bytes
    progress.onChange()
  }
  for (const file of files) {
    const names = waiting.get(file.path)
    if (names === undefined) continue
    waiting.delete(file.path)
    const before = progress.bytesRead
    yield* readFile({ ...context, waiting: null }, file, names)
    progress.bytesRead = before
    progress.onChange()
  }
}

/** @param only the documents to read, or null for all */
async function* readFile(
  context: ReadContext,
  file: SourceFile,
  only: ReadonlySet<string> | null,
): AsyncGenerator<ReadUnit> {
  if (/\.zip$/i.test(file.path)) {
    yield* readZip(context, file, only)
    return
  }
  yield* reportFaults(file.path, context.progress, async () => {
    refuseLarge(context.register, file.bytes)
    const bytes = await readLoose(file.path, maxBytesOf(context.register))
    refuseLarge(context.register, bytes.length)
    const key = `${Bun.hash.xxHash3(bytes).toString(36)}-${bytes.length}-${context.version}`
    if (context.known.has(key)) return 'known'
    return readDocument(context, file, { name: file.path, bytes }, key)
  })
}

/** Reads at most one byte more than `maxBytes`, because the file may have grown since it was listed. */
async function readLoose(path: string, maxBytes: number): Promise<Uint8Array> {
  await assertRegularFile(path)
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    // One byte more than its size, to detect the end of the file.
    const buffer = Buffer.allocUnsafe(Math.min(size, maxBytes) + 1)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    if (length > size && size <= maxBytes)
      throw new Failure('conflict', 'It grew while it was read. Import it again when it is complete.')
    return buffer.subarray(0, length)
  } finally {
    await file.close()
  }
}
