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

/** Reads rows from a Parquet file or an Arrow stream with the columns date and ticker; other columns are read as they are
 * stored. Values are converted to numbers in chunks, because as text they take ten times the memory. */
export async function readParquetRows(
  bytes: Uint8Array<ArrayBuffer>,
  maxRows: number,
  format: TableFormat = 'parquet',
): Promise<ParsedRows> {
  const names = new NameInterner(maxTickerLength)
  let day = new NumberColumn(0)
  let name = new NumberColumn(0)
  const carried = new Map<string, StoredColumn>()
  let layout: readonly ('date' | 'ticker' | StoredColumn)[] = []
  let taken = 0
  const dates = new Map<unknown, number>()
  const tickers = new Map<unknown, number>()
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
      day = new NumberColumn(rows)
      name = new NumberColumn(rows)
    },
    take: (column, values, from, length) => {
      taken += length
      if (!isKey(column)) {
        carried.get(column)?.take(values, from, length)
        return
      }
      const isDate = column === 'date'
      const known = isDate ? dates : tickers
      const numbers = (isDate ? day : name).upTo(from + length)
      for (let i = 0; i < length; i++) {
        const value = values[i]
        let number = known.get(value)
        if (number === undefined) {
          number = isDate ? readDate(value, from + i) : names.numberOf(readTicker(value, from + i))
          if (names.names.length > maxTickers) throw tooManyTickers()
          if (known.size < maxKnown) known.set(value, number)
        }
        numbers[from + i] = number
      }
    },
  })
  if (taken !== layout.length * count) {
    throw new Failure('body_invalid', 'The file has fewer values than rows. Write it again.', {
      param: 'rows',
    })
  }
  return {
    count,
    day: day.upTo(count),
    name: name.upTo(count),
    names: names.names,
    layout: layout.map(column => (typeof column === 'string' ? column : column.finish(count))),
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
