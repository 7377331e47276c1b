import type { ParquetType } from 'hyparquet'
import { plural } from '../../report/numberFormat.ts'
import { damage, FileTooLarge } from './faults.ts'

/** What the reader of a file can use. A file states its own sizes and may lie, so these limits decide how
 * much is decompressed. */
export interface ParquetLimits {
  /** Rows times columns of the whole file. */
  readonly cells: number
  /** The longest text in characters. */
  readonly textLength: number
  /** The decompressed size of a column in a row group; by default the most that its values can need. */
  readonly columnBytes?: number
}

/** Bytes of levels, dictionary indexes and block headers that a writer adds per value. */
const overheadPerValue = 16
/** Bytes of a page in addition to its values. */
const pageOverhead = 65_536
/** The same for a column of a row group, including all its page headers. */
const columnOverhead = 1_048_576
/** A dictionary may have more unused entries than there are rows, but never usefully more than this. */
const maxUnusedEntries = 100_000
/** The same limit for all dictionaries of a file: each row group may bring its own, or all may refer to the
 * same bytes. */
const maxUnusedEntriesOfFile = 500_000
/** A text that is slightly too long is reported with its row. Beyond this length it is not even
 * decompressed. */
const minTextBytes = 1_024

/** Limits how many distinct values the dictionaries of a file may have together. With a limit per row group
 * only, 9 KB could expand to 10 million texts. */
export class EntryBudget {
  readonly #max: number
  #taken = 0

  /** @param cells rows times columns of the file */
  constructor(cells: number) {
    this.#max = cells + maxUnusedEntriesOfFile
  }

  get taken(): number {
    return this.#taken
  }

  /** Counts the entries of a dictionary before it is decompressed. */
  take(entries: number): void {
    this.#taken += entries
    if (this.#taken > this.#max)
      throw new FileTooLarge(
        `the dictionaries of its row groups have more than ${shown(this.#max)} values together; write fewer and larger row groups, or plain texts instead of categories`,
      )
  }
}

/** Bounds the decompressed size of the parts of a column. The bounds depend only on its number of values,
 * whatever the file states. */
export class ColumnBounds {
  readonly #name: string
  readonly #textLength: number
  readonly #rows: number
  readonly #maxBytes: number
  readonly #valueBytes: number
  #unpacked = 0

  constructor(
    column: { readonly name: string; readonly type: ParquetType; readonly width: number | undefined },
    rows: number,
    { textLength, columnBytes = Number.POSITIVE_INFINITY }: ParquetLimits,
  ) {
    this.#maxBytes = columnBytes
    this.#name = column.name
    this.#textLength = textLength
    this.#rows = rows
    this.#valueBytes = widthOf(column.type, column.width, textLength)
    if (column.type === 'FIXED_LEN_BYTE_ARRAY' && this.#valueBytes > this.maxTextBytes)
      throw this.#tooLarge(`has values of ${shown(this.#valueBytes)} bytes`)
  }

  /** The largest size of a single value. */
  get maxTextBytes(): number {
    return Math.max(minTextBytes, bytesOfText(this.#textLength))
  }

  get maxEntries(): number {
    return Math.max(this.#rows, maxUnusedEntries)
  }

  /** Checks the size of the whole column in its row group, as stated in the footer. */
  checkStated(bytes: number): void {
    if (bytes > this.#max) throw this.#tooLarge(`has ${shown(bytes)} bytes unpacked`)
  }

  /** Checks and counts a page before it is decompressed. */
  addPage(values: number, bytes: number): void {
    this.#unpacked += bytes
    const max = values * (this.#valueBytes + overheadPerValue) + pageOverhead
    if (bytes > max)
      throw this.#tooLarge(`has a page of ${shown(bytes)} bytes unpacked for ${plural(values, 'value')}`)
    if (this.#unpacked > this.#max) throw this.#tooLarge(`has more than ${shown(this.#max)} bytes unpacked`)
  }

  /** Checks a dictionary page before it is decompressed. */
  addDictionary(entries: number, bytes: number): void {
    if (entries > this.maxEntries)
      throw this.#tooLarge(`has a dictionary of ${shown(entries)} values for ${plural(this.#rows, 'row')}`)
    this.addPage(entries, bytes)
  }

  /** Checks a text as soon as its length is known. */
  checkText(bytes: number): void {
    if (bytes > this.maxTextBytes) throw this.#tooLarge(`has a value of ${shown(bytes)} bytes`)
  }

  get #max(): number {
    const ofValues = (this.#rows + this.maxEntries) * (this.#valueBytes + overheadPerValue) + columnOverhead
    return Math.min(ofValues, this.#maxBytes)
  }

  #tooLarge(what: string): FileTooLarge {
    return new FileTooLarge(
      `the column ${this.#name} ${what}, and it has ${plural(this.#rows, 'row')} there; a value is a day, a number or a text of up to ${this.#textLength} characters. Shorten the texts, or write only the columns that are needed`,
    )
  }
}

/** A UTF-16 code unit takes up to 3 bytes in UTF-8. */
const bytesOfText = (length: number) => 3 * length

function widthOf(type: ParquetType, width: number | undefined, textLength: number): number {
  switch (type) {
    case 'BOOLEAN':
      return 1
    case 'INT32':
    case 'FLOAT':
      return 4
    case 'INT64':
    case 'DOUBLE':
      return 8
    case 'INT96':
      return 12
    case 'FIXED_LEN_BYTE_ARRAY':
      if (width === undefined || !(width > 0)) throw damage('it has a column without a width')
      return width
    case 'BYTE_ARRAY':
      return 4 + bytesOfText(textLength)
    default:
      return type satisfies never
  }
}

const shown = (value: number) => value.toLocaleString('en')
