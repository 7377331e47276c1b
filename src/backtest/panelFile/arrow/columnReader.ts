import { NameInterner } from '../../codec/nameInterner.ts'
import { ColumnBounds, type EntryBudget, type ParquetLimits } from '../parquet/bounds.ts'
import type { CellSink } from '../parquet/columnPages.ts'
import { FileFault, FileTooLarge } from '../parquet/faults.ts'
import type { FileBytes } from '../parquet/fileBytes.ts'
import { instantText } from '../parquet/instantText.ts'
import { type BufferBytes, openBuffer } from './bufferBytes.ts'
import { arrowDamage } from './faults.ts'
import type { ArrowField, FixedType, Layout } from './fields.ts'
import type { ColumnPart, RecordBatch } from './messages.ts'
import type { ViewBudget } from './viewBudget.ts'

/** The number of values in memory at a time; a multiple of 8, so that each part begins at a byte of the bitmap. */
const batchValues = 16_384
/** A dictionary may have more values than there are rows, but never usefully more than this. */
const maxUnusedValues = 500_000
/** How many distinct texts are remembered. */
const maxKnown = 100_000

/** The part of a column in one batch. */
export interface BatchPart {
  readonly file: FileBytes
  /** The offset of the batch's body in the stream. */
  readonly from: number
  readonly batch: RecordBatch
  readonly part: ColumnPart
}

export interface ColumnReading {
  /** True if the values are not converted to their logical type. */
  readonly asStored: boolean
  readonly limits: ParquetLimits
  /** The budgets of the whole stream, shared by all its columns. */
  readonly entries: EntryBudget
  readonly views: ViewBudget
  /** The number of rows of the stream. */
  readonly rows: number
}

type Fixed =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float16Array
  | Float32Array
  | Float64Array

const arrays = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float16: Float16Array,
  float32: Float32Array,
  float64: Float64Array,
} as const

/** Reads a column of a stream batch by batch, a few thousand values at a time. */
export class ColumnReader {
  readonly field: ArrowField
  readonly #asStored: boolean
  readonly #limits: ParquetLimits
  readonly #entries: EntryBudget
  readonly #views: ViewBudget
  readonly #rows: number
  readonly #codes = new Int32Array(batchValues)
  readonly #scratch = new Uint8Array(8 * batchValues)
  readonly #texts = new ShownTexts()
  /** Where the texts of a part begin and end in their buffers. */
  readonly #ranges = { froms: new Int32Array(batchValues), ends: new Int32Array(batchValues) }
  #names: NameInterner
  #dictionary: unknown[] | null = null
  /** Reads the values of the dictionary. */
  readonly #values: ColumnReader | null

  constructor(field: ArrowField, reading: ColumnReading) {
    const { asStored, limits, entries, views, rows } = reading
    this.field = field
    this.#asStored = asStored
    this.#limits = limits
    this.#entries = entries
    this.#views = views
    this.#rows = rows
    this.#names = new NameInterner(limits.textLength)
    this.#values =
      field.dictionary === null ? null : new ColumnReader({ ...field, dictionary: null }, reading)
  }

  /** Replaces the dictionary, or adds to it. */
  async readDictionary(source: BatchPart, isDelta: boolean): Promise<void> {
    const { rows } = source.batch
    this.#entries.take(rows)
    // Extended in place: a copy for each of many small additions would take time quadratic in their number.
    const values = isDelta ? (this.#dictionary ?? []) : []
    const most = Math.max(this.#rows, maxUnusedValues)
    if (values.length + rows > most)
      throw new FileTooLarge(
        `the column ${this.field.name} has a dictionary of more than ${most.toLocaleString('en')} values; write plain texts instead of categories`,
      )
    await this.#values?.read(source, 0, {
      cells: (cells, _, length) => {
        for (let i = 0; i < length; i++) values.push(cells[i])
      },
    })
    this.#dictionary = values
  }

  /** @param row the index of the batch's first row */
  async read(source: BatchPart, row: number, sink: CellSink): Promise<void> {
    const { batch, part } = source
    const { rows } = batch
    const { layout, dictionary } = this.field
    if (rows === 0) return
    const opened: BufferBytes[] = []
    const bounds = this.#bounds(rows)
    const open = (index: number, ofRows: ColumnBounds | null = bounds): BufferBytes => {
      const [offset, length] = part.buffers.slice(2 * index)
      const [from, to] = [source.from + offset, source.from + offset + length]
      const buffer = openBuffer({ file: source.file, from, to, codec: batch.codec, rows, bounds: ofRows })
      opened.push(buffer)
      return buffer
    }
    try {
      // As pyarrow does: a column without nulls is read without its bitmap.
      const validity = part.nulls === 0 || (layout.kind === 'none' && dictionary === null) ? null : open(0)
      const reader = dictionary === null ? await this.#open(layout, open, bounds, source) : null
      const indexes = dictionary === null ? null : open(1)
      for (let at = 0; at < rows; at += batchValues) {
        const length = Math.min(batchValues, rows - at)
        const bitmap = validity === null ? null : await validity.take(Math.ceil(length / 8))
        const isNull = bitmap === null ? null : (i: number) => (bitmap[i >> 3] & (1 << (i & 7))) === 0
        const chunk = { row: row + at, length, isNull, sink }
        if (reader !== null) await reader(chunk)
        else if (indexes !== null && dictionary !== null)
          await this.#readCodes(indexes, dictionary.indexes, chunk)
      }
    } finally {
      for (const buffer of opened) buffer.close()
    }
  }

  #bounds(rows: number): ColumnBounds {
    const { element, dictionary, name } = this.field
    const type = dictionary === null ? (element.type ?? 'INT32') : 'INT64'
    return new ColumnBounds({ name, type, width: element.type_length }, rows, this.#limits)
  }

  async #readCodes(indexes: BufferBytes, type: FixedType, chunk: Chunk): Promise<void> {
    const numbers = await this.#fixed(indexes, type, chunk.length)
    const dictionary = this.#dictionary ?? []
    const codes = this.#codes
    for (let i = 0; i < chunk.length; i++) {
      const code = chunk.isNull?.(i) ? -1 : Number(numbers[i])
      if (!(code >= -1 && code < dictionary.length) || (code === -1 && !chunk.isNull?.(i)))
        throw arrowDamage(`the column ${this.field.name} refers to values that its dictionary does not have`)
      codes[i] = code
    }
    emitCodes(dictionary, codes, chunk)
  }

  /** Opens the buffers of a column, and returns what reads its next rows. */
  async #open(
    layout: Layout,
    open: (index: number, ofRows?: ColumnBounds | null) => BufferBytes,
    bounds: ColumnBounds,
    { part }: BatchPart,
  ): Promise<(chunk: Chunk) => Promise<void>> {
    switch (layout.kind) {
      case 'none':
        return async ({ row, length, sink }) => sink.cells(new Array<null>(length).fill(null), row, length)
      case 'bits': {
        const bits = open(1)
        return async chunk => {
          const bytes = await bits.take(Math.ceil(chunk.length / 8))
          emitCells(i => (bytes[i >> 3] & (1 << (i & 7))) !== 0, chunk)
        }
      }
      case 'fixed': {
        const numbers = open(1)
        return async chunk =>
          this.#emitFixed(await this.#fixed(numbers, layout.type, chunk.length), layout, chunk)
      }
      case 'text': {
        const [offsets, bytes] = [open(1), open(2)]
        const wide = layout.offsetBytes === 8
        const [first] = sizesOf(await offsets.take(layout.offsetBytes), wide)
        if (!(first >= 0)) throw arrowDamage('the texts of a column are not in order')
        await bytes.skip(first)
        let end = first
        return async chunk => {
          const ends = sizesOf(await offsets.take(layout.offsetBytes * chunk.length), wide)
          const start = end
          for (const next of ends) {
            if (!(next >= end)) throw arrowDamage('the texts of a column are not in order')
            bounds.checkText(next - end)
            end = next
          }
          const texts = await bytes.take(end - start)
          const { froms, ends: tos } = this.#ranges
          for (let i = 0; i < chunk.length; i++) {
            froms[i] = (i === 0 ? start : ends[i - 1]) - start
            tos[i] = ends[i] - start
          }
          this.#emitTexts(() => texts, chunk)
        }
      }
      case 'view': {
        const views = open(1)
        const whole: Uint8Array[] = []
        let held = 0
        for (let index = 2; index < part.buffers.length / 2; index++) {
          const buffer = open(index, null)
          held += buffer.ownBytes
          this.#views.take(this.field.name, held, buffer.ownBytes)
          whole.push(await buffer.takeAll())
        }
        return async chunk => {
          const bytes = await views.take(16 * chunk.length)
          const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
          const { froms, ends } = this.#ranges
          const buffers = new Array<Uint8Array>(chunk.length)
          for (let i = 0; i < chunk.length; i++) {
            const length = chunk.isNull?.(i) ? 0 : view.getUint32(16 * i, true)
            bounds.checkText(length)
            const isShort = length <= 12
            const buffer = isShort ? bytes : whole[view.getUint32(16 * i + 8, true)]
            const from = isShort ? 16 * i + 4 : view.getUint32(16 * i + 12, true)
            if (buffer === undefined || from + length > buffer.length)
              throw arrowDamage('a text is outside of its buffers')
            buffers[i] = buffer
            froms[i] = from
            ends[i] = from + length
          }
          this.#emitTexts(i => buffers[i], chunk)
        }
      }
      default:
        return layout satisfies never
    }
  }

  /** The next numbers, in memory that is used again. */
  async #fixed(buffer: BufferBytes, type: FixedType, count: number): Promise<Fixed> {
    const Values = arrays[type]
    // Copied, because only a copy is guaranteed to be aligned.
    this.#scratch.set(await buffer.take(count * Values.BYTES_PER_ELEMENT))
    return new Values(this.#scratch.buffer, 0, count)
  }

  #emitFixed(numbers: Fixed, { meaning }: Extract<Layout, { kind: 'fixed' }>, chunk: Chunk): void {
    const { name } = this.field
    switch (meaning.kind) {
      case 'number':
        emitNumbers(this.#asStored ? storedBits(numbers) : numbers, chunk)
        return
      case 'time': {
        const { factor } = meaning
        emitNumbers(factor === 1 ? numbers : mapPresent(numbers, chunk, ms => inMs(name, ms, factor)), chunk)
        return
      }
      case 'day':
      case 'dayInMs': {
        const days = meaning.kind === 'day' ? numbers : mapPresent(numbers, chunk, ms => dayOfMs(name, ms))
        if (this.#asStored) emitNumbers(days, chunk)
        else this.#emitShown(days, 1n, chunk)
        return
      }
      case 'instant': {
        const { factor, perDay } = meaning
        const instants = factor === 1 ? numbers : mapPresent(numbers, chunk, s => inMs(name, s, factor))
        if (this.#asStored) emitNumbers(instants, chunk)
        else this.#emitShown(instants, perDay, chunk)
        return
      }
      default:
        meaning satisfies never
    }
  }

  /** Emits days and instants as text. Each text is made once. */
  #emitShown(numbers: Fixed | readonly (number | bigint)[], perDay: bigint, chunk: Chunk): void {
    const { codes, texts } = this.#texts.codesOf(numbers, perDay, chunk, this.#codes)
    emitCodes(texts, codes, chunk)
  }

  /** Texts whose ranges are in `#ranges`.
   *
   * @param bytesOf the buffer of a row's text */
  #emitTexts(bytesOf: (i: number) => Uint8Array, chunk: Chunk): void {
    const { froms, ends } = this.#ranges
    if (this.#asStored) {
      emitCells(i => bytesOf(i).subarray(froms[i], ends[i]), chunk)
      return
    }
    if (this.#names.names.length > maxKnown) this.#names = new NameInterner(this.#limits.textLength)
    const interner = this.#names
    const codes = this.#codes
    let unknown = false
    for (let i = 0; i < chunk.length; i++) {
      codes[i] = chunk.isNull?.(i) ? -1 : interner.number(bytesOf(i), froms[i], ends[i])
      unknown ||= codes[i] === -1 && !chunk.isNull?.(i)
    }
    if (!unknown) {
      emitCodes(interner.names, codes, chunk)
      return
    }
    // A text that is too long is passed on as it is, so that the error names its row.
    emitCells(
      i => (codes[i] === -1 ? this.#decode(bytesOf(i).slice(froms[i], ends[i])) : interner.names[codes[i]]),
      chunk,
    )
  }

  #decode(bytes: Uint8Array): string {
    try {
      return utf8.decode(bytes)
    } catch {
      throw new FileFault(`the column ${this.field.name} contains bytes that are not UTF-8; write it as text`)
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Some rows of a batch. */
interface Chunk {
  /** The index of the first one in the stream. */
  readonly row: number
  readonly length: number
  /** null: no value is null. */
  readonly isNull: ((i: number) => boolean) | null
  readonly sink: CellSink
}

function emitCells(cellOf: (i: number) => unknown, { row, length, isNull, sink }: Chunk): void {
  const cells = new Array<unknown>(length)
  for (let i = 0; i < length; i++) cells[i] = isNull?.(i) ? null : cellOf(i)
  sink.cells(cells, row, length)
}

function emitNumbers(numbers: Fixed | readonly (number | bigint)[], chunk: Chunk): void {
  if (chunk.isNull === null) chunk.sink.cells(numbers, chunk.row, chunk.length)
  else emitCells(i => numbers[i], chunk)
}

/** @param codes -1 for null */
function emitCodes(dictionary: readonly unknown[], codes: Int32Array, chunk: Chunk): void {
  const { row, length, sink } = chunk
  if (sink.codes !== undefined) sink.codes(dictionary, codes, row, length)
  else emitCells(i => (codes[i] === -1 ? null : dictionary[codes[i]]), { ...chunk, isNull: null })
}

/** Numbers as Parquet stores them: at least 32 bits wide, and unsigned ones in the bits of signed ones. */
function storedBits(numbers: Fixed): Fixed {
  if (numbers instanceof Uint32Array) return new Int32Array(numbers.buffer, 0, numbers.length)
  if (numbers instanceof BigUint64Array) return new BigInt64Array(numbers.buffer, 0, numbers.length)
  return numbers
}

/** A null may have any bits. */
function mapPresent(
  numbers: Fixed,
  { length, isNull }: Chunk,
  map: (number: number | bigint) => number | bigint,
): (number | bigint)[] {
  const mapped = new Array<number | bigint>(length)
  for (let i = 0; i < length; i++) mapped[i] = isNull?.(i) ? 0 : map(numbers[i])
  return mapped
}

function inMs(name: string, seconds: number | bigint, factor: number): number | bigint {
  if (typeof seconds === 'number') return seconds * factor
  const ms = seconds * BigInt(factor)
  if (BigInt.asIntN(64, ms) === ms) return ms
  throw new FileFault(`the column ${name} has a timestamp that does not fit into milliseconds of 64 bits`)
}

const dayMs = 86_400_000n

function dayOfMs(name: string, ms: number | bigint): number {
  const instant = BigInt(ms)
  if (instant % dayMs === 0n) return Number(instant / dayMs)
  throw new FileFault(`the column ${name} is date64 but has a time of day; write it as a timestamp`)
}

function sizesOf(bytes: Uint8Array, isWide: boolean): Int32Array | Float64Array {
  const copy = new Uint8Array(bytes).buffer
  return isWide ? Float64Array.from(new BigInt64Array(copy), Number) : new Int32Array(copy)
}

/** The texts of days and instants that were seen before. */
class ShownTexts {
  #texts: string[] = []
  readonly #codeOf = new Map<number | bigint, number>()

  codesOf(
    numbers: Fixed | readonly (number | bigint)[],
    perDay: bigint,
    { length, isNull }: Pick<Chunk, 'length' | 'isNull'>,
    codes: Int32Array,
  ): { readonly codes: Int32Array; readonly texts: readonly string[] } {
    if (this.#texts.length > maxKnown) {
      this.#texts = []
      this.#codeOf.clear()
    }
    let previous: number | bigint = 0
    let previousCode = -1
    for (let i = 0; i < length; i++) {
      if (isNull?.(i)) {
        codes[i] = -1
        continue
      }
      const number = numbers[i]
      if (previousCode === -1 || number !== previous) {
        previous = number
        previousCode = this.#codeOf.get(number) ?? this.#add(number, perDay)
      }
      codes[i] = previousCode
    }
    return { codes, texts: this.#texts }
  }

  #add(number: number | bigint, perDay: bigint): number {
    const code = this.#texts.push(instantText(BigInt(number), perDay)) - 1
    this.#codeOf.set(number, code)
    return code
  }
}
