import { dayNumber, isIsoDate, isoDate } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'

/** The columns of a file, in any order. `symbol` may also be called `ticker` or `id`. */
export const priceColumns = [
  'date',
  'symbol',
  'market',
  'close',
  'volume',
  'split_factor',
  'dividend',
  'delisting_return',
  'known',
] as const
export type PriceColumn = (typeof priceColumns)[number]

const otherNames: Readonly<Record<string, PriceColumn>> = { ticker: 'symbol', id: 'symbol' }

/** The columns that are numbers. */
export const numberColumns = ['close', 'volume', 'split_factor', 'dividend', 'delisting_return'] as const
export type NumberColumn = (typeof numberColumns)[number]

/** Numbers of these columns, with what an empty cell means. */
export const numberRules: Readonly<
  Record<
    NumberColumn,
    { readonly min: number; readonly max: number; readonly empty: number; readonly says: string }
  >
> = {
  close: {
    min: Number.MIN_VALUE,
    max: 1e12,
    empty: Number.NaN,
    says: 'a price above 0, or empty if the day has no close',
  },
  volume: { min: 0, max: 1e15, empty: Number.NaN, says: 'a number of shares from 0, or empty' },
  split_factor: {
    min: 0,
    max: 1e6,
    empty: 1,
    says: 'new shares for one old share, above 0, for example 4 for a 4-for-1 split; empty, 0 or 1 where there is none',
  },
  dividend: { min: 0, max: 1e12, empty: 0, says: 'cash per share from 0, or empty' },
  delisting_return: {
    min: -1,
    max: 1e6,
    empty: Number.NaN,
    says: 'a fraction from -1, the loss of everything, or empty',
  },
}

const maxRows = 60_000_000
export const firstPriceDay = dayNumber('1900-01-01')
export const maxSymbolLength = 32
export const maxFaults = 20

export interface PriceFault {
  /** A line of a CSV or a row of a Parquet file. */
  readonly line: number
  readonly reason: string
}

/** The rows of a file as columns that grow. */
export class StagedPrices {
  count = 0
  readonly has: ReadonlySet<PriceColumn>
  symbolOf = new Int32Array(0)
  marketOf = new Int32Array(0)
  days = new Int32Array(0)
  knownDays = new Int32Array(0)
  readonly numbers: Record<NumberColumn, Float64Array>
  refused = 0
  readonly faults: PriceFault[] = []
  /** Rows whose line does not follow that of the row before, ascending, and their lines. */
  readonly #rowsOfLines: number[] = []
  readonly #lines: number[] = []

  constructor(columns: readonly PriceColumn[]) {
    this.has = new Set(columns)
    const none = new Float64Array(0)
    this.numbers = { close: none, volume: none, split_factor: none, dividend: none, delisting_return: none }
    this.reserve(65_536)
  }

  /** Makes room for one more row. */
  next(): number {
    if (this.count === this.days.length) this.reserve(Math.ceil(this.count * 1.6))
    return this.count
  }

  reserve(rows: number): void {
    if (this.count >= maxRows)
      throw new Failure(
        'body_invalid',
        `The file has more than ${maxRows.toLocaleString('en-US')} rows. Split it by date and import the parts one after the other.`,
      )
    this.symbolOf = grown(this.symbolOf, new Int32Array(rows))
    this.days = grown(this.days, new Int32Array(rows))
    if (this.has.has('market')) this.marketOf = grown(this.marketOf, new Int32Array(rows))
    if (this.has.has('known')) this.knownDays = grown(this.knownDays, new Int32Array(rows))
    for (const column of numberColumns)
      if (this.has.has(column)) this.numbers[column] = grown(this.numbers[column], new Float64Array(rows))
  }

  /** Says on which line of the file the next row is. Rows after it are on the lines that follow, until this is called again. */
  nextIsOn(line: number): void {
    if (this.lineOf(this.count) === line) return
    if (this.#rowsOfLines.at(-1) === this.count) this.#lines.pop()
    else this.#rowsOfLines.push(this.count)
    this.#lines.push(line)
  }

  /** The line of a CSV or the row of a Parquet file, from 1, that a row came from. */
  lineOf(row: number): number {
    const at = this.#rowsOfLines.findLastIndex(first => first <= row)
    return at === -1 ? row + 1 : this.#lines[at] + row - this.#rowsOfLines[at]
  }

  refuse(line: number, reason: string): void {
    this.refused++
    if (this.faults.length < maxFaults) this.faults.push({ line, reason })
  }
}

function grown<A extends Int32Array | Float64Array>(from: A, to: A): A {
  to.set(from)
  return to
}

/** The columns of a header; fails with what is wrong. */
export function readPriceHeader(cells: readonly string[], name: string): PriceColumn[] {
  const columns: PriceColumn[] = []
  for (const cell of cells) {
    const lower = cell.trim().toLowerCase()
    const column = priceColumns.find(known => known === lower) ?? otherNames[lower]
    if (column === undefined)
      throw new Failure(
        'parameter_unknown',
        `${name} has the unknown column ${JSON.stringify(cell.slice(0, 60))}. Allowed columns: ${priceColumns.join(', ')}. symbol may also be called ticker or id. Rename or remove the others.`,
      )
    if (columns.includes(column))
      throw new Failure('parameter_repeated', `${name} has the column ${column} twice. Keep one of them.`)
    columns.push(column)
  }
  const absent = (['date', 'symbol', 'close'] as const).filter(column => !columns.includes(column))
  if (absent.length > 0)
    throw new Failure(
      'parameter_invalid',
      `${name} has no column ${absent.join(', ')}. Required: date, symbol (or ticker, id) and close. Optional: ${priceColumns.slice(4).join(', ')} and market.`,
    )
  return columns
}

/** What is wrong with a cell, as the end of a sentence; null: nothing. */
export function dayFault(column: 'date' | 'known', text: string, lastDay: number): string | null {
  if (isIsoDate(text) && dayNumber(text) >= firstPriceDay && dayNumber(text) <= lastDay) return null
  return `${column} is ${shown(text)}, but must be a date as YYYY-MM-DD from 1900-01-01 to ${isoDate(lastDay)}`
}

export function numberFault(column: NumberColumn, text: string): string {
  return `${column} is ${shown(text)}, but must be ${numberRules[column].says}`
}

export const symbolFault = (text: string): string =>
  `symbol is ${shown(text)}, but must be 1 to ${maxSymbolLength} printable characters`

/** The value of a cell of numbers; undefined if it is not valid. */
export function numberOf(column: NumberColumn, text: string): number | undefined {
  const { min, max, empty } = numberRules[column]
  if (text === '') return empty
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined
  const value = Number(text)
  if (!(value >= min && value <= max)) return undefined
  return column === 'split_factor' && value === 0 ? 1 : value + 0
}

const shown = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text)
