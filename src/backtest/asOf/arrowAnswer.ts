import {
  Batch,
  bool,
  Column,
  CompressionType,
  type DataType,
  dateDay,
  field,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  setCompressionCodec,
  Table,
  TimeUnit,
  tableToIPC,
  timeMicrosecond,
  timeMillisecond,
  timeNanosecond,
  timestamp,
  uint8,
  uint16,
  uint32,
  uint64,
  utf8,
} from '@uwdata/flechette'
import type { SchemaElement } from 'hyparquet'
import type { ColumnValues } from '../../formats/parquet/columnChunk.ts'
import { Dictionary } from '../../formats/parquet/dictionary.ts'
import { columnsOf, rowColumns, schemaOf } from './answerColumns.ts'
import { withinLimit } from './answerLimit.ts'
import { textTable } from './carried/texts.ts'
import type { Joined } from './textAnswer.ts'

/** At this level compression takes less time than it saves in copies: the buffers become twenty times smaller. */
setCompressionCodec(CompressionType.ZSTD, {
  encode: bytes => Bun.zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: 1 }),
  decode: bytes => Bun.zstdDecompressSync(bytes as Uint8Array<ArrayBuffer>),
})

/** Version 5 of the metadata, little-endian. */
const ipc = { version: 4, endianness: 0 } as const

/** A record batch is compressed before the next one is made, so that a large answer is not in memory three times. */
const rowsPerBatch = 131_072

/** The bytes that end a stream. */
const endLength = 8

/**
 * A join as an Arrow IPC stream.
 *
 * @param metadata key-value metadata of the schema
 */
export function arrowStream(
  joined: Joined,
  metadata: Readonly<Record<string, string>>,
  limit: number,
): Uint8Array {
  const { count } = joined.rows
  const lead = rowColumns(joined)
  const elements = schemaOf(joined, lead)
  const types = elements.map(arrowType)
  const fields = elements.map(({ name }, at) => field(name, types[at]))
  const schema = { ...ipc, fields, metadata: new Map(Object.entries(metadata)) }
  let size = 0
  const reserve = (bytes: number) => {
    size = withinLimit(size + bytes, limit)
  }
  const parts: Uint8Array[] = []
  const dictionary = new Dictionary(Math.max(1, Math.min(rowsPerBatch, count)))
  // An answer without rows has one batch as well.
  for (let from = 0; from === 0 || from < count; from += rowsPerBatch) {
    const to = Math.min(count, from + rowsPerBatch)
    const columns: Column<unknown>[] = []
    for (const column of columnsOf(joined, lead, from, to)) {
      const type = types[columns.length]
      columns.push(new Column([arrowBatch(type, column, to - from, { reserve, dictionary })], type))
    }
    const bytes = tableToIPC(new Table(schema, columns), { format: 'stream', codec: CompressionType.ZSTD })
    if (bytes === null) throw new Error('The Arrow stream was not kept in memory.')
    const isLast = from + rowsPerBatch >= count
    parts.push(bytes.subarray(from === 0 ? 0 : schemaLength(bytes), isLast ? undefined : -endLength))
  }
  const length = withinLimit(
    parts.reduce((sum, part) => sum + part.length, 0),
    limit,
  )
  const whole = new Uint8Array(new SharedArrayBuffer(length))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** The message with which a stream begins: a marker and the length of the schema, of four bytes each, and the schema. */
const schemaLength = ({ buffer, byteOffset }: Uint8Array) =>
  8 + new DataView(buffer, byteOffset).getInt32(4, true)

const wholeTypes: Readonly<Record<string, () => DataType>> = {
  INT_8: int8,
  INT_16: int16,
  UINT_8: uint8,
  UINT_16: uint16,
  UINT_32: uint32,
  UINT_64: uint64,
}
const timeTypes = { MILLIS: timeMillisecond, MICROS: timeMicrosecond, NANOS: timeNanosecond } as const
const timeUnits = {
  MILLIS: TimeUnit.MILLISECOND,
  MICROS: TimeUnit.MICROSECOND,
  NANOS: TimeUnit.NANOSECOND,
} as const

/** The Arrow type of a column that is declared in the words of Parquet. */
function arrowType({
  type,
  converted_type: converted = 'UTF8',
  logical_type: logical,
}: SchemaElement): DataType {
  if (logical?.type === 'TIMESTAMP')
    return timestamp(timeUnits[logical.unit], logical.isAdjustedToUTC ? 'UTC' : null)
  if (converted === 'TIMESTAMP_MILLIS') return timestamp(TimeUnit.MILLISECOND, 'UTC')
  if (converted === 'TIMESTAMP_MICROS') return timestamp(TimeUnit.MICROSECOND, 'UTC')
  if (logical?.type === 'TIME') return timeTypes[logical.unit]()
  if (converted === 'TIME_MILLIS') return timeMillisecond()
  if (converted === 'TIME_MICROS') return timeMicrosecond()
  if (converted === 'DATE' || logical?.type === 'DATE') return dateDay()
  const whole = wholeTypes[converted]
  if (whole !== undefined) return whole()
  switch (type) {
    case 'INT32':
      return int32()
    case 'INT64':
      return int64()
    case 'FLOAT':
      return float32()
    case 'DOUBLE':
      return float64()
    case 'BOOLEAN':
      return bool()
    default:
      return utf8()
  }
}

interface BatchMemory {
  /** Called with the size of each buffer before it is made. */
  readonly reserve: (bytes: number) => void
  readonly dictionary: Dictionary
}

function arrowBatch(
  type: DataType,
  column: ColumnValues,
  count: number,
  memory: BatchMemory,
): Batch<unknown> {
  if (!('none' in column)) throw new Error(`The column ${column.name} is not numbered.`)
  const { values: numbers, none } = column
  const { reserve } = memory
  reserve(Math.ceil(count / 8))
  const validity = new Uint8Array(Math.ceil(count / 8))
  let nullCount = 0
  for (let row = 0; row < count; row++)
    if (numbers[row] === none) nullCount++
    else validity[row >> 3] |= 1 << (row & 7)
  const base = { length: count, nullCount, type, validity }
  switch (column.type) {
    case 'BYTE_ARRAY':
      return new Batch({ ...base, ...textsOf(column, count, memory) })
    case 'BOOLEAN': {
      reserve(validity.length)
      const values = new Uint8Array(validity.length)
      for (let row = 0; row < count; row++)
        if (numbers[row] !== none) values[row >> 3] |= column.valueOf(numbers[row]) << (row & 7)
      return new Batch({ ...base, values })
    }
    case 'INT64': {
      reserve(8 * count)
      const values = new BigInt64Array(count)
      for (let row = 0; row < count; row++)
        if (numbers[row] !== none) values[row] = column.valueOf(numbers[row])
      return new Batch({ ...base, values })
    }
    // A loop of its own, because one over several kinds of arrays takes three times as long.
    case 'DOUBLE': {
      const values = new Float64Array(count)
      reserve(values.byteLength)
      const { valueOf: numberOf } = column
      for (let row = 0; row < count; row++) if (numbers[row] !== none) values[row] = numberOf(numbers[row])
      return new Batch({ ...base, values })
    }
    default: {
      const values = numberArray(type, count)
      reserve(values.byteLength)
      const numberOf = column.type === 'INT32' ? column.numberOf : column.valueOf
      for (let row = 0; row < count; row++)
        if (numbers[row] !== none)
          values[row] = numberOf === undefined ? numbers[row] : numberOf(numbers[row])
      return new Batch({ ...base, values })
    }
  }
}

/** Converts as it stores: an unsigned number that Parquet keeps in the bits of a signed one is itself again. */
function numberArray(type: DataType, count: number) {
  const { values: Values } = type as { values?: unknown }
  switch (Values) {
    case Int8Array:
      return new Int8Array(count)
    case Int16Array:
      return new Int16Array(count)
    case Uint8Array:
      return new Uint8Array(count)
    case Uint16Array:
      return new Uint16Array(count)
    case Uint32Array:
      return new Uint32Array(count)
    case Float32Array:
      return new Float32Array(count)
    case Float64Array:
      return new Float64Array(count)
    default:
      return new Int32Array(count)
  }
}

/** The texts of a column one after another. Each distinct one is encoded once. */
function textsOf(
  { values: numbers, none, textOf }: Extract<ColumnValues, { type: 'BYTE_ARRAY' }>,
  count: number,
  { reserve, dictionary }: BatchMemory,
): { readonly offsets: Int32Array; readonly values: Uint8Array } {
  dictionary.number(numbers, count, none)
  const { keys, indexes } = dictionary
  const texts = Array.from(keys.subarray(0, dictionary.size), textOf)
  const { bytes, starts } = textTable(texts)
  reserve(4 * (count + 1))
  const offsets = new Int32Array(count + 1)
  let size = 0
  for (let row = 0, next = 0; row < count; row++) {
    if (numbers[row] !== none) {
      const index = indexes[next++]
      size += starts[index + 1] - starts[index]
    }
    offsets[row + 1] = size
  }
  reserve(size)
  const values = new Uint8Array(size)
  for (let row = 0, next = 0; row < count; row++) {
    if (numbers[row] === none) continue
    const index = indexes[next++]
    const end = starts[index + 1]
    for (let from = starts[index], to = offsets[row]; from < end; from++, to++) values[to] = bytes[from]
  }
  return { offsets, values }
}
