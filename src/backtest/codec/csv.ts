import { Failure } from '../../errors.ts'
import { DayMemo, type NameInterner, noDay } from './bytes.ts'
import {
  type ColumnName,
  checkSize,
  columnNames,
  requiredColumns,
  returnBounds,
  roomFor,
  scoreBounds,
} from './cells.ts'
import { CsvReader } from './csvReader.ts'
import { show } from './faults.ts'
import { scanNumber } from './numbers.ts'
import { PanelColumns, type PanelRows } from './panelColumns.ts'
import { addUnusualRow } from './panelRows.ts'

const leastRow = '2024-01-02,A,,'.length
const order = columnNames.join(',')

/** A panel as CSV: a header that names the columns in any order, then a line a row; an empty cell is a missing value.
 * Lines of the usual shape go straight from bytes to columns; any other is read cell by cell and the schema decides. */
export function readCsv(bytes: Uint8Array): PanelRows {
  const reader = new CsvReader(bytes)
  if (reader.ended)
    throw new Failure('body_invalid', `The body is empty; it must begin with a line like ${order}.`)
  const columns = readHeader(reader.row())
  const panel = new PanelColumns(roomFor(bytes, leastRow))
  const rows = new CsvRowReader(reader, panel, columns)
  while (!reader.ended) {
    if (!rows.read()) readUnusualRow(reader, panel, columns)
    checkSize(panel.count, panel.markets.names.length)
  }
  return { columns: panel.columns(), placeOf: row => `line ${lineOfRow(bytes, row)}` }
}

function readHeader(cells: readonly string[]): ColumnName[] {
  const columns: ColumnName[] = []
  for (const [i, cell] of cells.entries()) {
    const column = columnNames.find(name => name === cell)
    if (column === undefined) throw unknownColumn(cell, i, cells.length)
    if (columns.includes(column)) {
      throw new Failure('parameter_repeated', `Line 1 names the column ${column} twice. Send it once.`, {
        param: `line 1.${column}`,
      })
    }
    columns.push(column)
  }
  const absent = requiredColumns.filter(name => !columns.includes(name))
  if (absent.length === 0) return columns
  throw new Failure(
    'parameter_invalid',
    `Line 1, the header, names no column ${absent.join(', ')}. Needed: ${requiredColumns.join(', ')}; market may be added.`,
    { param: `line 1.${absent[0]}` },
  )
}

function unknownColumn(cell: string, place: number, count: number): Failure {
  const known = `Known here: ${columnNames.join(', ')}.`
  if (cell === '' && count > 1) {
    return new Failure(
      'parameter_unknown',
      `Column ${place + 1} of line 1, the header, has no name; pandas writes its index so unless told to_csv(index=False). ${known}`,
      { param: 'line 1' },
    )
  }
  return new Failure(
    'parameter_unknown',
    `Line 1, the header, names a column ${show(cell)}, which is not known. ${known}`,
    { param: 'line 1' },
  )
}

function readUnusualRow(reader: CsvReader, panel: PanelColumns, columns: readonly ColumnName[]): void {
  const { line } = reader
  const place = `line ${line}`
  const cells = reader.row()
  if (cells.length === 1 && cells[0] === '') {
    if (reader.onlySpaceFollows()) return
    throw new Failure('body_invalid', `Line ${line} is empty. Send a row a line.`, { param: place })
  }
  if (cells.length !== columns.length) {
    throw new Failure(
      'body_invalid',
      `Line ${line} has ${cells.length} cells, and the header names ${columns.length} columns.`,
      { param: place },
    )
  }
  const row = Object.fromEntries(columns.map((column, i) => [column, cellValue(column, cells[i])]))
  addUnusualRow(panel, row, [place], 'an empty cell')
}

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** What the schema is to judge: a number that JSON could write, null for an empty cell that may be empty, else the text. */
function cellValue(column: ColumnName, cell: string): string | number | null {
  switch (column) {
    case 'date':
    case 'asset':
      return cell
    case 'market':
      return cell === '' ? null : cell
    case 'score':
    case 'forward_return': {
      if (cell === '') return null
      const value = number.test(cell) ? Number(cell) : Number.NaN
      return Number.isFinite(value) ? value : cell
    }
    default:
      return column satisfies never
  }
}

/** The line in which a row begins. Cells may hold line ends, so quotes are counted; the body is known to be CSV. */
function lineOfRow(bytes: Uint8Array, row: number): number {
  let line = 1
  let begun = -1 // the header
  let quoted = false
  for (let i = 0; i < bytes.length && begun < row; i++) {
    if (bytes[i] === 0x22) quoted = !quoted
    if (bytes[i] !== 0x0a) continue
    line++
    if (!quoted) begun++
  }
  return line
}

const quote = 0x22
const comma = 0x2c
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Reads a line of the usual shape: a cell for each column, names without quotes inside, numbers within the schema's
 * bounds. Anything else makes `read` return false with the reader back at the line's start; it never rules on a line. */
export class CsvRowReader {
  readonly #reader: CsvReader
  readonly #panel: PanelColumns
  readonly #columns: readonly ColumnName[]
  readonly #days = new DayMemo()
  #day = 0
  #asset = 0
  #market = 0
  #score = 0
  #forwardReturn = 0

  constructor(reader: CsvReader, panel: PanelColumns, columns: readonly ColumnName[]) {
    this.#reader = reader
    this.#panel = panel
    this.#columns = columns
  }

  read(): boolean {
    const start = this.#reader.at
    if (this.#readCells() && this.#reader.takeLineEnd()) {
      this.#panel.push(this.#day, this.#asset, this.#market, this.#score, this.#forwardReturn)
      return true
    }
    this.#reader.at = start
    return false
  }

  #readCells(): boolean {
    const reader = this.#reader
    const columns = this.#columns
    for (let place = 0; place < columns.length; place++) {
      if (place > 0) {
        if (reader.bytes[reader.at] !== comma) return false
        reader.at++
      }
      if (!this.#cell(columns[place])) return false
    }
    return true
  }

  #cell(column: ColumnName): boolean {
    switch (column) {
      case 'date':
        return this.#date()
      case 'asset':
        this.#asset = this.#name(this.#panel.assets)
        return this.#asset > -1
      case 'market':
        this.#market = this.#name(this.#panel.markets)
        if (this.#market === empty) this.#market = 0
        return this.#market > -1
      case 'score':
        this.#score = this.#number(scoreBounds)
        return this.#score !== Number.POSITIVE_INFINITY
      case 'forward_return':
        this.#forwardReturn = this.#number(returnBounds)
        return this.#forwardReturn !== Number.POSITIVE_INFINITY
      default:
        return column satisfies never
    }
  }

  #date(): boolean {
    const reader = this.#reader
    const { bytes, at } = reader
    const quoted = bytes[at] === quote ? 1 : 0
    if (quoted === 1 && bytes[at + 11] !== quote) return false
    this.#day = this.#days.read(reader, at + quoted)
    reader.at = at + 10 + 2 * quoted
    return this.#day !== noDay
  }

  /** The name's number, `empty` for none, -1 where it is unusual or no name. */
  #name(names: NameInterner): number {
    const reader = this.#reader
    const { bytes } = reader
    const quoted = bytes[reader.at] === quote
    const from = quoted ? reader.at + 1 : reader.at
    let to = from
    for (; ; to++) {
      const byte = bytes[to]
      if (byte === quote) break
      if (quoted ? !(byte >= 0x20) : !(byte > carriageReturn) || byte === comma) break
    }
    // A quote that is written twice goes on; a name that is no whole cell must not be numbered.
    if (quoted !== (bytes[to] === quote) || (quoted && bytes[to + 1] === quote)) return -1
    reader.at = quoted ? to + 1 : to
    return to === from ? empty : names.number(bytes, from, to)
  }

  /** NaN for an empty cell, Infinity for what is no number within the bounds. */
  #number(bounds: { readonly least: number; readonly most: number }): number {
    const reader = this.#reader
    const byte = reader.bytes[reader.at]
    if (byte === comma || byte === lineFeed || byte === carriageReturn || byte === undefined)
      return Number.NaN
    const value = scanNumber(reader)
    return value >= bounds.least && value <= bounds.most ? value : Number.POSITIVE_INFINITY
  }
}

const empty = -2
