import type { ColumnMetaData, DecodedArray, Encoding, ParquetParsers, SchemaElement } from 'hyparquet'
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { ColumnBounds, type EntryBudget, type ParquetLimits } from './bounds.ts'
import { damaged, FileFault } from './faults.ts'
import type { FileBytes } from './fileBytes.ts'
import { PageBytes, unpackPage } from './pageBytes.ts'
import { type CheckedHeader, maxHeaderBytes, readPageHeader } from './pageHeader.ts'
import { openIndexes, openValues, plainValues, type ValueReader } from './pageValues.ts'
import { RunReader } from './runLength.ts'

/** A column of one row group. */
export interface ColumnPart {
  readonly schema: SchemaElement
  readonly metadata: ColumnMetaData
  /** The number of rows in the row group. */
  readonly rows: number
  /** The budget of the whole file, shared by all its parts. */
  readonly entries: EntryBudget
  /** True if the values are not converted to their logical type. */
  readonly asStored: boolean
}

/** Receives cells of a column for the rows from `from` on. */
export interface CellSink {
  readonly cells: (cells: ArrayLike<unknown>, from: number, length: number) => void
  /** Receives cells that refer to a dictionary, as indexes into it, with -1 for null. If absent, `cells` gets
   * the values instead. */
  readonly codes?:
    | ((dictionary: ArrayLike<unknown>, codes: Int32Array, from: number, length: number) => void)
    | undefined
}

/** The number of values in memory at a time. */
const batchValues = 16_384
/** A writer may end an empty group with an empty page. */
const maxEmptyPages = 16

/** Reads the pages of a column one after the other, a few thousand values at a time. hyparquet reads the
 * headers and converts values. On its own it would decompress a page completely and create an object for
 * each of its values at once. */
export async function readColumnPart(
  file: FileBytes,
  part: ColumnPart,
  limits: ParquetLimits,
  parsers: Partial<ParquetParsers>,
  sink: CellSink,
): Promise<void> {
  await new ColumnPages(file, part, limits, parsers, sink).read()
}

class ColumnPages {
  readonly #part: ColumnPart
  readonly #bounds: ColumnBounds
  readonly #convert: (values: DecodedArray) => DecodedArray
  readonly #sink: CellSink
  readonly #file: FileBytes
  readonly #from: number
  readonly #to: number
  #dictionary: DecodedArray | null = null
  /** One buffer, reused for all pages. */
  #levelsMemory = new Uint8Array(0)
  readonly #codes = new Int32Array(batchValues)
  readonly #indexes = new Int32Array(batchValues)
  #row = 0

  constructor(
    file: FileBytes,
    part: ColumnPart,
    limits: ParquetLimits,
    parsers: Partial<ParquetParsers>,
    sink: CellSink,
  ) {
    const { schema: element, metadata, rows } = part
    const { name } = element
    if (element.type !== metadata.type) throw new FileFault(damaged)
    this.#part = part
    this.#sink = sink
    this.#bounds = new ColumnBounds({ name, type: metadata.type, width: element.type_length }, rows, limits)
    this.#bounds.checkStated(Number(metadata.total_uncompressed_size))
    this.#file = file
    ;[this.#from, this.#to] = rangeOf(metadata, file.length)
    const decoder = {
      pathInSchema: [name],
      schemaPath: [{ element, children: [], count: 1, path: [name] }],
      type: metadata.type,
      codec: metadata.codec,
      parsers: { ...DEFAULT_PARSERS, ...parsers },
      element,
    }
    this.#convert = part.asStored ? values => values : values => convert(values, decoder)
  }

  async read(): Promise<void> {
    let at = this.#from
    let emptyPages = 0
    while (this.#row < this.#part.rows) {
      if (at >= this.#to)
        throw new FileFault(`the column ${this.#part.schema.name} has fewer values than rows`)
      const start = this.#file.slice(at, Math.min(this.#to, at + maxHeaderBytes))
      const { header, length } = readPageHeader(start)
      const from = at + length
      at = from + header.packedBytes
      if (at > this.#to || !isPlausible(header)) throw new FileFault(damaged)
      if (header.values === 0 && ++emptyPages > maxEmptyPages) throw new FileFault(damaged)
      this.#file.release(start)
      const packed = this.#file.slice(from, at)
      if (header.kind === 'DICTIONARY_PAGE') await this.#readDictionary(packed, header)
      else await this.#readData(packed, header)
      // Texts may still refer to the bytes of their page.
      if (this.#isCopied(header)) this.#file.release(packed)
    }
  }

  async #readDictionary(packed: Uint8Array, { values, unpackedBytes }: CheckedHeader): Promise<void> {
    this.#bounds.addDictionary(values, unpackedBytes)
    this.#part.entries.take(values)
    const page = unpackPage(packed, unpackedBytes, this.#part.metadata.codec)
    try {
      this.#dictionary = this.#convert(await plainValues(page, this.#stored).read(values))
    } finally {
      page.close()
    }
  }

  async #readData(packed: Uint8Array, header: CheckedHeader): Promise<void> {
    const { values, unpackedBytes } = header
    if (values > this.#part.rows - this.#row)
      throw new FileFault(`the column ${this.#part.schema.name} has more values than rows`)
    this.#bounds.addPage(values, unpackedBytes)
    const levelBytes = header.levelBytes ?? 0
    if (levelBytes > packed.length || levelBytes > unpackedBytes) throw new FileFault(damaged)
    const codec = header.isPacked ? this.#part.metadata.codec : 'UNCOMPRESSED'
    const page = unpackPage(packed.subarray(levelBytes), unpackedBytes - levelBytes, codec)
    try {
      const levels =
        header.levelBytes === null
          ? await this.#levelsWithin(page, values)
          : await this.#levels(packed.subarray(0, levelBytes), values)
      await this.#readCells(page, header, levels)
    } finally {
      page.close()
      if (codec !== 'UNCOMPRESSED' && this.#isCopied(header)) page.release()
    }
  }

  get #stored() {
    const { metadata, schema } = this.#part
    return { type: metadata.type, width: schema.type_length, bounds: this.#bounds }
  }

  /** Whether the bytes of a page are unreferenced once it has been read. */
  #isCopied({ kind, encoding }: CheckedHeader): boolean {
    return this.#part.metadata.type === 'DOUBLE' || (kind !== 'DICTIONARY_PAGE' && isCoded(encoding))
  }

  get #isNullable(): boolean {
    return this.#part.schema.repetition_type !== 'REQUIRED'
  }

  /** In version 1 of the format, the first bytes of a page are the length of its levels. */
  async #levelsWithin(page: PageBytes, values: number): Promise<Uint8Array | null> {
    if (!this.#isNullable) return null
    await page.fill(4)
    const { buffer, byteOffset } = page.bytes
    const length = new DataView(buffer, byteOffset + page.at, 4).getUint32(0, true)
    page.at += 4
    // No writer uses more space per level than a run of its own.
    if (length > 4 * values + 64) throw new FileFault(damaged)
    await page.fill(length)
    page.at += length
    return this.#levels(page.bytes.subarray(page.at - length, page.at), values)
  }

  /** Returns 0 for each value that is null and 1 for each other value; null if no value is null. */
  async #levels(bytes: Uint8Array, values: number): Promise<Uint8Array | null> {
    if (!this.#isNullable) return null
    if (this.#levelsMemory.length < values) this.#levelsMemory = new Uint8Array(values)
    const levels = this.#levelsMemory.subarray(0, values)
    await new RunReader(new PageBytes(bytes), 1).read(levels, values)
    return levels.includes(0) ? levels : null
  }

  async #readCells(page: PageBytes, header: CheckedHeader, levels: Uint8Array | null): Promise<void> {
    const present = levels === null ? header.values : countPresent(levels, 0, header.values)
    if (present === 0) {
      this.#fillNulls(header.values)
      return
    }
    if (this.#sink.codes !== undefined && isCoded(header.encoding)) {
      await this.#readCodes(page, header.values, levels)
      return
    }
    const reader = await this.#open(page, header.encoding, present)
    for (let at = 0; at < header.values; ) {
      const length = Math.min(batchValues, header.values - at)
      const count = levels === null ? length : countPresent(levels, at, at + length)
      const values = await reader.read(count)
      const cells = levels === null ? values : withNulls(values, levels, at, length)
      this.#sink.cells(cells, this.#row, length)
      this.#row += length
      at += length
    }
  }

  /** @param levels null: no value is null */
  async #readCodes(page: PageBytes, values: number, levels: Uint8Array | null): Promise<void> {
    const dictionary = this.#dictionary
    const { codes: take } = this.#sink
    if (dictionary === null || take === undefined) throw new FileFault(damaged)
    const runs = await openIndexes(page)
    const codes = this.#codes
    const indexes = levels === null ? codes : this.#indexes
    for (let at = 0; at < values; ) {
      const length = Math.min(batchValues, values - at)
      const count = levels === null ? length : countPresent(levels, at, at + length)
      await runs.read(indexes, count)
      for (let i = 0; i < count; i++)
        if (!(indexes[i] >= 0 && indexes[i] < dictionary.length)) throw new FileFault(damaged)
      if (levels !== null) {
        let next = 0
        for (let i = 0; i < length; i++) codes[i] = levels[at + i] === 0 ? -1 : indexes[next++]
      }
      take(dictionary, codes, this.#row, length)
      this.#row += length
      at += length
    }
  }

  #fillNulls(count: number): void {
    for (let left = count; left > 0; ) {
      const length = Math.min(batchValues, left)
      this.#sink.cells(new Array<null>(length).fill(null), this.#row, length)
      this.#row += length
      left -= length
    }
  }

  /** Opens the values of a page with the reader for its encoding. */
  async #open(page: PageBytes, encoding: Encoding, present: number): Promise<ValueReader> {
    if (!isCoded(encoding)) {
      const stored = await openValues(page, encoding, this.#stored, present)
      return { read: async count => this.#convert(await stored.read(count)) }
    }
    const dictionary = this.#dictionary
    if (dictionary === null) throw new FileFault(damaged)
    const runs = await openIndexes(page)
    const indexes = new Int32Array(Math.min(batchValues, present))
    return {
      read: async count => {
        await runs.read(indexes, count)
        const values = new Array<unknown>(count)
        for (let i = 0; i < count; i++) {
          const index = indexes[i]
          if (!(index >= 0 && index < dictionary.length)) throw new FileFault(damaged)
          values[i] = dictionary[index]
        }
        return values
      },
    }
  }
}

const isCoded = (encoding: Encoding) => encoding === 'RLE_DICTIONARY' || encoding === 'PLAIN_DICTIONARY'

/** Bounds how far a page may grow by compression: no codec adds more to incompressible data. Nothing else
 * limits how much of the file is read for a page. */
const isPlausible = ({ packedBytes, unpackedBytes }: CheckedHeader) =>
  packedBytes <= 2 * unpackedBytes + 65_536

function countPresent(levels: Uint8Array, from: number, to: number): number {
  let count = 0
  for (let i = from; i < to; i++) count += levels[i]
  return count
}

function withNulls(values: DecodedArray, levels: Uint8Array, from: number, length: number): unknown[] {
  const cells = new Array<unknown>(length)
  let next = 0
  for (let i = 0; i < length; i++) cells[i] = levels[from + i] === 0 ? null : values[next++]
  return cells
}

/** The byte range of a column's pages in the file. Its dictionary comes first; Polars omits the dictionary's
 * offset. */
function rangeOf(metadata: ColumnMetaData, fileBytes: number): [from: number, to: number] {
  const data = Number(metadata.data_page_offset)
  const dictionary = Number(metadata.dictionary_page_offset ?? 0)
  const from = dictionary > 0 && dictionary < data ? dictionary : data
  const to = from + Number(metadata.total_compressed_size)
  if (!(from >= 0 && from <= to && to <= fileBytes)) throw new FileFault(damaged)
  return [from, to]
}
