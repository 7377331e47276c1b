import { Readable } from 'node:stream'
import { createZstdDecompress, zstdDecompressSync } from 'node:zlib'
import type { ColumnBounds } from '../parquet/bounds.ts'
import type { FileBytes } from '../parquet/fileBytes.ts'
import { PageBytes } from '../parquet/pageBytes.ts'
import { arrowDamage } from './faults.ts'
import { unpackLz4 } from './lz4.ts'
import type { Codec } from './messages.ts'

/** A buffer of a column, whose bytes are read in order. Only a part of a large one is in memory at a time. */
export class BufferBytes {
  readonly #bytes: PageBytes
  readonly #length: number
  readonly #isView: boolean

  /** @param isView true if the bytes are those of the body, and take no memory of their own */
  constructor(bytes: PageBytes, length: number, isView = false) {
    this.#bytes = bytes
    this.#length = length
    this.#isView = isView
  }

  /** The memory that all bytes take. */
  get ownBytes(): number {
    return this.#isView ? 0 : this.#length
  }

  /** The next `count` bytes. */
  async take(count: number): Promise<Uint8Array> {
    const bytes = this.#bytes
    if (bytes.available < count && !(await bytes.tryFill(count)))
      throw arrowDamage('a buffer is shorter than its rows need')
    bytes.at += count
    return bytes.bytes.subarray(bytes.at - count, bytes.at)
  }

  /** All bytes, in memory at once. */
  takeAll(): Promise<Uint8Array> {
    return this.take(this.#length)
  }

  /** Passes over bytes that no row uses. */
  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; left -= chunkBytes) await this.take(Math.min(left, chunkBytes))
  }

  /** Stops decompressing. */
  close(): void {
    this.#bytes.close()
  }
}

export interface BufferPart {
  readonly file: FileBytes
  readonly from: number
  readonly to: number
  readonly codec: Codec
  /** The most rows that it has values of, and their bounds, null for the texts of views: what a few compressed bytes state must not decide how much is
   * decompressed. */
  readonly rows: number
  readonly bounds: ColumnBounds | null
}

const chunkBytes = 1_024 * 1_024
/** Buffers up to this size are decompressed at once, which is faster. */
const maxWholeBytes = 2 * 1_024 * 1_024

export function openBuffer(part: BufferPart): BufferBytes {
  const { file, from, to, codec, rows, bounds } = part
  if (codec === null || to === from) return plainBuffer(file, from, to)
  if (to - from < 8) throw arrowDamage('a compressed buffer has no length')
  const start = file.slice(from, from + 8)
  const stated = new DataView(start.buffer, start.byteOffset, 8).getBigInt64(0, true)
  // A buffer that compression would not make smaller is stored as it is.
  if (stated === -1n) return plainBuffer(file, from + 8, to)
  const length = Number(stated)
  if (!(length >= 0 && Number.isSafeInteger(length))) throw arrowDamage('a compressed buffer has no length')
  // No codec adds more to incompressible data, and the compressed bytes may have to be in memory at once.
  if (to - from > 2 * length + 65_536) throw arrowDamage('a compressed buffer is larger than its content')
  bounds?.addPage(rows, length)
  if (codec === 'LZ4') return streamed(unpackLz4(file.slice(from + 8, to), length), length)
  if (length <= maxWholeBytes)
    // zlib rejects a limit of 0.
    return new BufferBytes(
      new PageBytes(zstdDecompressSync(file.slice(from + 8, to), { maxOutputLength: Math.max(1, length) })),
      length,
    )
  const stream = Readable.from(slicesOf(file, from + 8, to)).pipe(
    createZstdDecompress({ chunkSize: 262_144 }),
  )
  // The iterator reports a failure once it is read. Without a listener, one before that would end the process.
  stream.on('error', () => {})
  return streamed(stream[Symbol.asyncIterator](), length, () => stream.destroy())
}

function plainBuffer(file: FileBytes, from: number, to: number): BufferBytes {
  if (file.isMemory) return new BufferBytes(new PageBytes(file.slice(from, to)), to - from, true)
  return streamed(slicesOf(file, from, to), to - from)
}

function* slicesOf(file: FileBytes, from: number, to: number): Generator<Uint8Array> {
  for (let at = from; at < to; at += chunkBytes) yield file.slice(at, Math.min(to, at + chunkBytes))
}

const streamed = (
  chunks: Iterator<Uint8Array> | AsyncIterator<Uint8Array>,
  length: number,
  close: () => void = () => {},
): BufferBytes =>
  new BufferBytes(new PageBytes(new Uint8Array(0), { chunks: within(chunks, length), close }, length), length)

/** Fails as soon as a buffer has more bytes than it states. */
async function* within(
  chunks: Iterator<Uint8Array> | AsyncIterator<Uint8Array>,
  length: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for (;;) {
    const { done, value } = await chunks.next()
    if (done === true || value === undefined) return
    bytes += value.length
    if (bytes > length) throw arrowDamage('a buffer is larger than it states')
    yield value
  }
}
