import type { ColumnChunk, ColumnMetaData, ParquetType, Statistics } from 'hyparquet'
import type { ByteWriter } from 'hyparquet-writer'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { Dictionary } from './dictionary.ts'
import { Bytes, writeHybrid } from './runLength.ts'

/** Distinct values as integer codes: each row holds the code of its value, or the code that represents
 * null. */
interface Numbered {
  readonly name: string
  readonly values: Int32Array
  /** The code that represents null. */
  readonly none: number
  /** If false, a null is an error, because the schema declares the column as required. */
  readonly isOptional?: boolean
}

/** One column of a row group. */
export type ColumnValues =
  | { readonly name: string; readonly type: 'DOUBLE'; readonly values: Float64Array }
  | (Numbered & { readonly type: 'DOUBLE'; readonly valueOf: (number: number) => number })
  /** Without `numberOf`, the codes are the values themselves. */
  | (Numbered & { readonly type: 'INT32'; readonly numberOf?: (number: number) => number })
  | (Numbered & { readonly type: 'FLOAT'; readonly valueOf: (number: number) => number })
  | (Numbered & { readonly type: 'INT64'; readonly valueOf: (number: number) => bigint })
  /** 1 is true. Never dictionary-encoded: readers do not expect a dictionary of booleans. */
  | (Numbered & { readonly type: 'BOOLEAN'; readonly valueOf: (number: number) => number })
  | (Numbered & { readonly type: 'BYTE_ARRAY'; readonly textOf: (number: number) => string })

type NumberedValues = Exclude<ColumnValues, { values: Float64Array }>
type BooleanValues = Extract<ColumnValues, { type: 'BOOLEAN' }>

const isPlain = (column: ColumnValues): column is Exclude<ColumnValues, Numbered> =>
  column.values instanceof Float64Array

export interface ChunkSettings {
  /** The largest number of rows in a group. */
  readonly maxRows: number
  readonly codec: 'ZSTD' | 'UNCOMPRESSED'
}

/** Writes column chunks. The library writes the structure of the file, and this class writes the values. The
 * library would take six times as long: it turns each column into arrays of objects, makes a call per value,
 * and builds a dictionary by comparing all values. */
export class ColumnChunkWriter {
  readonly #codec: ChunkSettings['codec']
  readonly #dictionary: Dictionary
  readonly #levels: Uint8Array
  readonly #page = new Bytes()
  readonly #levelBytes = new Bytes()

  constructor({ maxRows, codec }: ChunkSettings) {
    this.#codec = codec
    this.#dictionary = new Dictionary(maxRows)
    this.#levels = new Uint8Array(maxRows)
  }

  /** @param count rows of the group */
  write(writer: ByteWriter, column: ColumnValues, count: number): ColumnChunk {
    const start = writer.offset
    const { name, type } = column
    const codec = this.#codec
    const page = this.#page
    page.reset()
    if (isPlain(column)) {
      // Not dictionary-encoded, because a dictionary would store 0 and -0 as one value.
      const { buffer, byteOffset } = column.values
      page.append(new Uint8Array(buffer, byteOffset, count * 8))
      const uncompressed = writeDataPage(writer, page.written(), {
        codec,
        levels: noLevels,
        count,
        present: count,
        encoding: 'PLAIN',
      })
      return chunk({ name, type, codec, count, start, writer, uncompressed, dictionary: null })
    }
    if (column.type === 'BOOLEAN') return this.#writeBooleans(writer, column, count)
    const dictionary = this.#dictionary
    const present = dictionary.number(column.values, count, column.none)
    if (present < count && column.isOptional !== true)
      throw new Error(`The column ${name} has a row without a value.`)
    writeDictionary(page, column, dictionary)
    const dictionaryAt = writer.offset
    let uncompressed = writeDictionaryPage(writer, page.written(), codec, dictionary.size)
    const dataAt = writer.offset
    page.reset()
    const bits = Math.max(1, 32 - Math.clz32(Math.max(dictionary.size - 1, 1)))
    page.reserve(1)
    page.buffer[page.at++] = bits
    writeHybrid(page, dictionary.indexes, present, bits)
    const levels = column.isOptional === true ? this.#definitionLevels(column, count, present) : noLevels
    uncompressed += writeDataPage(writer, page.written(), {
      codec,
      levels,
      count,
      present,
      encoding: 'RLE_DICTIONARY',
    })
    const made = chunk({
      name,
      type,
      codec,
      count,
      start,
      writer,
      uncompressed,
      dictionary: { dictionaryAt, dataAt },
    })
    if (made.meta_data !== undefined && column.type === 'INT32' && column.numberOf === undefined)
      made.meta_data.statistics = statisticsOf(dictionary, count - present)
    return made
  }

  #writeBooleans(writer: ByteWriter, column: BooleanValues, count: number): ColumnChunk {
    const start = writer.offset
    const { name, type, values, none } = column
    const codec = this.#codec
    const page = this.#page
    page.reserve(count / 8 + 1)
    let present = 0
    for (let row = 0; row < count; row++) {
      if (values[row] === none) continue
      const byte = present >> 3
      if ((present & 7) === 0) page.buffer[byte] = 0
      page.buffer[byte] |= column.valueOf(values[row]) << (present & 7)
      present++
    }
    page.at = Math.ceil(present / 8)
    const levels = column.isOptional === true ? this.#definitionLevels(column, count, present) : noLevels
    const uncompressed = writeDataPage(writer, page.written(), {
      codec,
      levels,
      count,
      present,
      encoding: 'PLAIN',
    })
    return chunk({ name, type, codec, count, start, writer, uncompressed, dictionary: null })
  }

  #definitionLevels({ values, none }: NumberedValues, count: number, present: number): Uint8Array {
    const levels = this.#levels
    if (present === count) levels.fill(1, 0, count)
    else for (let row = 0; row < count; row++) levels[row] = values[row] === none ? 0 : 1
    this.#levelBytes.reset()
    writeHybrid(this.#levelBytes, levels, count, 1)
    return this.#levelBytes.written()
  }
}

/** Lets readers that look for one company or a few days skip the groups without them. */
function statisticsOf({ keys, size }: Dictionary, nulls: number): Statistics {
  const null_count = BigInt(nulls)
  if (size === 0) return { null_count }
  let min_value = keys[0]
  let max_value = keys[0]
  for (let index = 1; index < size; index++) {
    min_value = Math.min(min_value, keys[index])
    max_value = Math.max(max_value, keys[index])
  }
  return { min_value, max_value, null_count }
}

const noLevels = new Uint8Array(0)

type WithDictionary = Exclude<NumberedValues, BooleanValues>

function writeDictionary(page: Bytes, column: WithDictionary, { keys, size }: Dictionary) {
  const values = (width: number, write: (view: DataView, at: number, key: number) => void) => {
    page.reserve(size * width)
    const view = new DataView(page.buffer.buffer)
    for (let index = 0; index < size; index++, page.at += width) write(view, page.at, keys[index])
  }
  switch (column.type) {
    case 'INT32': {
      const { numberOf } = column
      if (numberOf === undefined) page.append(new Uint8Array(keys.buffer, 0, size * 4))
      else values(4, (view, at, key) => view.setInt32(at, numberOf(key), true))
      return
    }
    case 'FLOAT':
      values(4, (view, at, key) => view.setFloat32(at, column.valueOf(key), true))
      return
    case 'INT64':
      values(8, (view, at, key) => view.setBigInt64(at, column.valueOf(key), true))
      return
    case 'DOUBLE':
      values(8, (view, at, key) => view.setFloat64(at, column.valueOf(key), true))
      return
    case 'BYTE_ARRAY':
      for (let index = 0; index < size; index++) {
        const text = column.textOf(keys[index])
        // A UTF-16 code unit takes at most three bytes in UTF-8.
        page.reserve(4 + text.length * 3)
        const { written } = encoder.encodeInto(text, page.buffer.subarray(page.at + 4))
        new DataView(page.buffer.buffer).setUint32(page.at, written, true)
        page.at += 4 + written
      }
      return
    default:
      column satisfies never
  }
}

const encoder = new TextEncoder()

function writeDictionaryPage(
  writer: ByteWriter,
  bytes: Uint8Array,
  codec: ChunkSettings['codec'],
  size: number,
): number {
  const compressed = compress(bytes, codec)
  const start = writer.offset
  writePageHeader(writer, {
    type: 'DICTIONARY_PAGE',
    uncompressed_page_size: bytes.length,
    compressed_page_size: compressed.length,
    dictionary_page_header: { num_values: size, encoding: 'PLAIN' },
  })
  const header = writer.offset - start
  writer.appendBytes(compressed)
  return header + bytes.length
}

interface DataPage {
  readonly codec: ChunkSettings['codec']
  readonly levels: Uint8Array
  readonly count: number
  readonly present: number
  readonly encoding: 'PLAIN' | 'RLE_DICTIONARY'
}

function writeDataPage(
  writer: ByteWriter,
  bytes: Uint8Array,
  { codec, levels, count, present, encoding }: DataPage,
): number {
  const compressed = compress(bytes, codec)
  const start = writer.offset
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levels.length + bytes.length,
    compressed_page_size: levels.length + compressed.length,
    data_page_header_v2: {
      num_values: count,
      num_nulls: count - present,
      num_rows: count,
      encoding,
      definition_levels_byte_length: levels.length,
      repetition_levels_byte_length: 0,
      is_compressed: codec !== 'UNCOMPRESSED',
    },
  })
  const header = writer.offset - start
  writer.appendBytes(levels)
  writer.appendBytes(compressed)
  return header + levels.length + bytes.length
}

/** Uses the fastest zstd level: the next levels make files 10% smaller but take twice as long. */
const compress = (bytes: Uint8Array, codec: ChunkSettings['codec']): Uint8Array =>
  codec === 'ZSTD' ? Bun.zstdCompressSync(new Uint8Array(bytes), { level: 1 }) : bytes

interface ChunkParts {
  readonly name: string
  readonly type: ParquetType
  readonly codec: ChunkSettings['codec']
  readonly count: number
  readonly start: number
  readonly writer: ByteWriter
  readonly uncompressed: number
  readonly dictionary: { readonly dictionaryAt: number; readonly dataAt: number } | null
}

function chunk({
  name,
  type,
  codec,
  count,
  start,
  writer,
  uncompressed,
  dictionary,
}: ChunkParts): ColumnChunk {
  const meta: ColumnMetaData = {
    type,
    encodings: dictionary === null ? ['PLAIN'] : ['PLAIN', 'RLE_DICTIONARY'],
    path_in_schema: [name],
    codec,
    num_values: BigInt(count),
    total_uncompressed_size: BigInt(uncompressed),
    total_compressed_size: BigInt(writer.offset - start),
    data_page_offset: BigInt(dictionary?.dataAt ?? start),
    ...(dictionary === null ? {} : { dictionary_page_offset: BigInt(dictionary.dictionaryAt) }),
  }
  return { file_offset: BigInt(start), meta_data: meta }
}
