import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import { BacktestPanelRow } from '../request.ts'
import {
  borrowBounds,
  ClosingRow,
  type ColumnName,
  checkPanelSize,
  closeBounds,
  columnNames,
  ReturnRow,
  readNameFast,
  readNumberFast,
  requiredColumns,
  returnBounds,
  rowCapacity,
  scoreBounds,
  takeNull,
  volumeBounds,
} from './cells.ts'
import { DayMemo, noDay } from './cursor.ts'
import { ExtraCell, extraBounds, extraCheck, type WantedColumns } from './extraColumns.ts'
import { describeFault, unknownParameter } from './faults.ts'
import { formatPath, type JsonObject, type JsonReader, type JsonValue } from './jsonReader.ts'
import { PanelBuilder, type ParsedPanel } from './panelBuilder.ts'

/** A row whose score and return come from elsewhere. */
export const minRowBytes = '{"date":"2024-01-02","asset":"A"}'.length

/** Reads a panel by row, [{"date": ..., "asset": ..., ...}, ...], starting at its `[`.
 *
 * Rows of the common form go straight from bytes to columns. Any other row is read again as a JSON value and
 * validated by the schema. */
export function readJsonRows(reader: JsonReader, wanted: WantedColumns): ParsedPanel {
  const capacity = rowCapacity(reader.totalBytes, minRowBytes)
  const panel = new PanelBuilder(capacity, wanted, mayNamePrices(reader))
  const rows = new JsonRowReader(reader, panel)
  const missingScore = () => missingScoreOf(panel, row => ['panel', row])
  reader.expect(0x5b)
  if (!reader.take(0x5d)) {
    do {
      reader.ready()
      reader.skipSpace()
      if (!rows.read()) {
        reader.path.push(panel.count)
        pushChecked(panel, reader.value(), reader.path)
        reader.path.pop()
      }
      checkPanelSize(panel.count, panel.markets.names.length)
      if (panel.withoutScore === panel.count - 1 && !mayNameScore(reader)) break
    } while (reader.take(0x2c))
    const fault = missingScore()
    if (fault !== null && !mayNameScore(reader)) throw fault
    reader.expect(0x5d)
  }
  const { refusals } = panel.extras
  return {
    columns: panel.columns(),
    placeOf: row => `panel[${row}]`,
    missingScore: missingScore(),
    missingReturn: missingReturnOf(panel, row => ['panel', row]),
    refusals,
  }
}

/** Whether a field of the body, before or after the rows, may say that prices give the returns. */
export function mayNamePrices(reader: JsonReader): () => boolean {
  let known: boolean | undefined
  return () => {
    known ??= reader.isWhole && ['"prices"', '\\u'].some(mark => reader.text.includes(mark))
    return known
  }
}

/** Whether a field of the body, before or after the rows, may say where the scores come from. If not, the
 * first row without a score is the first fault. A body in a file is a panel to be stored, which has no such
 * field. */
const mayNameScore = ({ text, isWhole }: JsonReader): boolean =>
  isWhole && ['asOf', '"scores"', 'rankBy', '\\u'].some(mark => text.includes(mark))

const returnCheck = TypeCompiler.Compile(ReturnRow)
const closingCheck = TypeCompiler.Compile(ClosingRow)
const wholeRowCheck = TypeCompiler.Compile(BacktestPanelRow)

/** The fault of the first row without a score; null if all rows have one.
 *
 * @param pathOf the path of a row in the body */
export function missingScoreOf(
  { withoutScore }: PanelBuilder,
  pathOf: (row: number) => readonly (string | number)[],
): Failure | null {
  if (withoutScore === -1) return null
  const fault = wholeRowCheck.Errors({ date: '2024-01-02', asset: 'A', forward_return: null }).First()
  return fault ? describeFault(fault, pathOf(withoutScore), BacktestPanelRow) : null
}

/** The fault of the first row without a return; null if all rows have one.
 *
 * @param pathOf the path of a row in the body */
export function missingReturnOf(
  { withoutReturn }: PanelBuilder,
  pathOf: (row: number) => readonly (string | number)[],
): Failure | null {
  if (withoutReturn === -1) return null
  const fault = wholeRowCheck.Errors({ date: '2024-01-02', asset: 'A', score: null }).First()
  return fault ? describeFault(fault, pathOf(withoutReturn), BacktestPanelRow) : null
}

/** The slow path: adds a row that was read as a value, if it matches the schema.
 *
 * @param missing what an error message calls a missing value */
export function pushChecked(
  panel: PanelBuilder,
  sent: JsonValue,
  path: readonly (string | number)[],
  missing = 'null',
): void {
  const hasClose = typeof sent === 'object' && sent !== null && 'close' in sent
  if (hasClose && 'forward_return' in sent) throw closeAndReturn(formatPath(path))
  const check = hasClose ? closingCheck : returnCheck
  const row = hasClose ? sent : withReturn(panel, sent)
  if (check.Check(row)) {
    panel.pushRow(row)
    return
  }
  const { row: known, own } = withoutOwnColumns(panel, row, path, missing)
  if (own.length > 0 && check.Check(known)) {
    panel.pushRow(known, own)
    return
  }
  const fault = check.Errors(known).First()
  throw fault
    ? describeFault(fault, path, BacktestPanelRow, missing)
    : new Failure('parameter_invalid', 'A row of panel does not match the schema.', { param: 'panel' })
}

/** @param param the position of the row or column in the body */
export function closeAndReturn(param: string): Failure {
  return new Failure(
    'parameter_invalid',
    `${param} has both close and forward_return. Send close to have the returns computed from it, or forward_return, but not both.`,
    { param },
  )
}

/** A row with null for a return that may be left out. */
function withReturn(panel: PanelBuilder, row: JsonValue): JsonValue {
  const isRow = typeof row === 'object' && row !== null && !Array.isArray(row)
  if (!isRow || 'forward_return' in row || !panel.mayLackReturns()) return row
  panel.noteNoReturn()
  return { ...row, forward_return: null }
}

/** A row without the columns of the caller's own, and their indices and values. */
function withoutOwnColumns(
  { extras }: PanelBuilder,
  row: JsonValue,
  path: readonly (string | number)[],
  missing: string,
): { readonly row: JsonValue; readonly own: readonly (readonly [number, number])[] } {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return { row, own: [] }
  const known: JsonObject = Object.create(null)
  const own: [number, number][] = []
  for (const [name, value] of Object.entries(row)) {
    const at = [...path, name]
    const isNumber = value === null || typeof value === 'number'
    const mayAdd = extras.mayBe(name) && (isNumber || extras.isNamed(name) || extras.names.includes(name))
    const column = mayAdd ? extras.add(name, () => unknownParameter(formatPath(at), columnNames)) : -1
    if (column === -1) known[name] = value
    else own.push([column, extraCell(value, at, missing)])
  }
  return { row: known, own }
}

/** A cell of a column of the caller's own; NaN for null. */
export function extraCell(value: JsonValue, path: readonly (string | number)[], missing = 'null'): number {
  if (value === null) return Number.NaN
  if (typeof value === 'number' && extraCheck.Check(value)) return value
  const fault = extraCheck.Errors(value).First()
  throw fault
    ? describeFault(fault, path, ExtraCell, missing)
    : new Failure('parameter_invalid', `${formatPath(path)} is not a number.`, { param: formatPath(path) })
}

const encoder = new TextEncoder()
const quotedKeys = columnNames.map(key => encoder.encode(`"${key}"`))
const scoreBit = 1 << columnNames.indexOf('score')
const returnBit = 1 << columnNames.indexOf('forward_return')
const requiredBits =
  requiredColumns.reduce((bits, key) => bits | (1 << columnNames.indexOf(key)), 0) & ~scoreBit & ~returnBit
const closeBit = 1 << columnNames.indexOf('close')
const quote = 0x22

/** The fast path for a row of the common form: the schema's keys, unescaped and once each, names without
 * escapes, and numbers within the schema's bounds. For anything else `read` returns false, with the reader
 * back at the start of the row; it never rejects a row. Keys are tried in the order of the previous row. */
export class JsonRowReader {
  readonly #reader: JsonReader
  readonly #panel: PanelBuilder
  readonly #days = new DayMemo()
  /** The known columns, followed by those of the caller's own that rows have shown so far. */
  readonly #keys = [...quotedKeys]
  readonly #lastOrder = columnNames.map((_, i) => i)
  #day = 0
  #asset = 0
  #market = 0
  #score = 0
  #forwardReturn = 0
  #dollarVolume = Number.NaN
  #group = 0
  #close = Number.NaN
  #borrowBps = Number.NaN

  constructor(reader: JsonReader, panel: PanelBuilder) {
    this.#reader = reader
    this.#panel = panel
  }

  read(): boolean {
    const start = this.#reader.at
    if (this.#keys.length < columnNames.length + this.#panel.extras.names.length) this.#addKeys()
    if (this.#readFields()) {
      this.#panel.push(
        this.#day,
        this.#asset,
        this.#market,
        this.#score,
        this.#forwardReturn,
        this.#dollarVolume,
        this.#group,
        this.#close,
        this.#borrowBps,
      )
      return true
    }
    this.#reader.at = start
    return false
  }

  #addKeys(): void {
    const { names } = this.#panel.extras
    for (let key = this.#keys.length; key < columnNames.length + names.length; key++) {
      this.#keys.push(encoder.encode(`"${names[key - columnNames.length]}"`))
      this.#lastOrder.push(key)
    }
  }

  #readFields(): boolean {
    const reader = this.#reader
    if (!reader.take(0x7b)) return false
    let seen = 0
    this.#market = 0
    this.#score = Number.NaN
    this.#forwardReturn = Number.NaN
    this.#dollarVolume = Number.NaN
    this.#group = 0
    this.#close = Number.NaN
    this.#borrowBps = Number.NaN
    for (let index = 0; index < this.#keys.length; index++) {
      reader.skipSpace()
      const key = this.#key(index)
      if (key === -1 || seen & (1 << key)) return false
      seen |= 1 << key
      if (!reader.take(0x3a)) return false
      reader.skipSpace()
      if (!(key < columnNames.length ? this.#field(columnNames[key]) : this.#extra(key - columnNames.length)))
        return false
      if (reader.take(0x2c)) continue
      if (!reader.take(0x7d) || (seen & requiredBits) !== requiredBits) return false
      if ((seen & closeBit) !== 0) {
        if ((seen & returnBit) !== 0) return false
      } else if ((seen & returnBit) === 0) {
        if (!this.#panel.mayLackReturns()) return false
        this.#panel.noteNoReturn()
      }
      if ((seen & scoreBit) === 0) this.#panel.noteNoScore()
      return true
    }
    return false
  }

  #key(index: number): number {
    const expected = this.#lastOrder[index]
    if (this.#matches(this.#keys[expected])) return expected
    for (let key = 0; key < this.#keys.length; key++) {
      if (!this.#matches(this.#keys[key])) continue
      this.#lastOrder[index] = key
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

  #extra(column: number): boolean {
    const value = readNumberFast(this.#reader, extraBounds)
    if (value === Number.POSITIVE_INFINITY) return false
    this.#panel.extras.put(column, this.#panel.count, value)
    return true
  }

  #field(key: ColumnName): boolean {
    const reader = this.#reader
    switch (key) {
      case 'date':
        return this.#date()
      case 'asset':
        this.#asset = readNameFast(reader, this.#panel.assets)
        return this.#asset !== -1
      case 'market':
        this.#market = takeNull(reader) ? 0 : readNameFast(reader, this.#panel.markets)
        return this.#market !== -1
      case 'score':
        this.#score = readNumberFast(reader, scoreBounds)
        return this.#score !== Number.POSITIVE_INFINITY
      case 'forward_return':
        this.#forwardReturn = readNumberFast(reader, returnBounds)
        return this.#forwardReturn !== Number.POSITIVE_INFINITY
      case 'dollar_volume':
        this.#dollarVolume = readNumberFast(reader, volumeBounds)
        return this.#dollarVolume !== Number.POSITIVE_INFINITY
      case 'group':
        this.#group = takeNull(reader) ? 0 : readNameFast(reader, this.#panel.groups)
        return this.#group !== -1
      case 'close':
        this.#close = readNumberFast(reader, closeBounds)
        return this.#close !== Number.POSITIVE_INFINITY
      case 'borrow_bps':
        this.#borrowBps = readNumberFast(reader, borrowBounds)
        return this.#borrowBps !== Number.POSITIVE_INFINITY
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
