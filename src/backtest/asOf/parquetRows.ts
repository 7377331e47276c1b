import { dayNumber, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { showValue } from '../codec/faults.ts'
import { NameInterner } from '../codec/nameInterner.ts'
import { readTableChunks } from '../panelFile/tableFile.ts'
import type { TableFormat } from '../request.ts'
import { checkCarriedCells, checkCarriedName, maxCarriedColumns } from './carried/carriedColumn.ts'
import { type StoredColumn, storedColumn } from './carried/storedColumns.ts'
import { maxJoinRows, maxTickerLength } from './request.ts'
import { maxTickers, type ParsedRows, tooManyRows, tooManyTickers } from './rows.ts'
import { timeColumn } from './rowTimes.ts'

/** The maximum number of distinct values that are cached. No request can use more days than that. */
const maxKnown = 100_000

const isKey = (name: string) => name === 'date' || name === 'ticker'

/** The longest text in a column that is only carried through. */
const maxTextLength = 500
/** The maximum decompressed size of such a column in one row group. Its texts may be long, and a few bytes of a file
 * can declare millions of them. */
const maxColumnBytes = 256 * 1_024 * 1_024

const limits = {
  numbers: [],
  cells: (2 + maxCarriedColumns) * maxJoinRows,
  textLength: maxTickerLength,
  asStored: (name: string) =>
    isKey(name) ? null : { textLength: maxTextLength, columnBytes: maxColumnBytes },
}

/** Reads rows from a Parquet file or an Arrow stream with the columns date and ticker. Other columns are read as they
 * are stored. Values are converted to numbers in chunks, because as text they take ten times the memory. */
export async function readParquetRows(
  bytes: Uint8Array<ArrayBuffer>,
  maxRows: number,
  format: TableFormat = 'parquet',
): Promise<ParsedRows> {
  const names = new NameInterner(maxTickerLength)
  const day = new KeyColumn(readDate)
  const name = new KeyColumn((value, row) => {
    const number = names.numberOf(readTicker(value, row))
    if (names.names.length > maxTickers) throw tooManyTickers()
    return number
  })
  const carried = new Map<string, StoredColumn>()
  let layout: readonly ('date' | 'ticker' | StoredColumn)[] = []
  let taken = 0
  const keyOf = (column: string) => (column === 'date' ? day : name)
  const count = await readTableChunks(bytes, format, limits, {
    open: (columns, rows, elements) => {
      requireColumns(columns)
      // Taken from the metadata, before any value is read.
      if (rows > maxRows) tooManyRows(maxRows, rows)
      checkCarriedCells(rows, columns.length - 2)
      layout = elements.map(element => {
        const { name } = element
        if (name === 'date' || name === 'ticker') return name
        checkCarriedName(name, carried.size, 'rows')
        const column = storedColumn(element)
        carried.set(name, column)
        return column
      })
      day.open(rows)
      name.open(rows)
    },
    take: (column, values, from, length) => {
      taken += length
      if (isKey(column)) keyOf(column).take(values, from, length)
      else carried.get(column)?.take(values, from, length)
    },
    takeCodes: (column, dictionary, codes, from, length) => {
      taken += length
      if (isKey(column)) {
        keyOf(column).takeCodes(dictionary, codes, from, length)
        return
      }
      const values = new Array<unknown>(length)
      for (let i = 0; i < length; i++) values[i] = codes[i] === -1 ? null : dictionary[codes[i]]
      carried.get(column)?.take(values, from, length)
    },
  })
  if (taken !== layout.length * count) {
    throw new Failure('body_invalid', 'The file has fewer values than rows. Write it again.', {
      param: 'rows',
    })
  }
  return {
    count,
    day: day.numbers.upTo(count),
    name: name.numbers.upTo(count),
    names: names.names,
    layout: layout.map(column => (typeof column === 'string' ? column : column.finish(count))),
  }
}

const unread = -0x8000_0000

/** Days or names as numbers. Each distinct value is read once, for the first row that has it. */
class KeyColumn {
  numbers = new NumberColumn(0)
  readonly #read: (value: unknown, row: number) => number
  readonly #known = new Map<unknown, number>()
  #dictionary: ArrayLike<unknown> | null = null
  /** The number of each value of the dictionary that a row has used. */
  #numberOfCode = new Int32Array(0)

  /** @param read fails if the value is not valid */
  constructor(read: (value: unknown, row: number) => number) {
    this.#read = read
  }

  open(rows: number): void {
    this.numbers = new NumberColumn(rows)
  }

  take(values: ArrayLike<unknown>, from: number, length: number): void {
    const numbers = this.numbers.upTo(from + length)
    for (let i = 0; i < length; i++) numbers[from + i] = this.#numberOf(values[i], from + i)
  }

  /** @param dictionary may have become longer since the last call */
  takeCodes(dictionary: ArrayLike<unknown>, codes: Int32Array, from: number, length: number): void {
    if (this.#dictionary !== dictionary) this.#numberOfCode = new Int32Array(dictionary.length).fill(unread)
    this.#dictionary = dictionary
    if (this.#numberOfCode.length < dictionary.length) {
      const longer = new Int32Array(2 * dictionary.length).fill(unread)
      longer.set(this.#numberOfCode)
      this.#numberOfCode = longer
    }
    const numbers = this.numbers.upTo(from + length)
    const table = this.#numberOfCode
    for (let i = 0; i < length; i++) {
      const code = codes[i]
      let number = code === -1 ? unread : table[code]
      if (number === unread) {
        number = this.#numberOf(code === -1 ? null : dictionary[code], from + i)
        if (code !== -1) table[code] = number
      }
      numbers[from + i] = number
    }
  }

  #numberOf(value: unknown, row: number): number {
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const number = this.#read(value, row)
    if (this.#known.size < maxKnown) this.#known.set(value, number)
    return number
  }
}

/** A column in shared memory that grows with its values, because a file may declare millions of rows and
 * contain none. */
class NumberColumn {
  readonly #rows: number
  #values = new Int32Array(new SharedArrayBuffer(0))

  constructor(rows: number) {
    this.#rows = rows
  }

  /** Grows the column to hold at least `count` values, and returns it. */
  upTo(count: number): Int32Array {
    const before = this.#values
    if (count > before.length) {
      const room = Math.min(this.#rows, Math.max(count, 2 * before.length))
      this.#values = new Int32Array(new SharedArrayBuffer(4 * room))
      this.#values.set(before)
    }
    return this.#values
  }
}

function requireColumns(columns: readonly string[]): void {
  const absent = ['date', 'ticker'].find(
    name => !columns.includes(name) && !(name === 'date' && columns.includes(timeColumn)),
  )
  if (absent === undefined) return
  throw new Failure(
    'parameter_invalid',
    `The file does not have the column ${absent}. Send the columns date and ticker.`,
    { param: 'rows' },
  )
}

function readDate(value: unknown, row: number): number {
  if (typeof value === 'string' && isIsoDate(value)) return dayNumber(value)
  throw new Failure(
    'parameter_invalid',
    `date[${row}] is ${describe(value)}; it must be a day: DATE, a timestamp at midnight, or text as YYYY-MM-DD.`,
    { param: `date[${row}]` },
  )
}

function readTicker(value: unknown, row: number): string {
  if (typeof value === 'string' && value !== '' && value.length <= maxTickerLength && value.isWellFormed())
    return value
  throw new Failure(
    'parameter_invalid',
    `ticker[${row}] is ${describe(value)}; it must be text of 1 to ${maxTickerLength} characters. IDs that look like numbers are text, too: 005930.KS.`,
    { param: `ticker[${row}]` },
  )
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return typeof value === 'bigint' ? String(value) : showValue(value)
}
