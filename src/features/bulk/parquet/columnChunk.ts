import type { ColumnChunk, ColumnMetaData, ParquetType, Statistics } from 'hyparquet'
import type { ByteWriter } from 'hyparquet-writer'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { Dictionary } from './dictionary.ts'
import { none, rowsPerGroup } from './rowBuffer.ts'
import { Bytes, writeHybrid } from './runLength.ts'

/** One column of a row group. */
export type ColumnValues =
  | { readonly name: string; readonly type: 'DOUBLE'; readonly values: Float64Array }
  | {
      readonly name: string
      readonly type: 'INT32'
      readonly values: Int32Array
      readonly isOptional?: boolean
    }
  | {
      readonly name: string
      readonly type: 'BYTE_ARRAY'
      /** The number of a text in each row. */
      readonly values: Int32Array
      readonly textOf: (number: number) => string
      readonly isOptional?: boolean
    }

/** Writes column chunks. The library writes the structure of the file; this writes the values, which with it would take six times
 * as long: it turns each column into arrays of objects, and each value into a call. */
export class ColumnChunkWriter {
  readonly #dictionary = new Dictionary(rowsPerGroup, none)
  readonly #levels = new Uint8Array(rowsPerGroup)
  readonly #page = new Bytes()
  readonly #levelBytes = new Bytes()

  /** @param count rows of the group */
  write(writer: ByteWriter, column: ColumnValues, count: number): ColumnChunk {
    const start = writer.offset
    const { name, type } = column
    const page = this.#page
    page.reset()
    if (column.type === 'DOUBLE') {
      // Not as numbers of a dictionary: it would store 0 and -0 as one value.
      const bytes = new Uint8Array(column.values.buffer, 0, count * 8)
      page.reserve(bytes.length)
      page.buffer.set(bytes)
      page.at = bytes.length
      const uncompressed = writeDataPage(writer, page.written(), noLevels, count, count, 'PLAIN')
      return chunk({ name, type, count, start, writer, uncompressed, dictionary: null })
    }
    const dictionary = this.#dictionary
    const present = dictionary.number(column.values, count)
    if (present < count && column.isOptional !== true)
      throw new Error(`The column ${name} has a row without a value.`)
    writeDictionary(page, column, dictionary)
    const dictionaryAt = writer.offset
    let uncompressed = writeDictionaryPage(writer, page.written(), dictionary.size)
    const dataAt = writer.offset
    page.reset()
    const bits = Math.max(1, 32 - Math.clz32(Math.max(dictionary.size - 1, 1)))
    page.reserve(1)
    page.buffer[page.at++] = bits
    writeHybrid(page, dictionary.indexes, present, bits)
    const levels = column.isOptional === true ? this.#definitionLevels(column.values, count) : noLevels
    uncompressed += writeDataPage(writer, page.written(), levels, count, present, 'RLE_DICTIONARY')
    const made = chunk({
      name,
      type,
      count,
      start,
      writer,
      uncompressed,
      dictionary: { dictionaryAt, dataAt },
    })
    if (made.meta_data !== undefined && column.type === 'INT32')
      made.meta_data.statistics = statisticsOf(dictionary, count - present)
    return made
  }

  #definitionLevels(values: Int32Array, count: number): Uint8Array {
    const levels = this.#levels
    for (let row = 0; row < count; row++) levels[row] = values[row] === none ? 0 : 1
    this.#levelBytes.reset()
    writeHybrid(this.#levelBytes, levels, count, 1)
    return this.#levelBytes.written()
  }
}

/** Readers that look for one company or some days skip the groups without them. */
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

function writeDictionary(
  page: Bytes,
  column: Exclude<ColumnValues, { type: 'DOUBLE' }>,
  { keys, size }: Dictionary,
) {
  if (column.type === 'INT32') {
    const bytes = new Uint8Array(keys.buffer, 0, size * 4)
    page.reserve(bytes.length)
    page.buffer.set(bytes)
    page.at = bytes.length
    return
  }
  for (let index = 0; index < size; index++) {
    const text = column.textOf(keys[index])
    // A character of UTF-16 takes at most three bytes.
    page.reserve(4 + text.length * 3)
    const { written } = encoder.encodeInto(text, page.buffer.subarray(page.at + 4))
    new DataView(page.buffer.buffer).setUint32(page.at, written, true)
    page.at += 4 + written
  }
}

const encoder = new TextEncoder()

function writeDictionaryPage(writer: ByteWriter, bytes: Uint8Array, size: number): number {
  const compressed = compress(bytes)
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

function writeDataPage(
  writer: ByteWriter,
  bytes: Uint8Array,
  levels: Uint8Array,
  count: number,
  present: number,
  encoding: 'PLAIN' | 'RLE_DICTIONARY',
): number {
  const compressed = compress(bytes)
  const start = writer.offset
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levels.length + bytes.length,
    compressed_page_size: levels.length + compressed.length,
    data_page_header_v2: {
      ...{ num_values: count, num_nulls: count - present, num_rows: count, encoding },
      definition_levels_byte_length: levels.length,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  })
  const header = writer.offset - start
  writer.appendBytes(levels)
  writer.appendBytes(compressed)
  return header + levels.length + bytes.length
}

/** Of zstd's levels the fastest: the next ones make files a tenth smaller for twice the time. */
const compress = (bytes: Uint8Array): Uint8Array => Bun.zstdCompressSync(new Uint8Array(bytes), { level: 1 })

interface ChunkParts {
  readonly name: string
  readonly type: ParquetType
  readonly count: number
  readonly start: number
  readonly writer: ByteWriter
  readonly uncompressed: number
  readonly dictionary: { readonly dictionaryAt: number; readonly dataAt: number } | null
}

function chunk({ name, type, count, start, writer, uncompressed, dictionary }: ChunkParts): ColumnChunk {
  const meta: ColumnMetaData = {
    type,
    encodings: dictionary === null ? ['PLAIN'] : ['PLAIN', 'RLE_DICTIONARY'],
    path_in_schema: [name],
    codec: 'ZSTD',
    num_values: BigInt(count),
    total_uncompressed_size: BigInt(uncompressed),
    total_compressed_size: BigInt(writer.offset - start),
    data_page_offset: BigInt(dictionary?.dataAt ?? start),
    ...(dictionary === null ? {} : { dictionary_page_offset: BigInt(dictionary.dictionaryAt) }),
  }
  return { file_offset: BigInt(start), meta_data: meta }
}
