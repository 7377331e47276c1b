import type { BodySource } from '../../../backtest/codec/bodyBytes.ts'
import { NameInterner } from '../../../backtest/codec/nameInterner.ts'
import { readParquetChunks } from '../../../backtest/panelFile/parquetTable.ts'
import { dayNumber, isIsoDate } from '../../../dates.ts'
import type { ReadPrices } from './csvPrices.ts'
import { addRow } from './csvPrices.ts'
import {
  firstPriceDay,
  maxSymbolLength,
  type NumberColumn,
  numberColumns,
  numberRules,
  type PriceColumn,
  readPriceHeader,
  StagedPrices,
} from './stagedPrices.ts'

const maxRows = 60_000_000
const unread = -2
const invalid = -1

/**
 * Reads a Parquet file with the columns of the CSV. `date` and `known` may be dates, timestamps at midnight or texts.
 * Cells are collected column by column, and rows with a fault are refused alone at the end.
 */
export async function readParquetPrices(
  source: BodySource,
  name: string,
  lastDay: number,
): Promise<ReadPrices> {
  const symbols = new NameInterner(maxSymbolLength)
  const markets = new NameInterner(2)
  markets.numberOf('')
  let columns: PriceColumn[] = []
  let fileNames: readonly string[] = []
  let rows: StagedPrices | null = null
  /** Cells that are not valid as they are, by row and column. */
  const doubtful = new Map<number, Map<PriceColumn, string>>()
  const doubt = (row: number, column: PriceColumn, cell: unknown) => {
    const cells = doubtful.get(row) ?? new Map<PriceColumn, string>()
    doubtful.set(row, cells.set(column, cell === null ? '' : String(cell)))
  }
  const reading = {
    numbers: numberColumns.filter(column => column !== 'volume'),
    maxRows,
    cells: maxRows * 9,
    textLength: 4_096,
  }
  const memo = new Map<PriceColumn, Map<unknown, number>>()
  const numbered = (column: PriceColumn, cell: unknown): number => {
    const known = memo.get(column) ?? new Map<unknown, number>()
    memo.set(column, known)
    const found = known.get(cell)
    if (found !== undefined) return found
    const value = numberOfCell(column, cell, { symbols, markets, lastDay })
    if (known.size < 200_000) known.set(cell, value)
    return value
  }
  const target = (staged: StagedPrices, column: PriceColumn): Int32Array =>
    column === 'date'
      ? staged.days
      : column === 'known'
        ? staged.knownDays
        : column === 'symbol'
          ? staged.symbolOf
          : staged.marketOf
  const take = (fileName: string, cells: ArrayLike<unknown>, from: number, length: number) => {
    const column = columns[fileNames.indexOf(fileName)]
    if (rows === null || column === undefined) return
    if (isNumber(column)) {
      const values = rows.numbers[column]
      const { min, max, empty } = numberRules[column]
      for (let at = 0; at < length; at++) {
        const cell = cells[at]
        const value = typeof cell === 'bigint' ? Number(cell) : cell
        if (typeof value === 'number' && value >= min && value <= max)
          values[from + at] = column === 'split_factor' && value === 0 ? 1 : value + 0
        else if (value === null || Number.isNaN(value)) values[from + at] = empty
        else doubt(from + at, column, cell)
      }
      return
    }
    const values = target(rows, column)
    for (let at = 0; at < length; at++) {
      const value = numbered(column, cells[at])
      values[from + at] = value
      if (value === invalid) doubt(from + at, column, cells[at])
    }
  }
  const count = await readParquetChunks(source, reading, {
    open: (names, rowCount) => {
      fileNames = names
      columns = readPriceHeader(names, name)
      rows = new StagedPrices(columns)
      rows.reserve(Math.max(rowCount, rows.days.length))
    },
    take,
    takeCodes: (fileName, dictionary, codes, from, length) => {
      const column = columns[fileNames.indexOf(fileName)]
      if (rows === null || column === undefined) return
      if (isNumber(column)) {
        const cells: unknown[] = []
        for (let at = 0; at < length; at++) cells.push(codes[at] === -1 ? null : dictionary[codes[at]])
        take(fileName, cells, from, length)
        return
      }
      const values = target(rows, column)
      const numbers = new Int32Array(dictionary.length).fill(unread)
      for (let at = 0; at < length; at++) {
        const code = codes[at]
        const cell = code === -1 ? null : dictionary[code]
        if (code !== -1 && numbers[code] === unread) numbers[code] = numbered(column, cell)
        const value = code === -1 ? numbered(column, null) : numbers[code]
        values[from + at] = value
        if (value === invalid) doubt(from + at, column, cell)
      }
    },
  })
  const staged = rows ?? new StagedPrices(['date', 'symbol', 'close'])
  return {
    rows: kept(staged, count, columns, doubtful, { symbols, markets, lastDay }),
    symbols: symbols.names,
    markets: markets.names,
  }
}

const isNumber = (column: PriceColumn): column is NumberColumn =>
  numberColumns.some(known => known === column)

interface Names {
  readonly symbols: NameInterner
  readonly markets: NameInterner
  readonly lastDay: number
}

/** A day or the number of a name; `invalid` if the cell needs a closer look. */
function numberOfCell(column: PriceColumn, cell: unknown, { symbols, markets, lastDay }: Names): number {
  if (column === 'market' && (cell === null || cell === '')) return 0
  if (typeof cell !== 'string') return invalid
  if (column === 'date' || column === 'known') {
    if (!isIsoDate(cell)) return invalid
    const day = dayNumber(cell)
    // Day -1 of 1969 is read again as a text.
    return day >= firstPriceDay && day <= lastDay ? day : invalid
  }
  const text = cell.trim().toUpperCase()
  if (column === 'market') return /^[A-Z]{2}$/.test(text) ? markets.numberOf(text) : invalid
  return /^[\x21-\x7e]+$/.test(text) && text.length <= maxSymbolLength ? symbols.numberOf(text) : invalid
}

/** Moves the valid rows together, and adds or refuses the doubtful ones as texts. */
function kept(
  rows: StagedPrices,
  count: number,
  columns: readonly PriceColumn[],
  doubtful: ReadonlyMap<number, ReadonlyMap<PriceColumn, string>>,
  names: Names,
): StagedPrices {
  const textOf = (row: number, column: PriceColumn): string => {
    const text = doubtful.get(row)?.get(column)
    if (text !== undefined) return text
    if (column === 'symbol') return names.symbols.names[rows.symbolOf[row]]
    if (column === 'market') return names.markets.names[rows.marketOf[row]]
    if (column === 'date' || column === 'known')
      return new Date((column === 'date' ? rows.days : rows.knownDays)[row] * 86_400_000)
        .toISOString()
        .slice(0, 10)
    const value = rows.numbers[column][row]
    return Number.isNaN(value) ? '' : String(value)
  }
  const hasKnown = rows.has.has('known')
  const again: { readonly row: number; readonly cells: readonly string[] }[] = []
  for (let row = 0; row < count; row++) {
    const isDoubtful = doubtful.has(row) || (hasKnown && rows.knownDays[row] < rows.days[row])
    if (isDoubtful) again.push({ row, cells: columns.map(column => textOf(row, column)) })
    else {
      rows.nextIsOn(row + 1)
      move(rows, row, rows.count++)
    }
  }
  for (const { row, cells } of again) {
    rows.nextIsOn(row + 1)
    const fault = addRow(rows, columns, cells, names)
    if (fault !== null) rows.refuse(row + 1, fault)
  }
  return rows
}

function move(rows: StagedPrices, from: number, to: number): void {
  if (from === to) return
  rows.symbolOf[to] = rows.symbolOf[from]
  rows.days[to] = rows.days[from]
  if (rows.has.has('market')) rows.marketOf[to] = rows.marketOf[from]
  if (rows.has.has('known')) rows.knownDays[to] = rows.knownDays[from]
  for (const column of numberColumns)
    if (rows.has.has(column)) rows.numbers[column][to] = rows.numbers[column][from]
}
