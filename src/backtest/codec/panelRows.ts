import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import { BacktestPanelRow } from '../request.ts'
import { DayMemo, noDay } from './bytes.ts'
import {
  type ColumnName,
  checkSize,
  columnNames,
  readUsualName,
  readUsualNumber,
  requiredColumns,
  returnBounds,
  roomFor,
  scoreBounds,
  takeNull,
} from './cells.ts'
import { describeFault } from './faults.ts'
import type { JsonReader, JsonValue } from './json.ts'
import { PanelColumns, type PanelRows } from './panelColumns.ts'

const quotedKeys = columnNames.map(key => new TextEncoder().encode(`"${key}"`))
const required = requiredColumns.reduce((bits, key) => bits | (1 << columnNames.indexOf(key)), 0)
const quote = 0x22

/** Reads a row of the usual shape: the schema's keys unescaped and once each, plain names, numbers within the schema's
 * bounds. Anything else makes `read` return false with the reader back at the row's start; it never rules on a row.
 * Keys are tried in the order in which the row before had them. */
export class PanelRowReader {
  readonly #reader: JsonReader
  readonly #panel: PanelColumns
  readonly #days = new DayMemo()
  readonly #usualOrder = columnNames.map((_, i) => i)
  #day = 0
  #asset = 0
  #market = 0
  #score = 0
  #forwardReturn = 0

  constructor(reader: JsonReader, panel: PanelColumns) {
    this.#reader = reader
    this.#panel = panel
  }

  read(): boolean {
    const start = this.#reader.at
    if (this.#readFields()) {
      this.#panel.push(this.#day, this.#asset, this.#market, this.#score, this.#forwardReturn)
      return true
    }
    this.#reader.at = start
    return false
  }

  #readFields(): boolean {
    const reader = this.#reader
    if (!reader.take(0x7b)) return false
    let seen = 0
    this.#market = 0
    for (let place = 0; place < columnNames.length; place++) {
      reader.skipSpace()
      const key = this.#key(place)
      if (key === -1 || seen & (1 << key)) return false
      seen |= 1 << key
      if (!reader.take(0x3a)) return false
      reader.skipSpace()
      if (!this.#field(columnNames[key])) return false
      if (reader.take(0x2c)) continue
      return reader.take(0x7d) && (seen & required) === required
    }
    return false
  }

  #key(place: number): number {
    const usual = this.#usualOrder[place]
    if (this.#matches(quotedKeys[usual])) return usual
    for (let key = 0; key < columnNames.length; key++) {
      if (!this.#matches(quotedKeys[key])) continue
      this.#usualOrder[place] = key
      return key
    }
    return -1
  }

  #matches(word: Uint8Array): boolean {
    const { bytes, at } = this.#reader
    for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false
    this.#reader.at = at + word.length
    return true
  }

  #field(key: ColumnName): boolean {
    const reader = this.#reader
    switch (key) {
      case 'date':
        return this.#date()
      case 'asset':
        this.#asset = readUsualName(reader, this.#panel.assets)
        return this.#asset !== -1
      case 'market':
        this.#market = takeNull(reader) ? 0 : readUsualName(reader, this.#panel.markets)
        return this.#market !== -1
      case 'score':
        this.#score = readUsualNumber(reader, scoreBounds)
        return this.#score !== Number.POSITIVE_INFINITY
      case 'forward_return':
        this.#forwardReturn = readUsualNumber(reader, returnBounds)
        return this.#forwardReturn !== Number.POSITIVE_INFINITY
      default:
        return key satisfies never
    }
  }

  #date(): boolean {
    const reader = this.#reader
    const { bytes, at } = reader
    if (bytes[at] !== quote || bytes[at + 11] !== quote) return false
    this.#day = this.#days.read(reader, at + 1)
    reader.at = at + 12
    return this.#day !== noDay
  }
}

export const leastRow = '{"date":"2024-01-02","asset":"A","score":1,"forward_return":1}'.length
const rowCheck = TypeCompiler.Compile(BacktestPanelRow)

/** The rows of a panel, from the reader's place at `[`, as columns.
 *
 * Rows of the usual shape go straight from bytes to columns; whatever is unusual about a row, it is read again as a
 * value and the schema decides: it is the one that knows what a row may be. */
export function readPanelRows(reader: JsonReader): PanelRows {
  const panel = new PanelColumns(roomFor(reader.bytes, leastRow))
  const rows = new PanelRowReader(reader, panel)
  reader.expect(0x5b)
  if (!reader.take(0x5d)) {
    do {
      reader.skipSpace()
      if (!rows.read()) {
        reader.path.push(panel.count)
        addUnusualRow(panel, reader.value(), reader.path)
        reader.path.pop()
      }
      checkSize(panel.count, panel.markets.names.length)
    } while (reader.take(0x2c))
    reader.expect(0x5d)
  }
  return { columns: panel.columns(), placeOf: row => `panel[${row}]` }
}

/** Adds a row that was read as a value, if the schema knows it. */
export function addUnusualRow(
  panel: PanelColumns,
  row: JsonValue,
  path: readonly (string | number)[],
  missing = 'null',
): void {
  if (rowCheck.Check(row)) {
    panel.pushRow(row)
    return
  }
  const fault = rowCheck.Errors(row).First()
  throw fault
    ? describeFault(fault, path, BacktestPanelRow, missing)
    : new Failure('parameter_invalid', 'A row of panel is no panel row.', { param: 'panel' })
}
