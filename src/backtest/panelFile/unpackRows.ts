import { createGunzip } from 'node:zlib'
import { Failure } from '../../errors.ts'
import { maxAssetLength, maxMarketLength } from '../codec/cells.ts'
import { type PanelFormat, recogniseFormat } from './panelFormat.ts'

/** The longest possible row: names with 3 bytes per character, six numbers, and the column names if each row
 * repeats them. */
const maxRowBytes = 3 * (maxAssetLength + maxMarketLength) + 6 * 25 + 130
/** The first lines may be settings or column names. */
const maxHeadBytes = 65_536
/** Far more than a backtest accepts, because a file of forecasts may contain several horizons. */
const maxLines = 60_000_000

/** The decompressed size that is always allowed. A Parquet or Arrow file has no lines to judge it by. It is usually
 * compressed already, so gzip makes it only slightly smaller, or a few times smaller if it is not. */
const freeParquetBytes = 32 * 1_024 * 1_024
const maxParquetRatio = 50

const lineFeed = 0x0a
const chunkSize = 256 * 1_024

export interface UnpackLimits {
  /** The size of the decompressed file. */
  readonly bytes: number
  /** Fails for a format that the reader does not accept, before the rest is decompressed. */
  readonly check?: (format: PanelFormat) => void
}

export const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Decompresses a gzipped file of rows; any other file is returned unchanged. A few kilobytes may expand to
 * gigabytes, so the file is decompressed twice. The first pass keeps nothing, and stops at the first byte
 * that no row can use. */
export async function unpackRows(
  packed: Uint8Array<ArrayBuffer>,
  limits: UnpackLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!isGzip(packed)) return packed
  const measure = new RowsMeasure(limits, packed.length)
  for await (const chunk of gunzip(packed)) measure.add(chunk)
  const whole = new Uint8Array(measure.bytes)
  let at = 0
  for await (const chunk of gunzip(packed)) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

async function* gunzip(packed: Uint8Array): AsyncGenerator<Uint8Array> {
  const stream = createGunzip({ chunkSize })
  stream.end(packed)
  try {
    for await (const chunk of stream) yield chunk
  } catch (cause) {
    throw new Failure('body_invalid', 'The file looks gzipped, but it is damaged. Pack it again.', {
      param: 'file',
      cause,
    })
  } finally {
    stream.destroy()
  }
}

/** Checks decompressed bytes as they arrive. */
export class RowsMeasure {
  bytes = 0
  readonly #limits: UnpackLimits
  readonly #maxParquetBytes: number
  #format: PanelFormat | null = null
  #lines = 0

  constructor(limits: UnpackLimits, packedBytes: number) {
    this.#limits = limits
    this.#maxParquetBytes = Math.max(freeParquetBytes, maxParquetRatio * packedBytes)
  }

  add(chunk: Uint8Array): void {
    if (this.#format === null) {
      this.#format = recogniseFormat(chunk)
      this.#limits.check?.(this.#format)
    }
    this.bytes += chunk.length
    if (this.bytes > this.#limits.bytes) {
      const megabytes = this.#limits.bytes / 1_024 / 1_024
      throw tooLarge(`is larger than ${megabytes.toLocaleString('en')} MB when unpacked. Split it by date.`)
    }
    if ((this.#format === 'parquet' || this.#format === 'arrow') && this.bytes > this.#maxParquetBytes)
      throw tooLarge(
        `is ${this.#format === 'parquet' ? 'Parquet' : 'Arrow'} and has more than ${maxParquetRatio} times its size unpacked. Send it without gzip: write it with zstd instead.`,
      )
    if (this.#format === 'csv' || this.#format === 'ndjson') this.#addLines(chunk)
  }

  #addLines(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) this.#lines++
    if (this.#lines > maxLines)
      throw tooLarge(`has more than ${maxLines.toLocaleString('en')} lines unpacked. Split it by date.`)
    // A whole chunk is counted at once, so the last line in it may be incomplete.
    if (this.bytes > maxHeadBytes + chunkSize + this.#lines * maxRowBytes)
      throw tooLarge(
        `has ${this.bytes.toLocaleString('en')} bytes in its first ${this.#lines.toLocaleString('en')} lines unpacked; a row has at most ${maxRowBytes}. Send rows of a panel, one per line.`,
      )
  }
}

const tooLarge = (what: string) =>
  new Failure('body_too_large', `The gzipped file ${what}`, { param: 'file' })
