import type { DecodedArray, Encoding, ParquetType } from 'hyparquet'
import type { ColumnBounds } from './bounds.ts'
import { DeltaReader } from './deltaValues.ts'
import { damage, FileFault } from './faults.ts'
import type { PageBytes } from './pageBytes.ts'
import { RunReader } from './runLength.ts'

/** Reads the values of a page, without its nulls, as they are stored and some at a time. */
export interface ValueReader {
  /** The next `count` values. */
  read(count: number): Promise<DecodedArray>
}

export interface StoredColumn {
  readonly type: ParquetType
  /** The size in bytes of a fixed-length value. */
  readonly width: number | undefined
  readonly bounds: ColumnBounds
}

/** @param count the number of values of the page, without its nulls */
export async function openValues(
  page: PageBytes,
  encoding: Encoding,
  column: StoredColumn,
  count: number,
): Promise<ValueReader> {
  const { type } = column
  switch (encoding) {
    case 'PLAIN':
      return plainValues(page, column)
    case 'RLE':
      if (type !== 'BOOLEAN') break
      await page.fill(4)
      page.at += 4
      return runValues(page, 1)
    case 'DELTA_BINARY_PACKED':
      if (type !== 'INT32' && type !== 'INT64') break
      return deltaNumbers(page, type)
    case 'DELTA_LENGTH_BYTE_ARRAY':
      return texts(page, column, null, await lengths(page, column.bounds, count))
    case 'DELTA_BYTE_ARRAY': {
      const prefixes = await lengths(page, column.bounds, count)
      return texts(page, column, prefixes, await lengths(page, column.bounds, count))
    }
    case 'BYTE_STREAM_SPLIT':
      return splitValues(page, column, count)
  }
  throw new FileFault(`it has ${type} values in the encoding ${encoding}; write it again as plain Parquet`)
}

/** Reads indexes into the dictionary. */
export async function openIndexes(page: PageBytes): Promise<RunReader> {
  await page.fill(1)
  return new RunReader(page, page.bytes[page.at++])
}

export function plainValues(page: PageBytes, column: StoredColumn): ValueReader {
  const { type } = column
  switch (type) {
    case 'BOOLEAN':
      return booleans(page)
    case 'BYTE_ARRAY':
      return { read: count => plainTexts(page, column.bounds, count) }
    case 'FIXED_LEN_BYTE_ARRAY':
      return fixedValues(page, type, column.width ?? 0)
    default:
      return fixedValues(page, type, widthOf(type))
  }
}

const widthOf = (type: 'INT32' | 'FLOAT' | 'INT64' | 'DOUBLE' | 'INT96') =>
  ({ INT32: 4, FLOAT: 4, INT64: 8, DOUBLE: 8, INT96: 12 })[type]

/** Each read reuses the same memory, so the caller must consume the numbers before the next read. */
function fixedValues(page: PageBytes, type: ParquetType, width: number): ValueReader {
  let scratch = new Uint8Array(0)
  return {
    read: async count => {
      await page.fill(count * width)
      const bytes = page.bytes.subarray(page.at, page.at + count * width)
      page.at += count * width
      if (type !== 'DOUBLE') return fixedArray(bytes, type, width)
      if (scratch.length < bytes.length) scratch = new Uint8Array(bytes.length)
      // Copied, because only a copy is guaranteed to be aligned.
      scratch.set(bytes)
      return new Float64Array(scratch.buffer, 0, count)
    },
  }
}

function fixedArray(bytes: Uint8Array, type: ParquetType, width: number): DecodedArray {
  const count = bytes.length / width
  // Copied, because only a copy is guaranteed to be aligned.
  const { buffer } = new Uint8Array(bytes)
  switch (type) {
    case 'INT32':
      return new Int32Array(buffer)
    case 'FLOAT':
      return new Float32Array(buffer)
    case 'INT64':
      return new BigInt64Array(buffer)
    case 'DOUBLE':
      return new Float64Array(buffer)
    case 'INT96': {
      const view = new DataView(buffer)
      return Array.from({ length: count }, (_, i) => {
        const low = view.getBigInt64(i * 12, true)
        return (BigInt(view.getInt32(i * 12 + 8, true)) << 64n) | low
      })
    }
    default:
      return Array.from({ length: count }, (_, i) => new Uint8Array(buffer, i * width, width))
  }
}

function booleans(page: PageBytes): ValueReader {
  const runs = new BitReader(page)
  return { read: count => runs.read(count) }
}

class BitReader {
  readonly #page: PageBytes
  #bit = 8
  #byte = 0

  constructor(page: PageBytes) {
    this.#page = page
  }

  async read(count: number): Promise<boolean[]> {
    await this.#page.fill(Math.ceil((count - (8 - this.#bit)) / 8))
    return Array.from({ length: count }, () => {
      if (this.#bit === 8) {
        this.#byte = this.#page.bytes[this.#page.at++]
        this.#bit = 0
      }
      return ((this.#byte >> this.#bit++) & 1) === 1
    })
  }
}

function runValues(page: PageBytes, width: number): ValueReader {
  const runs = new RunReader(page, width)
  return {
    read: async count => {
      const bits = new Uint8Array(count)
      await runs.read(bits, count)
      return Array.from(bits, bit => bit === 1)
    },
  }
}

async function plainTexts(page: PageBytes, bounds: ColumnBounds, count: number): Promise<Uint8Array[]> {
  const values = new Array<Uint8Array>(count)
  for (let i = 0; i < count; i++) {
    if (page.available < 4) await page.fill(4)
    const { bytes, at } = page
    const length = (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
    if (length > bounds.maxTextBytes) bounds.checkText(length)
    page.at += 4
    values[i] = await takeBytes(page, length)
  }
  return values
}

function takeBytes(page: PageBytes, length: number): Uint8Array | Promise<Uint8Array> {
  if (page.available < length) return page.fill(length).then(() => takeBytes(page, length))
  const { at } = page
  page.at += length
  return page.bytes.subarray(at, page.at)
}

function deltaNumbers(page: PageBytes, type: 'INT32' | 'INT64'): ValueReader {
  const numbers = new DeltaReader(page)
  return {
    read: async count => {
      const values = type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count)
      await numbers.read(values, count)
      return values
    },
  }
}

/** The lengths of all texts of a page precede the first text. */
async function lengths(page: PageBytes, bounds: ColumnBounds, count: number): Promise<Uint16Array> {
  const values = new Uint16Array(count)
  const numbers = new DeltaReader(page)
  const some = new Int32Array(Math.min(count, 16_384))
  for (let at = 0; at < count; at += some.length) {
    const length = Math.min(some.length, count - at)
    await numbers.read(some, length)
    for (let i = 0; i < length; i++) {
      if (some[i] < 0) throw damage('a page has a text of a negative length')
      bounds.checkText(some[i])
      values[at + i] = some[i]
    }
  }
  await numbers.end()
  return values
}

/** @param prefixes for each text, the number of bytes that it shares with the previous one, so that a few bytes may
 *   expand to the longest texts allowed */
function texts(
  page: PageBytes,
  { type, bounds }: StoredColumn,
  prefixes: Uint16Array | null,
  suffixes: Uint16Array,
): ValueReader {
  if (type !== 'BYTE_ARRAY' && type !== 'FIXED_LEN_BYTE_ARRAY')
    throw new FileFault(`it has ${type} values in an encoding for text; write it again as plain Parquet`)
  let next = 0
  let last: Uint8Array = new Uint8Array(0)
  return {
    read: async count => {
      const values = new Array<Uint8Array>(count)
      for (let i = 0; i < count; i++, next++) {
        const taken = takeBytes(page, suffixes[next])
        const suffix = taken instanceof Uint8Array ? taken : await taken
        const prefix = prefixes === null ? 0 : prefixes[next]
        if (prefix > last.length) throw damage('a page has a text that continues a shorter one')
        bounds.checkText(prefix + suffix.length)
        if (prefix > 0) {
          const whole = new Uint8Array(prefix + suffix.length)
          whole.set(last.subarray(0, prefix))
          whole.set(suffix, prefix)
          last = whole
        } else last = suffix
        values[i] = last
      }
      return values
    },
  }
}

/** Byte stream split: the first bytes of all values, then the second bytes, and so on. The whole page must be
 * in memory. */
async function splitValues(page: PageBytes, column: StoredColumn, count: number): Promise<ValueReader> {
  const { type } = column
  const width = type === 'FIXED_LEN_BYTE_ARRAY' ? (column.width ?? 0) : 0
  if (type === 'BOOLEAN' || type === 'BYTE_ARRAY' || type === 'INT96' || width > 16)
    throw new FileFault(
      `it has ${type} values in the encoding BYTE_STREAM_SPLIT; write it again as plain Parquet`,
    )
  const size = type === 'FIXED_LEN_BYTE_ARRAY' ? width : widthOf(type)
  await page.fill(count * size)
  const { bytes, at } = page
  let next = 0
  return {
    read: async some => {
      const joined = new Uint8Array(some * size)
      for (let i = 0; i < some; i++)
        for (let part = 0; part < size; part++) joined[i * size + part] = bytes[at + part * count + next + i]
      next += some
      return fixedArray(joined, type, size)
    },
  }
}
