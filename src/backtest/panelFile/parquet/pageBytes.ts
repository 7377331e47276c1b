import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib'
import type { CompressionCodec } from 'hyparquet'
import { damage, FileFault } from './faults.ts'
import { snappyWhole, unpackSnappy } from './snappyStream.ts'

/** Reads the bytes of a page in order. Only part of a large page is in memory at a time. */
export class PageBytes {
  bytes: Uint8Array
  at = 0
  readonly #rest: ByteChunks | null
  /** How many bytes `#rest` has yet to produce, according to the page's header. */
  #left: number

  constructor(bytes: Uint8Array, rest: ByteChunks | null = null, left = 0) {
    this.bytes = bytes
    this.#rest = rest
    this.#left = left
  }

  get available(): number {
    return this.bytes.length - this.at
  }

  /** Ensures that `bytes` contains `count` bytes from `at`. Callers that read value by value check
   * `available` first, because even an await that does nothing takes time. */
  async fill(count: number): Promise<void> {
    // If the page cannot have enough bytes, nothing more is decompressed.
    const isThere = count - this.available <= this.#left && (await this.tryFill(count))
    if (!isThere) throw damage('a page ends before its last value')
  }

  /** Returns false if the page ends earlier; `bytes` then contains all that is left. Bytes that were handed
   * out do not change. */
  async tryFill(count: number): Promise<boolean> {
    let available = this.available
    if (available >= count) return true
    if (this.#left === 0) return false
    const parts = [this.bytes.subarray(this.at)]
    while (available < count) {
      const chunk = await this.#next()
      if (chunk === null) break
      parts.push(chunk)
      available += chunk.length
    }
    this.bytes = Buffer.concat(parts)
    this.at = 0
    return available >= count
  }

  /** Frees its own memory immediately, because the garbage collector would free the memory of a large file too late. */
  release(): void {
    const { buffer } = this.bytes
    const isOwn = this.#rest === null && buffer.byteLength === this.bytes.length
    if (isOwn && buffer instanceof ArrayBuffer) buffer.transfer(0)
  }

  /** Stops decompressing. */
  close(): void {
    this.#rest?.close()
  }

  async #next(): Promise<Uint8Array | null> {
    const { done, value } = (await this.#rest?.chunks.next()) ?? { done: true, value: undefined }
    if (done === true || value === undefined) return null
    this.#left -= value.length
    if (this.#left < 0) throw damage('a page is larger than its header states')
    return value
  }
}

interface ByteChunks {
  readonly chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>
  close(): void
}

/** Pages up to this size are decompressed at once, which is faster. Writers make pages of about 1 MB. */
const maxWholeBytes = 2 * 1_024 * 1_024
const chunkSize = 256 * 1_024

/** @param length the decompressed length of the page, as stated in its header */
export function unpackPage(packed: Uint8Array, length: number, codec: CompressionCodec): PageBytes {
  if (codec !== 'UNCOMPRESSED' && length > maxWholeBytes)
    return new PageBytes(new Uint8Array(0), unpackParts(packed, length, codec), length)
  const bytes = codec === 'UNCOMPRESSED' ? packed : unpackWhole(packed, length, codec)
  if (bytes.length !== length) throw damage('a page has another size than its header states')
  return new PageBytes(bytes)
}

function unpackWhole(packed: Uint8Array, length: number, codec: CompressionCodec): Uint8Array {
  // zlib rejects a limit of 0.
  const limit = { maxOutputLength: Math.max(1, length) }
  switch (codec) {
    case 'SNAPPY':
      return snappyWhole(packed, length)
    case 'GZIP':
      return gunzipSync(packed, limit)
    case 'ZSTD':
      return zstdDecompressSync(packed, limit)
    case 'BROTLI':
      return brotliDecompressSync(packed, limit)
    default:
      throw notRead(codec)
  }
}

function unpackParts(packed: Uint8Array, length: number, codec: CompressionCodec): ByteChunks {
  switch (codec) {
    case 'SNAPPY':
      return { chunks: unpackSnappy(packed, length), close: () => {} }
    case 'GZIP':
      return streamed(createGunzip({ chunkSize }), packed)
    case 'ZSTD':
      return streamed(createZstdDecompress({ chunkSize }), packed)
    case 'BROTLI':
      return streamed(createBrotliDecompress({ chunkSize }), packed)
    default:
      throw notRead(codec)
  }
}

function streamed(stream: ReturnType<typeof createGunzip>, packed: Uint8Array): ByteChunks {
  stream.end(packed)
  return { chunks: stream[Symbol.asyncIterator](), close: () => void stream.destroy() }
}

const notRead = (codec: string) =>
  new FileFault(
    `it is compressed with ${codec.split('_')[0]}; write it with snappy, gzip, zstd, brotli or none`,
  )
