import { createGunzip } from 'node:zlib'
import { Failure } from '../../errors.ts'
import { maxAssetLength, maxMarketLength } from '../codec/cells.ts'
import { type PanelFormat, recogniseFormat } from './panelFormat.ts'

/** The longest row: names with 3 bytes a character, four numbers, and the names of the columns where each row repeats them. */
const maxRowBytes = 3 * (maxAssetLength + maxMarketLength) + 4 * 25 + 100
/** The first lines may be settings, or names of columns. */
const maxHeadBytes = 65_536
/** Far more than a backtest takes, because a file of forecasts may hold several horizons. */
const maxLines = 60_000_000

/** A Parquet file has no lines to judge it by, and is packed already: gzip makes it a little smaller, or a few times
 * where it is not. */
const freeParquetBytes = 32 * 1_024 * 1_024
const maxParquetRatio = 50

const lineFeed = 0x0a
const chunkSize = 256 * 1_024

export interface UnpackLimits {
  /** Of the unpacked file. */
  readonly bytes: number
  /** Fails for a format that the reader does not take, before the rest is unpacked. */
  readonly check?: (format: PanelFormat) => void
}

export const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Unpacks a gzipped file of rows; any other file is returned as it is. A few kilobytes may unpack to gigabytes, so the file is read twice:
 * the first time nothing of it is kept, and it is refused at the first byte that no row can use. */
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

/** Judges the bytes of a packed file as they come. */
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
      throw tooLarge(`has more than ${megabytes.toLocaleString('en')} MB unpacked. Split it by date.`)
    }
    if (this.#format === 'parquet' && this.bytes > this.#maxParquetBytes)
      throw tooLarge(
        `is Parquet and has more than ${maxParquetRatio} times its size unpacked. Send it without gzip: write it with zstd instead.`,
      )
    if (this.#format === 'csv' || this.#format === 'ndjson') this.#addLines(chunk)
  }

  #addLines(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) this.#lines++
    if (this.#lines > maxLines)
      throw tooLarge(`has more than ${maxLines.toLocaleString('en')} lines unpacked. Split it by date.`)
    // A chunk is counted whole, and so its last line before it has ended.
    if (this.bytes > maxHeadBytes + chunkSize + this.#lines * maxRowBytes)
      throw tooLarge(
        `has ${this.bytes.toLocaleString('en')} bytes in its first ${this.#lines.toLocaleString('en')} lines unpacked; a row has at most ${maxRowBytes}. Send rows of a panel, one per line.`,
      )
  }
}

const tooLarge = (what: string) =>
  new Failure('body_too_large', `The gzipped file ${what}`, { param: 'file' })
