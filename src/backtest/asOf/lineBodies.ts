import { isUtf8 } from 'node:buffer'
import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { readNameFast } from '../codec/cells.ts'
import { CsvReader } from '../codec/csvCells.ts'
import { DayMemo, LineCounter, noDay } from '../codec/cursor.ts'
import { describeFault, showValue } from '../codec/faults.ts'
import { type JsonObject, JsonReader, type JsonValue } from '../codec/jsonReader.ts'
import { type ByteColumn, ByteColumns, takeJsonCell } from './carried/byteColumns.ts'
import { joinRowSchemas } from './request.ts'
import { type ParsedRows, RowsBuilder, rowCapacity } from './rows.ts'
import { timeColumn } from './rowTimes.ts'

const columnNames = ['date', 'ticker'] as const

const JoinRow = Type.Object(joinRowSchemas, { additionalProperties: false })
const rowCheck = TypeCompiler.Compile(JoinRow)

/** The placeholder day of a row that has a time instead. */
const timed: IsoDate = '1970-01-01'

const minLineBytes = '2024-01-02,A'.length
const minNdjsonBytes = '{"date":"2024-01-02","ticker":"A"}'.length

/** The slow path: adds a row that was read as a value, if it matches the schema. */
function pushChecked(rows: RowsBuilder, row: JsonValue, line: number, missing: string): void {
  if (rowCheck.Check(row)) {
    rows.pushRow(row)
    return
  }
  const fault = rowCheck.Errors(row).First()
  throw fault
    ? describeFault(fault, [`line ${line}`], JoinRow, missing)
    : new Failure('parameter_invalid', `Line ${line} does not match the schema.`, { param: `line ${line}` })
}

/** Rows as CSV: a header with date and ticker in either order, then one line per row. */
export function readCsvRows(bytes: Uint8Array, maxRows: number): ParsedRows {
  const reader = new CsvReader(bytes)
  if (reader.ended)
    throw new Failure('body_invalid', 'The body is empty. Start it with the header line date,ticker.')
  const carried = new ByteColumns('csv')
  const columns = readHeader(reader.row(), carried)
  const rows = new RowsBuilder(rowCapacity(bytes, minLineBytes), maxRows)
  const days = new DayMemo()
  if (columns.length > columnNames.length || !columns.includes('date')) {
    const lines = new CsvLines(reader, rows, columns, carried)
    // Invalid UTF-8 is left to the slow path, which reports its line.
    const isText = isUtf8(bytes)
    while (!reader.ended) {
      const start = reader.at
      if (isText && lines.take(days)) continue
      reader.at = start
      lines.read()
      carried.check(rows.count)
    }
    carried.check(rows.count)
    return rows.finish({ names: columns, carried })
  }
  const dateFirst = columns[0] === 'date'
  while (!reader.ended) {
    const start = reader.at
    if (dateFirst ? takeDateFirst(reader, rows, days) : takeTickerFirst(reader, rows, days)) continue
    reader.at = start
    readLine(reader, rows, columns, null)
  }
  return rows.finish({ names: columns, carried })
}

/** The column names. Columns other than date and ticker are added to `carried`. */
function readHeader(cells: readonly string[], carried: ByteColumns): string[] {
  const columns: string[] = []
  for (const cell of cells) {
    const column = columnNames.find(name => name === cell.trim()) ?? cell
    if (columns.includes(column)) {
      throw new Failure(
        'parameter_invalid',
        `The header (line 1) has the column ${showValue(cell)} twice. Send each column once.`,
        { param: 'line 1' },
      )
    }
    if (column === cell && column !== 'date' && column !== 'ticker') carried.column(column, 'line 1')
    columns.push(column)
  }
  const absent = columnNames.find(
    name => !columns.includes(name) && !(name === 'date' && columns.includes(timeColumn)),
  )
  if (absent === undefined) return columns
  throw new Failure(
    'parameter_invalid',
    `The header (line 1) does not have ${absent}. Send the columns date and ticker.`,
    { param: 'line 1' },
  )
}

/** The fast path for a line without quotes. Returns false to have the line read cell by cell and validated by
 * the schema. */
function takeDateFirst(reader: CsvReader, rows: RowsBuilder, days: DayMemo): boolean {
  const day = days.read(reader, reader.at)
  if (day === noDay || reader.bytes[reader.at + 10] !== 0x2c) return false
  const from = reader.at + 11
  const to = endOfName(reader.bytes, from)
  if (to === from) return false
  reader.at = to
  if (!reader.takeLineEnd()) return false
  const name = rows.names.number(reader.bytes, from, to)
  if (name === -1) return false
  rows.push(day, name)
  return true
}

function takeTickerFirst(reader: CsvReader, rows: RowsBuilder, days: DayMemo): boolean {
  const from = reader.at
  const to = endOfName(reader.bytes, from)
  if (to === from || reader.bytes[to] !== 0x2c) return false
  const day = days.read(reader, to + 1)
  if (day === noDay) return false
  reader.at = to + 11
  if (!reader.takeLineEnd()) return false
  const name = rows.names.number(reader.bytes, from, to)
  if (name === -1) return false
  rows.push(day, name)
  return true
}

/** The index of the byte after an unquoted cell. */
function endOfName(bytes: Uint8Array, from: number): number {
  let to = from
  // Stops at a comma, a quote, a control character or the end of the body.
  while (bytes[to] > 0x1f && bytes[to] !== 0x2c && bytes[to] !== 0x22) to++
  return to
}

/** Lines with columns besides date and ticker. */
class CsvLines {
  readonly #reader: CsvReader
  readonly #rows: RowsBuilder
  readonly #columns: readonly string[]
  /** By column index; null: date or ticker. */
  readonly #carried: readonly (ByteColumn | null)[]
  readonly #ends: Int32Array
  readonly #hasDate: boolean

  constructor(reader: CsvReader, rows: RowsBuilder, columns: readonly string[], carried: ByteColumns) {
    this.#reader = reader
    this.#rows = rows
    this.#columns = columns
    this.#carried = columns.map(name => (carried.has(name) ? carried.column(name, name) : null))
    this.#ends = new Int32Array(columns.length)
    this.#hasDate = columns.includes('date')
  }

  /** The fast path for a line without quotes. Returns false to have the line read cell by cell and validated
   * by the schema. */
  take(days: DayMemo): boolean {
    const reader = this.#reader
    const { bytes } = reader
    const ends = this.#ends
    const first = reader.at
    let day = this.#hasDate ? noDay : 0
    let name = -1
    for (let index = 0; index < ends.length; index++) {
      const from = reader.at
      const to = endOfName(bytes, from)
      if (to - from > maxFastCellBytes) return false
      ends[index] = to
      if (this.#carried[index] === null) {
        if (this.#columns[index] === 'date') day = to - from === isoDayBytes ? days.read(reader, from) : noDay
        else if (to > from) name = this.#rows.names.number(bytes, from, to)
      }
      reader.at = to
      if (index + 1 < ends.length) {
        if (bytes[to] !== comma) return false
        reader.at = to + 1
      }
    }
    if (day === noDay || name === -1 || !reader.takeLineEnd()) return false
    const row = this.#rows.count
    let from = first
    for (let index = 0; index < ends.length; index++) {
      if (ends[index] > from) this.#carried[index]?.take(row, bytes, from, ends[index])
      from = ends[index] + 1
    }
    this.#rows.push(day, name)
    return true
  }

  read(): void {
    readLine(this.#reader, this.#rows, this.#columns, this.#carried)
  }
}

const comma = 0x2c
const isoDayBytes = '2024-01-02'.length
/** A longer cell is read by the slow path, which rejects cells over the limit. */
const maxFastCellBytes = 1_000

/** @param carried the columns besides date and ticker, by column index; null: there are none */
function readLine(
  reader: CsvReader,
  rows: RowsBuilder,
  columns: readonly string[],
  carried: readonly (ByteColumn | null)[] | null,
): void {
  const { line } = reader
  const cells = reader.row()
  if (cells.length === 1 && cells[0] === '' && reader.onlySpaceFollows()) {
    reader.at = reader.bytes.length
    return
  }
  if (cells.length !== columns.length) {
    throw new Failure(
      'body_invalid',
      `Line ${line} has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, but the header has ${columns.length} columns. Send one cell per column.`,
      { param: `line ${line}` },
    )
  }
  for (const [i, column] of carried?.entries() ?? [])
    if (cells[i] !== '') column?.takeText(rows.count, cells[i])
  const [date, ticker] = columnNames.map(name => cells[columns.indexOf(name)])
  pushChecked(rows, { date: columns.includes('date') ? date : timed, ticker }, line, 'an empty cell')
}

/** Rows as NDJSON: {"date": ..., "ticker": ...}, one per line. */
export function readNdjsonRows(bytes: Uint8Array, maxRows: number): ParsedRows {
  const reader = new JsonReader(bytes)
  reader.skipSpace()
  if (reader.at === bytes.length)
    throw new Failure('body_invalid', 'The body is empty. Send one row {"date", "ticker"} per line.')
  const lines = new LineCounter(reader)
  const rows = new RowsBuilder(rowCapacity(bytes, minNdjsonBytes), maxRows)
  const days = new DayMemo()
  const carried = new ByteColumns('json')
  const names = new Set<string>()
  let isTimed = false
  while (reader.at < bytes.length) {
    const start = reader.at
    // The first row determines the order of the columns, so it is read key by key.
    if (names.size === 0 || !takeObject(reader, rows, days)) {
      reader.at = start
      const line = lines.lineAt(start)
      reader.path.push(`line ${line}`)
      const own = readObject(reader, rows.count, names, carried)
      if (rows.count === 0) isTimed = names.has(timeColumn) && !names.has('date')
      pushChecked(rows, isTimed ? withoutDay(own, line) : own, line, 'null')
      reader.path.pop()
      carried.check(rows.count)
    }
    reader.endLine()
  }
  return rows.finish({ names: [...names], carried })
}

/** Reads a row with a time. Fails if it has a date as well. */
function withoutDay(row: JsonValue, line: number): JsonValue {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row
  if (row.date === undefined) return { ...row, date: timed }
  throw new Failure(
    'parameter_invalid',
    `Line ${line} has a date, but the first line has a time. Send either dates or times in all rows.`,
    { param: `line ${line}` },
  )
}

/** Reads a row key by key. Every field except date and ticker goes to its column. A line that is not an
 * object is returned unchanged.
 *
 * @param names all columns seen so far, in the order of their appearance */
function readObject(reader: JsonReader, row: number, names: Set<string>, carried: ByteColumns): JsonValue {
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x7b) return reader.value()
  const own: JsonObject = Object.create(null)
  const seen = new Set<string>()
  reader.expect(0x7b)
  if (reader.take(0x7d)) return own
  do {
    const key = reader.key(name => seen.has(name))
    seen.add(key)
    names.add(key)
    reader.path.push(key)
    if (key === 'date' || key === 'ticker') own[key] = reader.value()
    else takeJsonCell(reader, carried.column(key, reader.here), row)
    reader.path.pop()
  } while (reader.take(0x2c))
  reader.expect(0x7d)
  return own
}

const dateKey = new TextEncoder().encode('"date"')
const tickerKey = new TextEncoder().encode('"ticker"')

/** The fast path for a row with its keys in either order and without escapes. */
function takeObject(reader: JsonReader, rows: RowsBuilder, days: DayMemo): boolean {
  if (!reader.take(0x7b)) return false
  let day = noDay
  let name = -1
  for (let index = 0; index < 2; index++) {
    reader.skipSpace()
    if (takeWord(reader, dateKey)) {
      if (!reader.take(0x3a)) return false
      reader.skipSpace()
      const { bytes, at } = reader
      if (bytes[at] !== 0x22 || bytes[at + 11] !== 0x22) return false
      day = days.read(reader, at + 1)
      reader.at = at + 12
    } else if (takeWord(reader, tickerKey)) {
      if (!reader.take(0x3a)) return false
      reader.skipSpace()
      name = readNameFast(reader, rows.names)
      if (name === -1) return false
    } else return false
    if (index === 0 && !reader.take(0x2c)) return false
  }
  if (day === noDay || name === -1 || !reader.take(0x7d)) return false
  rows.push(day, name)
  return true
}

function takeWord(reader: JsonReader, word: Uint8Array): boolean {
  const { bytes, at } = reader
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false
  reader.at = at + word.length
  return true
}
