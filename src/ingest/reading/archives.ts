import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib'
import {
  type Entry,
  fromRandomAccessReaderPromise,
  openPromise,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl'
import { Failure } from '../../errors.ts'

export type { Entry, ZipFile }

/** Opens a zip, also ZIP64. Only the entry being read is in memory. */
export async function openZip(path: string): Promise<ZipFile> {
  try {
    await assertRegularFile(path)
    const options = { autoClose: false, validateEntrySizes: true }
    const size = await sizeWithoutPadding(path)
    if (size === null) return await openPromise(path, options)
    return await fromRandomAccessReaderPromise(new FileReader(path), size, options)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('body_invalid', `The zip cannot be read: ${messageOf(error)}`)
  }
}

const endSignature = 'PK\x05\x06'
const endBytes = 22
const maxPadding = 1_024

/**
 * The size of a zip without zeros after its end; null if there are none. The SEC pads the packages of some
 * filings, which the library refuses as a damaged comment.
 */
async function sizeWithoutPadding(path: string): Promise<number | null> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.min(size, maxPadding + endBytes)),
      position: Math.max(0, size - maxPadding - endBytes),
    })
    const tail = buffer.subarray(0, bytesRead)
    const at = tail.lastIndexOf(Buffer.from(endSignature, 'latin1'))
    if (at < 0 || at + endBytes > tail.length) return null
    const padding = tail.subarray(at + endBytes + tail.readUInt16LE(at + endBytes - 2))
    return padding.length > 0 && padding.every(byte => byte === 0) ? size - padding.length : null
  } finally {
    await file.close()
  }
}

class FileReader extends RandomAccessReader {
  readonly #path: string

  constructor(path: string) {
    super()
    this.#path = path
  }

  override _readStreamForRange(start: number, end: number) {
    return createReadStream(this.#path, { start, end: end - 1 })
  }
}

/**
 * Throws for a device or a pipe, even behind a link. A device has no size and may have no end; opening a pipe
 * would wait forever.
 */
export async function assertRegularFile(path: string): Promise<void> {
  const found = await stat(path)
  if (found.isFile()) return
  // Folders are listed; one only gets here if that failed.
  if (found.isDirectory())
    throw new Failure('body_invalid', 'The folder cannot be listed. Check its permissions.')
  throw new Failure(
    'body_invalid',
    'It is a device or a pipe and not a file. Write its content to a file first.',
  )
}

/** Reads an entry into memory, unpacks it and verifies its checksum. */
export async function readEntry(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  const packed: Uint8Array[] = []
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry, { decodeFileData: false }))
      packed.push(chunk)
  } catch (error) {
    throw new Failure('body_invalid', `The zip is damaged: ${messageOf(error)}`)
  }
  const bytes = unpack(Buffer.concat(packed), entry)
  if (bytes.length !== entry.uncompressedSize || Bun.hash.crc32(bytes) !== entry.crc32) {
    throw new Failure('body_invalid', `The unpacked data of ${entry.fileName} does not match its checksum.`)
  }
  return bytes
}

/**
 * Verifies the checksum of an entry that is too large for memory. Call it before streaming the entry: a
 * damaged entry must not be imported in part.
 */
export async function checkEntry(zip: ZipFile, entry: Entry): Promise<void> {
  let checksum = 0
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) checksum = crc32(chunk, checksum)
  } catch (error) {
    throw new Failure('body_invalid', `${entry.fileName} is damaged: ${messageOf(error)}`)
  }
  if (checksum !== entry.crc32)
    throw new Failure('body_invalid', `The unpacked data of ${entry.fileName} does not match its checksum.`)
}

function unpack(packed: Uint8Array, entry: Entry): Uint8Array {
  if (entry.compressionMethod === 0) return packed
  if (entry.compressionMethod !== 8) {
    throw new Failure(
      'body_invalid',
      `The entry is compressed by method ${entry.compressionMethod}; only store and deflate are supported.`,
    )
  }
  try {
    return inflateRawSync(packed, { maxOutputLength: entry.uncompressedSize + 1 })
  } catch (error) {
    throw new Failure('body_invalid', `The packed data is damaged: ${messageOf(error)}`)
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Unpacks gzip. Throws if the result has more than `maxBytes`. */
export function unpackGzip(bytes: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Failure(
        'body_too_large',
        `The document is larger than ${Math.floor(maxBytes / 1e6)} MB when unpacked. Split it.`,
      )
    }
    throw new Failure('body_invalid', `The gzip is damaged: ${messageOf(error)}`)
  }
}
