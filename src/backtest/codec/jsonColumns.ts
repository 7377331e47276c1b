import { dayNumber } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import {
  type Bounds,
  type ColumnName,
  cellChecks,
  cellSchemas,
  checkPanelSize,
  columnNames,
  maxAssetLength,
  maxMarketLength,
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
import { describeFault, unknownParameter } from './faults.ts'
import { formatPath, type JsonReader, type JsonValue } from './jsonReader.ts'
import { NameInterner } from './nameInterner.ts'
import type { ParsedPanel } from './panelBuilder.ts'

const minElementBytes = '1,'.length

/** A panel by column, {"date": [...], "asset": [...], ...}, from the reader's place at `{`. Elements of the common
 * form go straight from bytes to columns. Any other is read again as a JSON value, and the schema decides whether it
 * is valid. */
export function readJsonColumns(reader: JsonReader): ParsedPanel {
  const capacity = rowCapacity(reader.bytes, minElementBytes)
  const columns = {
    date: new DayColumn(reader, capacity),
    asset: new NameColumn(reader, capacity, maxAssetLength, false),
    market: new NameColumn(reader, capacity, maxMarketLength, true),
    score: new NumberColumn(reader, capacity, scoreBounds),
    forward_return: new NumberColumn(reader, capacity, returnBounds),
  }
  // Made only if it is sent: panels without volumes take no memory for them.
  let dollarVolume: NumberColumn | undefined
  const lengths = new Map<ColumnName, number>()
  reader.expect(0x7b)
  if (!reader.take(0x7d)) {
    do {
      const name = readColumnName(reader, lengths)
      reader.path.push(name)
      if (name === 'dollar_volume') dollarVolume = new NumberColumn(reader, capacity, volumeBounds)
      const column = name === 'dollar_volume' ? dollarVolume : columns[name]
      if (column) lengths.set(name, readColumn(reader, name, column))
      reader.path.pop()
    } while (reader.take(0x2c))
    reader.expect(0x7d)
  }
  const count = commonLength(lengths)
  const { date, asset, market, score, forward_return } = columns
  checkPanelSize(count, market.names.length)
  return {
    columns: {
      count,
      day: date.days(count),
      asset: asset.numbers(count),
      market: toUint16(lengths.has('market') ? market.numbers(count) : new Int32Array(count)),
      score: lengths.has('score') ? score.values(count) : noScores(count),
      forwardReturn: forward_return.values(count),
      dollarVolume: dollarVolume?.values(count),
      assetNames: asset.names,
      marketNames: market.names,
    },
    placeOf: row => `panel.asset[${row}]`,
    missingScore: lengths.has('score') ? null : columnMissing('score'),
  }
}

function readColumnName(reader: JsonReader, lengths: ReadonlyMap<string, number>): ColumnName {
  const key = reader.key(name => lengths.has(name))
  const name = columnNames.find(known => known === key)
  if (name !== undefined) return name
  throw unknownParameter(formatPath([...reader.path, key]), columnNames)
}

/** Reads a column's array and returns its length. */
function readColumn(reader: JsonReader, name: ColumnName, column: JsonColumn): number {
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x5b) {
    throw new Failure('parameter_invalid', `${reader.here} must be an array with one value per row.`, {
      param: reader.here,
    })
  }
  reader.expect(0x5b)
  if (reader.take(0x5d)) return 0
  let place = 0
  do {
    reader.skipSpace()
    if (!column.take(place)) putChecked(reader, name, column, place)
    place++
    checkPanelSize(place, 0)
  } while (reader.take(0x2c))
  reader.expect(0x5d)
  return place
}

/** The slow path: reads an element as a JSON value, which has to fit the schema. */
function putChecked(reader: JsonReader, name: ColumnName, column: JsonColumn, place: number): void {
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
  const absent = requiredColumns.find(name => name !== 'score' && !lengths.has(name))
  if (absent !== undefined) throw columnMissing(absent)
  const [[first, count], ...others] = lengths
  for (const [name, length] of others) {
    if (length === count) continue
    throw new Failure(
      'parameter_invalid',
      `panel.${name} has ${length} values and panel.${first} ${count}. Every column needs one value per row.`,
      { param: `panel.${name}` },
    )
  }
  return count
}

const columnMissing = (name: ColumnName) =>
  new Failure('parameter_invalid', `panel.${name} is missing; it must be an array with one value per row.`, {
    param: `panel.${name}`,
  })

const noScores = (count: number) => new Float64Array(new SharedArrayBuffer(8 * count)).fill(Number.NaN)

/** `checkPanelSize` made sure that the numbers fit. */
function toUint16(numbers: Int32Array): Uint16Array {
  const narrow = new Uint16Array(new SharedArrayBuffer(2 * numbers.length))
  narrow.set(numbers)
  return narrow
}

/** A column that is filled as its JSON array is read, in shared memory: a dataset may take it over. Its capacity is at
 * least one element more than allowed. */
interface JsonColumn {
  /** The fast path: takes the element at the reader's place. For anything but the common form it returns false, with
   * the reader where it was. */
  take(place: number): boolean
  /** Takes an element that was read as a value and fits the schema. */
  put(place: number, value: JsonValue): void
}

class DayColumn implements JsonColumn {
  readonly #reader: JsonReader
  readonly #memo = new DayMemo()
  readonly #days: Int32Array

  constructor(reader: JsonReader, capacity: number) {
    this.#reader = reader
    this.#days = new Int32Array(new SharedArrayBuffer(4 * capacity))
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
class NameColumn implements JsonColumn {
  readonly #reader: JsonReader
  readonly #interner: NameInterner
  readonly #nullable: boolean
  readonly #numbers: Int32Array

  /** @param nullable null is the name '', number 0 */
  constructor(reader: JsonReader, capacity: number, maxLength: number, nullable: boolean) {
    this.#reader = reader
    this.#numbers = new Int32Array(new SharedArrayBuffer(4 * capacity))
    this.#interner = new NameInterner(maxLength)
    this.#nullable = nullable
    if (nullable) this.#interner.numberOf('')
  }

  take(place: number): boolean {
    const from = this.#reader.at
    const number = this.#nullable && takeNull(this.#reader) ? 0 : readNameFast(this.#reader, this.#interner)
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

/** NaN for null. */
class NumberColumn implements JsonColumn {
  readonly #reader: JsonReader
  readonly #bounds: Bounds
  readonly #values: Float64Array

  constructor(reader: JsonReader, capacity: number, bounds: Bounds) {
    this.#reader = reader
    this.#values = new Float64Array(new SharedArrayBuffer(8 * capacity))
    this.#bounds = bounds
  }

  take(place: number): boolean {
    const from = this.#reader.at
    const value = readNumberFast(this.#reader, this.#bounds)
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
