import type { BodySource } from '../../../backtest/codec/bodyBytes.ts'
import { CsvReader } from '../../../backtest/codec/csvCells.ts'
import { DayMemo, noDay } from '../../../backtest/codec/cursor.ts'
import { NameInterner } from '../../../backtest/codec/nameInterner.ts'
import { scanNumber } from '../../../backtest/codec/numbers.ts'
import { dayNumber } from '../../../dates.ts'
import {
  dayFault,
  firstPriceDay,
  maxSymbolLength,
  type NumberColumn,
  numberColumns,
  numberFault,
  numberOf,
  numberRules,
  type PriceColumn,
  readPriceHeader,
  StagedPrices,
  symbolFault,
} from './stagedPrices.ts'

/** The rows of a file, and the names that they refer to. */
export interface ReadPrices {
  readonly rows: StagedPrices
  readonly symbols: readonly string[]
  readonly markets: readonly string[]
}

const comma = 0x2c
const lineFeed = 0x0a
const carriageReturn = 0x0d
const quote = 0x22
const linesBetweenReports = 100_000

/**
 * Reads a CSV with a header. Lines of the common form go from bytes to columns; others are read cell by cell, and a
 * line with a fault is refused alone.
 *
 * @param lastDay later dates are in the future everywhere
 * @param onLine is called now and then with the bytes read
 */
export async function readCsvPrices(
  source: BodySource,
  name: string,
  lastDay: number,
  onRead: (bytes: number) => void | Promise<void>,
): Promise<ReadPrices> {
  const reader = new CsvReader(source)
  const columns = readPriceHeader(reader.row(), name)
  const rows = new StagedPrices(columns)
  rows.nextIsOn(reader.line)
  const symbols = new NameInterner(maxSymbolLength)
  const markets = new NameInterner(2)
  markets.numberOf('')
  const lines = new PriceLines(reader, rows, columns, { symbols, markets, lastDay })
  let line = 0
  while (!reader.ended) {
    if (!lines.readFast()) lines.readChecked()
    reader.ready()
    if (++line % linesBetweenReports === 0) await onRead(reader.offset + reader.at)
  }
  return { rows, symbols: symbols.names, markets: markets.names }
}

interface LineContext {
  readonly symbols: NameInterner
  readonly markets: NameInterner
  readonly lastDay: number
}

class PriceLines {
  readonly #days = new DayMemo()
  readonly #knownDays = new DayMemo()
  readonly #bounds: readonly { readonly min: number; readonly max: number; readonly empty: number }[]

  constructor(
    readonly reader: CsvReader,
    readonly rows: StagedPrices,
    readonly columns: readonly PriceColumn[],
    readonly context: LineContext,
  ) {
    this.#bounds = columns.map(column =>
      isNumber(column) ? numberRules[column] : { min: 0, max: 0, empty: 0 },
    )
  }

  /** Reads a line of the common form. Otherwise it returns false, with the reader at the beginning of the line. */
  readFast(): boolean {
    const { reader, rows, columns } = this
    const start = reader.at
    const row = rows.next()
    for (let index = 0; index < columns.length; index++) {
      if (index > 0) {
        if (reader.bytes[reader.at] !== comma) return this.#giveUp(start)
        reader.at++
      }
      if (!this.#cell(columns[index], index, row)) return this.#giveUp(start)
    }
    if (!reader.takeLineEnd()) return this.#giveUp(start)
    if (rows.has.has('known') && rows.knownDays[row] < rows.days[row]) return this.#giveUp(start)
    rows.count++
    return true
  }

  #giveUp(start: number): false {
    this.reader.at = start
    return false
  }

  #cell(column: PriceColumn, index: number, row: number): boolean {
    const { rows, context } = this
    switch (column) {
      case 'date': {
        const day = this.#day(this.#days)
        rows.days[row] = day
        return day >= firstPriceDay && day <= context.lastDay
      }
      case 'known': {
        const day = this.#day(this.#knownDays)
        rows.knownDays[row] = day
        return day !== noDay && day <= context.lastDay
      }
      case 'symbol': {
        const symbol = this.#name(context.symbols)
        rows.symbolOf[row] = symbol
        return symbol >= 0
      }
      case 'market': {
        const market = this.#name(context.markets)
        rows.marketOf[row] = market
        return market >= 0
      }
      default: {
        const { min, max, empty } = this.#bounds[index]
        const value = this.#number(empty)
        rows.numbers[column][row] = column === 'split_factor' && value === 0 ? 1 : value
        return (value >= min && value <= max) || Number.isNaN(value)
      }
    }
  }

  #day(memo: DayMemo): number {
    const { reader } = this
    const day = memo.read(reader, reader.at)
    reader.at += 10
    return day
  }

  /** The number of a plain cell; -1 for an empty one or any that needs a closer look. */
  #name(names: NameInterner): number {
    const { reader } = this
    const { bytes, at } = reader
    let to = at
    for (; ; to++) {
      const byte = bytes[to]
      if (byte === comma || byte === lineFeed || byte === carriageReturn || byte === undefined) break
      if (byte === quote || byte <= 0x20 || byte > 0x7e || (byte >= 0x61 && byte <= 0x7a)) return -1
    }
    reader.at = to
    return to === at ? -1 : names.number(bytes, at, to)
  }

  /** Infinity for a cell that is not a number. */
  #number(empty: number): number {
    const { reader } = this
    const byte = reader.bytes[reader.at]
    if (byte === comma || byte === lineFeed || byte === carriageReturn || byte === undefined) return empty
    const value = scanNumber(reader)
    return Number.isNaN(value) ? Number.POSITIVE_INFINITY : value
  }

  /** Reads any line, and refuses it if it has a fault. */
  readChecked(): void {
    const { reader, rows, columns } = this
    const { line } = reader
    const cells = reader.row().map(cell => cell.trim())
    const isBlank = cells.length === 1 && cells[0] === ''
    const fault = isBlank
      ? null
      : cells.length === columns.length
        ? addRow(rows, columns, cells, this.context)
        : `the line has ${cells.length} cells, but the header has ${columns.length} columns`
    if (fault !== null) rows.refuse(line, fault)
    rows.nextIsOn(reader.line)
  }
}

const isNumber = (column: PriceColumn): column is NumberColumn =>
  numberColumns.some(known => known === column)

/** Adds a row of texts, or returns what is wrong with it. */
export function addRow(
  rows: StagedPrices,
  columns: readonly PriceColumn[],
  cells: readonly string[],
  { symbols, markets, lastDay }: LineContext,
): string | null {
  const row = rows.next()
  for (const [index, column] of columns.entries()) {
    const text = cells[index]
    if (column === 'date' || column === 'known') {
      const fault = dayFault(column, text, lastDay)
      if (fault !== null) return fault
      rows[column === 'date' ? 'days' : 'knownDays'][row] = dayNumber(text)
    } else if (column === 'symbol') {
      const symbol = text.toUpperCase()
      if (!/^[\x21-\x7e]+$/.test(symbol) || symbol.length > maxSymbolLength) return symbolFault(text)
      rows.symbolOf[row] = symbols.numberOf(symbol)
    } else if (column === 'market') {
      const market = text.toUpperCase()
      if (market !== '' && !/^[A-Z]{2}$/.test(market))
        return `market is ${JSON.stringify(text.slice(0, 40))}, but must be two letters, for example US, or empty`
      rows.marketOf[row] = markets.numberOf(market)
    } else {
      const value = numberOf(column, text)
      if (value === undefined) return numberFault(column, text)
      rows.numbers[column][row] = value
    }
  }
  if (rows.has.has('known') && rows.knownDays[row] < rows.days[row])
    return 'known is before date, but no close is known before the end of its own day'
  rows.count++
  return null
}
