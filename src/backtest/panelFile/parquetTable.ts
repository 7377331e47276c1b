import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  type Compressors,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadata,
  parquetRead,
  parquetSchema,
  snappyUncompress,
} from 'hyparquet'
import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'

/** The columns of a Parquet file. Days and timestamps at midnight are `YYYY-MM-DD`; a timestamp with a time of day keeps it, so that
 * it is refused as a date instead of being moved to another day. */
export interface ParquetTable {
  readonly count: number
  readonly columns: ReadonlyMap<string, readonly unknown[]>
}

/** Far more than a backtest takes, because a file of forecasts may hold several horizons. */
const maxRows = 10_000_000
/** Of all columns together. A column of equal values takes a few bytes in a file, and 8 for each row in memory: 20 KB become gigabytes. */
const maxCells = 60_000_000
const maxPageBytes = 1_024 * 1_024 * 1_024

/** What is wrong with a file, in words for its sender. The text of any other exception reaches no client. */
class FileFault extends Error {}

const damaged = 'it is damaged, or of a kind that is not supported; write it again as plain Parquet'

/** Reads a Parquet file, one group of rows after the other. hyparquet believes the sizes in a page's header, and its loops then never
 * end in a damaged file. `patches/` makes it check them: bytes and values of a page, bytes of its levels, length of a run.
 *
 * @param numbers the columns that must be numbers: a DECIMAL in them would lose digits
 * @param cellLimit rows times columns; above it nothing is read */
export async function readParquet(
  bytes: Uint8Array<ArrayBuffer>,
  numbers: readonly string[],
  cellLimit: number = maxCells,
): Promise<ParquetTable> {
  const columns = new Map<string, unknown[]>()
  const count = await readParquetChunks(bytes, numbers, cellLimit, {
    open: (names, count) => {
      for (const name of names) columns.set(name, new Array<unknown>(count).fill(null))
    },
    take: (name, values, from, length) => {
      const column = columns.get(name)
      if (column === undefined) return
      for (let i = 0; i < length; i++) column[from + i] = values[i]
    },
  })
  return { count, columns }
}

/** What becomes of the columns of a file. */
export interface ParquetSink {
  readonly open: (names: readonly string[], rows: number) => void
  /** The first `length` values of a part of a column, for the rows after `from`. */
  readonly take: (name: string, values: ArrayLike<unknown>, from: number, length: number) => void
}

/** Reads a Parquet file part by part, so that its values need not be in memory together. Returns the number of rows. */
export async function readParquetChunks(
  bytes: Uint8Array<ArrayBuffer>,
  numbers: readonly string[],
  cellLimit: number,
  { open, take }: ParquetSink,
): Promise<number> {
  try {
    const metadata = parquetMetadata(bytes.buffer)
    const names = columnNames(metadata, numbers)
    const count = countRows(metadata)
    if (count * names.length > cellLimit) throw tooManyCells(count, names.length, cellLimit)
    open(names, count)
    let failure: unknown
    let groupStart = 0
    for (const group of metadata.row_groups) {
      const groupEnd = groupStart + Number(group.num_rows)
      await parquetRead({
        file: { byteLength: bytes.length, slice: (start, end) => bytes.buffer.slice(start, end) },
        ...{ metadata, columns: names, rowStart: groupStart, rowEnd: groupEnd, compressors, parsers },
        // An exception here would be lost.
        onChunk: ({ columnName, columnData, rowStart }) => {
          try {
            take(columnName, columnData, rowStart, Math.min(columnData.length, groupEnd - rowStart))
          } catch (error) {
            failure ??= error
          }
        },
      })
      if (failure !== undefined) throw failure
      groupStart = groupEnd
    }
    return count
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const reason = cause instanceof FileFault ? cause.message : damaged
    throw new Failure('body_invalid', `It cannot be read as Parquet: ${reason}.`, { cause })
  }
}

/** Fails where the parts of the file disagree: their counts decide how much memory is taken. */
function countRows({ row_groups: groups }: FileMetaData): number {
  let count = 0
  for (const { num_rows: rows, columns } of groups) {
    if (columns.some(({ meta_data: column }) => column?.num_values !== rows))
      throw new FileFault('its columns have different numbers of rows')
    count += Number(rows)
    if (count > maxRows)
      throw new FileFault(`it has more than ${maxRows.toLocaleString('en')} rows; split it by date`)
  }
  return count
}

function tooManyCells(rows: number, columns: number, limit: number): FileFault {
  const [a, b, c] = [rows, columns, limit].map(value => value.toLocaleString('en'))
  return new FileFault(
    `it has ${a} rows of ${b} columns, more than ${c} values; write only the columns of a panel`,
  )
}

/** pandas stores an index without a name under such a name. */
const pandasIndex = /^__index_level_\d+__$/

function columnNames(metadata: FileMetaData, numbers: readonly string[]): string[] {
  const columns = parquetSchema(metadata).children.filter(({ element }) => !pandasIndex.test(element.name))
  for (const { element, children } of columns) {
    if (children.length > 0)
      throw new FileFault(`the column ${element.name} is nested; write plain columns only`)
    const isDecimal = element.converted_type === 'DECIMAL' || element.logical_type?.type === 'DECIMAL'
    if (isDecimal && numbers.includes(element.name))
      throw new FileFault(`the column ${element.name} is DECIMAL; write it as DOUBLE`)
  }
  const names = columns.map(({ element }) => element.name)
  const repeated = names.find((name, place) => names.indexOf(name) !== place)
  if (repeated !== undefined) throw new FileFault(`it has the column ${repeated} twice; write each once`)
  return names
}

const bounded =
  (unpack: (input: Uint8Array, length: number) => Uint8Array) =>
  (input: Uint8Array, length: number): Uint8Array => {
    if (length > maxPageBytes) throw new FileFault('a page is larger than 1 GB')
    return unpack(input, length)
  }

/** zlib refuses a limit of 0. */
const limit = (length: number) => ({ maxOutputLength: Math.max(1, length) })

const notRead = (codec: string) => () => {
  throw new FileFault(`it is compressed with ${codec}; write it with snappy, gzip, zstd, brotli or none`)
}

const compressors: Compressors = {
  SNAPPY: bounded((input, length) => {
    const output = new Uint8Array(length)
    snappyUncompress(input, output)
    return output
  }),
  GZIP: bounded((input, length) => gunzipSync(input, limit(length))),
  ZSTD: bounded((input, length) => zstdDecompressSync(input, limit(length))),
  BROTLI: bounded((input, length) => brotliDecompressSync(input, limit(length))),
  LZ4: notRead('LZ4'),
  LZ4_RAW: notRead('LZ4'),
  LZO: notRead('LZO'),
}

const decoder = new TextDecoder('utf-8', { fatal: true })
const decode = (bytes: Uint8Array | undefined) => bytes && decoder.decode(bytes)

const parsers: Partial<ParquetParsers> = {
  dateFromDays: days => instantText(BigInt(days), 1n),
  timestampFromMilliseconds: instant => instantText(instant, 86_400_000n),
  timestampFromMicroseconds: instant => instantText(instant, 86_400_000_000n),
  timestampFromNanoseconds: instant => instantText(instant, 86_400_000_000_000n),
  stringFromBytes: decode,
  jsonFromBytes: decode,
}

/** @param perDay units of the instant in a day */
function instantText(instant: bigint, perDay: bigint): string {
  const day = Number(instant / perDay)
  if (Math.abs(day) > 100_000_000) return `${day} days since 1970`
  if (instant % perDay === 0n) return isoDate(day)
  return new Date(Number((instant * 86_400_000n) / perDay)).toISOString()
}
