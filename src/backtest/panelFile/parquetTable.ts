import {
  type FileMetaData,
  type ParquetParsers,
  parquetMetadata,
  type RowGroup,
  type SchemaElement,
} from 'hyparquet'
import { Failure } from '../../errors.ts'
import type { BodySource } from '../codec/bodyBytes.ts'
import { EntryBudget, type ParquetLimits } from './parquet/bounds.ts'
import { type CellSink, type ColumnPart, readColumnPart } from './parquet/columnPages.ts'
import { damaged, FileFault, FileTooLarge } from './parquet/faults.ts'
import { type FileBytes, openFileBytes } from './parquet/fileBytes.ts'
import { instantText } from './parquet/instantText.ts'
import { checkThrift } from './parquet/thriftCheck.ts'

/** The columns of a Parquet file. Days and timestamps at midnight are `YYYY-MM-DD`. A timestamp with a time
 * of day keeps it, so that it is rejected as a date instead of being moved to another day. */
export interface ParquetTable {
  readonly count: number
  readonly columns: ReadonlyMap<string, readonly unknown[]>
}

/** Collects garbage after this many rows: the dictionaries of a large file would otherwise leave half a
 * gigabyte of it. */
export const rowsBetweenCollections = 2_000_000
/** Collects garbage after this many texts. Each text of a dictionary leaves about 300 bytes behind, and a
 * file of 200 KB can have dictionaries of 500,000 texts for five rows. */
const textsBetweenCollections = 100_000

/** A file of forecasts may contain several horizons. */
export const maxRowsByDefault = 10_000_000

/** Limits for reading a file. A column of equal values takes a few bytes in a file and 8 per row in memory,
 * so 20 KB can become gigabytes. */
export interface ParquetReading extends ParquetLimits {
  /** The limit for the whole file. */
  readonly maxRows?: number
  /** The columns that must be numbers: a DECIMAL in them would lose digits. */
  readonly numbers: readonly string[]
  /** For a column that is read as the file stores it rather than converted to its logical type: the limits of
   * its part in a row group. */
  readonly asStored?: (name: string) => { readonly textLength: number; readonly columnBytes: number } | null
  /** Rejects unusable columns and row counts before any row is read. */
  readonly check?: (names: readonly string[], rows: number) => void
}

/** Reads a Parquet file, one row group after the other.
 *
 * @param readChunks reads it part by part; for another format, the reader of that */
export async function readParquet(
  bytes: Uint8Array,
  reading: ParquetReading,
  readChunks = readParquetChunks,
): Promise<ParquetTable> {
  const columns = new Map<string, unknown[]>()
  const count = await readChunks(bytes, reading, {
    open: (names, count) => {
      reading.check?.(names, count)
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

/** Receives the columns of a file. */
export interface ParquetSink {
  readonly open: (names: readonly string[], rows: number, elements: readonly SchemaElement[]) => void
  /** Receives the first `length` values of a part of a column, for the rows from `from` on. */
  readonly take: (name: string, values: ArrayLike<unknown>, from: number, length: number) => void
  /** Receives values that refer to a dictionary, as indexes into it, with -1 for null. If absent, `take` gets
   * the values instead. */
  readonly takeCodes?: (
    name: string,
    dictionary: ArrayLike<unknown>,
    codes: Int32Array,
    from: number,
    length: number,
  ) => void
}

/** The names of a file's columns. */
export async function readParquetNames(source: BodySource, numbers: readonly string[]): Promise<string[]> {
  return explained(() => namesOf(readableColumns(readFooter(openFileBytes(source)), numbers)))
}

const namesOf = (columns: readonly ReadableColumn[]) =>
  columns.toSorted((a, b) => a.index - b.index).map(({ schema }) => schema.name)

/** Reads a Parquet file part by part, so that neither its pages nor its values need to be in memory together.
 * Returns the number of rows. */
export function readParquetChunks(
  source: BodySource,
  { numbers, asStored, maxRows = maxRowsByDefault, ...limits }: ParquetReading,
  { open, take, takeCodes }: ParquetSink,
): Promise<number> {
  return explained(async () => {
    const file = openFileBytes(source)
    const metadata = readFooter(file)
    const columns = readableColumns(metadata, numbers)
    const elements = columns.toSorted((a, b) => a.index - b.index).map(({ schema }) => schema)
    const names = elements.map(({ name }) => name)
    const count = countRows(metadata, maxRows)
    if (count * names.length > limits.cells) throw tooManyCells(count, names.length, limits.cells)
    open(names, count, elements)
    const entries = new EntryBudget(count * names.length)
    let groupStart = 0
    let collectedAt = 0
    let textsToCollect = 0
    for (const group of metadata.row_groups) {
      for (const column of columns) {
        const from = groupStart
        const { name } = column.schema
        const sink: CellSink = {
          cells: (cells, row, length) => take(name, cells, from + row, length),
          codes:
            takeCodes &&
            ((dictionary, codes, row, length) => takeCodes(name, dictionary, codes, from + row, length)),
        }
        const stored = asStored?.(name) ?? null
        const part = { ...partOf(group, column), entries, asStored: stored !== null }
        const taken = entries.taken
        await readColumnPart(file, part, { ...limits, ...stored }, parsers, sink)
        if (isText(column.schema)) textsToCollect += entries.taken - taken
      }
      groupStart += Number(group.num_rows)
      if (groupStart - collectedAt >= rowsBetweenCollections || textsToCollect >= textsBetweenCollections) {
        Bun.gc(true)
        collectedAt = groupStart
        textsToCollect = 0
      }
    }
    return count
  })
}

async function explained<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const reason = cause instanceof FileFault ? cause.message : damaged
    const code = cause instanceof FileTooLarge ? 'body_too_large' : 'body_invalid'
    throw new Failure(code, `It cannot be read as Parquet: ${reason}.`, { cause })
  }
}

/** A column of a row group has about 40 entries, so files with thousands of columns or row groups fit. Each
 * entry becomes an object. */
const maxFooterValues = 250_000
const maxFooterBytes = 8 * 1_024 * 1_024

/** Reads the file's metadata, which is at its end. */
function readFooter(file: FileBytes): FileMetaData {
  const end = file.length - 8
  if (end < 4) throw new FileFault(damaged)
  const tail = file.slice(end, file.length)
  const length = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true)
  if (length > end) throw new FileFault(damaged)
  if (length > maxFooterBytes) {
    const shown = length.toLocaleString('en')
    throw new FileTooLarge(
      `its description (the footer) has ${shown} bytes, more than ${maxFooterBytes.toLocaleString('en')}; write it in fewer and larger row groups, without metadata`,
    )
  }
  const footer = new Uint8Array(file.slice(end - length, file.length))
  checkThrift(footer, 0, length, maxFooterValues)
  return parquetMetadata(footer.buffer, { geoparquet: false })
}

interface ReadableColumn {
  readonly schema: SchemaElement
  /** Its index in each row group. */
  readonly index: number
}

function partOf(
  { columns, num_rows: rows }: RowGroup,
  { schema, index }: ReadableColumn,
): Omit<ColumnPart, 'entries' | 'asStored'> {
  const metadata = columns[index]?.meta_data
  const isThere = metadata?.path_in_schema.length === 1 && metadata.path_in_schema[0] === schema.name
  if (!isThere) throw new FileFault(`a row group has no column ${schema.name}`)
  return { schema, metadata, rows: Number(rows) }
}

/** Fails if parts of the file disagree about counts, which decide how much memory is allocated. */
function countRows({ row_groups: groups }: FileMetaData, maxRows: number): number {
  let count = 0
  for (const { num_rows: rows, columns } of groups) {
    if (columns.some(({ meta_data: column }) => column?.num_values !== rows))
      throw new FileFault('its columns have different numbers of rows')
    if (!(rows >= 0)) throw new FileFault(damaged)
    count += Number(rows)
    if (count > maxRows) throw tooManyRows(maxRows)
  }
  return count
}

export const tooManyRows = (limit: number): FileTooLarge =>
  new FileTooLarge(`it has more than ${limit.toLocaleString('en')} rows; split it by date`)

export function tooManyCells(rows: number, columns: number, limit: number): FileTooLarge {
  const [a, b, c] = [rows, columns, limit].map(value => value.toLocaleString('en'))
  return new FileTooLarge(
    `it has ${a} rows of ${b} columns, more than ${c} values; write only the columns of a panel`,
  )
}

/** pandas stores an unnamed index under such a name. */
export const pandasIndex = /^__index_level_\d+__$/

function readableColumns({ schema }: FileMetaData, numbers: readonly string[]): ReadableColumn[] {
  const columns: ReadableColumn[] = []
  const names = new Set<string>()
  // The first element is the table itself. Nested columns are rejected before hyparquet builds their tree,
  // which would take memory quadratic in its depth.
  for (const [index, element] of schema.entries()) {
    const { name, num_children: children = 0, repetition_type: repetition } = element
    if (index === 0) continue
    if (children > 0 || repetition === 'REPEATED')
      throw new FileFault(`the column ${name} is nested; write plain columns only`)
    if (pandasIndex.test(name)) continue
    const isDecimal = element.converted_type === 'DECIMAL' || element.logical_type?.type === 'DECIMAL'
    if (isDecimal && numbers.includes(name))
      throw new FileFault(`the column ${name} is DECIMAL; write it as DOUBLE`)
    if (names.has(name)) throw new FileFault(`it has the column ${name} twice; write it once`)
    names.add(name)
    columns.push({ schema: element, index: index - 1 })
  }
  // Texts come first, so that a file with unusable texts is rejected before its numbers take time and memory.
  return [...columns].sort((a, b) => Number(isText(b.schema)) - Number(isText(a.schema)))
}

const isText = ({ type }: SchemaElement) => type === 'BYTE_ARRAY'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const decode = (bytes: Uint8Array | undefined) => bytes && decoder.decode(bytes)

const parsers: Partial<ParquetParsers> = {
  dateFromDays: days => instantText(BigInt(days), 1n),
  timestampFromMilliseconds: instant => instantText(instant, 86_400_000n),
  timestampFromMicroseconds: instant => instantText(instant, 86_400_000_000n),
  timestampFromNanoseconds: instant => instantText(instant, 86_400_000_000_000n),
  stringFromBytes: decode,
  jsonFromBytes: decode,
}
