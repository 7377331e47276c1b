import { dayNumber } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { DayMemo, NameInterner, noDay } from './bytes.ts'
import {
  type ColumnName,
  cellChecks,
  cellSchemas,
  checkSize,
  columnNames,
  longestAsset,
  longestMarket,
  readUsualName,
  readUsualNumber,
  requiredColumns,
  returnBounds,
  roomFor,
  scoreBounds,
  takeNull,
} from './cells.ts'
import { describeFault, unknownParameter } from './faults.ts'
import { formatPath, type JsonReader, type JsonValue } from './json.ts'
import type { PanelRows } from './panelColumns.ts'

/** A column that is filled while its JSON array is read, in shared memory: a dataset may take it over. It has room for
 * one element more than there may be. */
export interface JsonColumn {
  /** Takes the element at the reader's place if it has the usual shape; false and unmoved otherwise. */
  take(place: number): boolean
  /** Takes an element that was read as a value and that the schema allows. */
  put(place: number, value: JsonValue): void
}

export class DayColumn implements JsonColumn {
  readonly #reader: JsonReader
  readonly #memo = new DayMemo()
  readonly #days: Int32Array

  constructor(reader: JsonReader, room: number) {
    this.#reader = reader
    this.#days = new Int32Array(new SharedArrayBuffer(4 * room))
  }

  take(place: number): boolean {
    const { bytes, at } = this.#reader
    if (bytes[at] !== 0x22 || bytes[at + 11] !== 0x22) return false
    const day = this.#memo.read(this.#reader, at + 1)
    if (day === noDay) return false
    this.#reader.at = at + 12
    this.#days[place] = day
    return true
  }

  put(place: number, value: JsonValue): void {
    this.#days[place] = dayNumber(String(value))
  }

  days(count: number): Int32Array {
    return this.#days.subarray(0, count)
  }
}

/** Names by number. */
export class NameColumn implements JsonColumn {
  readonly #reader: JsonReader
  readonly #interner: NameInterner
  readonly #optional: boolean
  readonly #numbers: Int32Array

  /** @param optional null is the name '', number 0 */
  constructor(reader: JsonReader, room: number, longest: number, optional: boolean) {
    this.#reader = reader
    this.#numbers = new Int32Array(new SharedArrayBuffer(4 * room))
    this.#interner = new NameInterner(longest)
    this.#optional = optional
    if (optional) this.#interner.numberOf('')
  }

  take(place: number): boolean {
    const from = this.#reader.at
    const number = this.#optional && takeNull(this.#reader) ? 0 : readUsualName(this.#reader, this.#interner)
    if (number === -1) {
      this.#reader.at = from
      return false
    }
    this.#numbers[place] = number
    return true
  }

  put(place: number, value: JsonValue): void {
    this.#numbers[place] = this.#interner.numberOf(String(value))
  }

  get names(): readonly string[] {
    return this.#interner.names
  }

  numbers(count: number): Int32Array {
    return this.#numbers.subarray(0, count)
  }
}

/** NaN where null was sent. */
export class NumberColumn implements JsonColumn {
  readonly #reader: JsonReader
  readonly #bounds: { readonly least: number; readonly most: number }
  readonly #values: Float64Array

  constructor(reader: JsonReader, room: number, bounds: { readonly least: number; readonly most: number }) {
    this.#reader = reader
    this.#values = new Float64Array(new SharedArrayBuffer(8 * room))
    this.#bounds = bounds
  }

  take(place: number): boolean {
    const from = this.#reader.at
    const value = readUsualNumber(this.#reader, this.#bounds)
    if (value === Number.POSITIVE_INFINITY) {
      this.#reader.at = from
      return false
    }
    this.#values[place] = value
    return true
  }

  put(place: number, value: JsonValue): void {
    this.#values[place] = typeof value === 'number' ? value : Number.NaN
  }

  values(count: number): Float64Array {
    return this.#values.subarray(0, count)
  }
}

/** The shortest element. */
const leastRow = '1,'.length

/** A panel by column, {"date": [...], "asset": [...], ...}, from the reader's place at `{`. Elements of the usual shape
 * go straight from bytes to columns; any other is read as a value and the schema decides. */
export function readPanelColumns(reader: JsonReader): PanelRows {
  const room = roomFor(reader.bytes, leastRow)
  const columns = {
    date: new DayColumn(reader, room),
    asset: new NameColumn(reader, room, longestAsset, false),
    market: new NameColumn(reader, room, longestMarket, true),
    score: new NumberColumn(reader, room, scoreBounds),
    forward_return: new NumberColumn(reader, room, returnBounds),
  }
  const lengths = new Map<ColumnName, number>()
  reader.expect(0x7b)
  if (!reader.take(0x7d)) {
    do {
      const name = readColumnName(reader, lengths)
      reader.path.push(name)
      lengths.set(name, readColumn(reader, name, columns[name]))
      reader.path.pop()
    } while (reader.take(0x2c))
    reader.expect(0x7d)
  }
  const count = commonLength(lengths)
  const { date, asset, market, score, forward_return } = columns
  checkSize(count, market.names.length)
  return {
    columns: {
      count,
      day: date.days(count),
      asset: asset.numbers(count),
      market: narrowed(lengths.has('market') ? market.numbers(count) : new Int32Array(count)),
      score: score.values(count),
      forwardReturn: forward_return.values(count),
      assetNames: asset.names,
      marketNames: market.names,
    },
    placeOf: row => `panel.asset[${row}]`,
  }
}

function readColumnName(reader: JsonReader, lengths: ReadonlyMap<string, number>): ColumnName {
  const key = reader.key(name => lengths.has(name))
  const name = columnNames.find(known => known === key)
  if (name !== undefined) return name
  throw unknownParameter(formatPath([...reader.path, key]), columnNames)
}

/** Its length. */
function readColumn(reader: JsonReader, name: ColumnName, column: JsonColumn): number {
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x5b) {
    throw new Failure('parameter_invalid', `${reader.here} must be an array with one value a row.`, {
      param: reader.here,
    })
  }
  reader.expect(0x5b)
  if (reader.take(0x5d)) return 0
  let place = 0
  do {
    reader.skipSpace()
    if (!column.take(place)) putUnusual(reader, name, column, place)
    place++
    checkSize(place, 0)
  } while (reader.take(0x2c))
  reader.expect(0x5d)
  return place
}

function putUnusual(reader: JsonReader, name: ColumnName, column: JsonColumn, place: number): void {
  reader.path.push(place)
  const value = reader.value()
  if (!cellChecks[name].Check(value)) {
    const fault = cellChecks[name].Errors(value).First()
    if (fault) throw describeFault(fault, reader.path, cellSchemas[name])
  }
  column.put(place, value)
  reader.path.pop()
}

function commonLength(lengths: ReadonlyMap<ColumnName, number>): number {
  const absent = requiredColumns.find(name => !lengths.has(name))
  if (absent !== undefined) {
    throw new Failure(
      'parameter_invalid',
      `panel.${absent} is missing; it must be an array with one value a row.`,
      { param: `panel.${absent}` },
    )
  }
  const [[first, count], ...others] = lengths
  for (const [name, length] of others) {
    if (length === count) continue
    throw new Failure(
      'parameter_invalid',
      `panel.${name} has ${length} values and panel.${first} ${count}. Every column needs one value a row.`,
      { param: `panel.${name}` },
    )
  }
  return count
}

/** `checkSize` has seen that the numbers fit. */
function narrowed(numbers: Int32Array): Uint16Array {
  const narrow = new Uint16Array(new SharedArrayBuffer(2 * numbers.length))
  narrow.set(numbers)
  return narrow
}
