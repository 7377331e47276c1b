import { dayNumber } from '../../dates.ts'
import { type Bounds, readNameFast, readNumberFast, takeNull } from './cells.ts'
import { DayMemo, noDay } from './cursor.ts'
import type { JsonReader, JsonValue } from './jsonReader.ts'
import { NameInterner } from './nameInterner.ts'

/** A column that is filled while its JSON array is read, in shared memory that a dataset may take over. It
 * has room for at least one element more than allowed. */
export interface JsonColumn {
  /** The fast path: takes the element at the reader's position. For anything but the common form it returns
   * false and does not move the reader. */
  take(row: number): boolean
  /** Stores an element that was read as a value and matches the schema. */
  put(row: number, value: JsonValue): void
}

export class DayColumn implements JsonColumn {
  readonly #reader: JsonReader
  readonly #memo = new DayMemo()
  readonly #days: Int32Array

  constructor(reader: JsonReader, capacity: number) {
    this.#reader = reader
    this.#days = new Int32Array(new SharedArrayBuffer(4 * capacity))
  }

  take(row: number): boolean {
    const { bytes, at } = this.#reader
    if (bytes[at] !== 0x22 || bytes[at + 11] !== 0x22) return false
    const day = this.#memo.read(this.#reader, at + 1)
    if (day === noDay) return false
    this.#reader.at = at + 12
    this.#days[row] = day
    return true
  }

  put(row: number, value: JsonValue): void {
    this.#days[row] = dayNumber(String(value))
  }

  days(count: number): Int32Array {
    return this.#days.subarray(0, count)
  }
}

/** Names by number. */
export class NameColumn implements JsonColumn {
  readonly #reader: JsonReader
  readonly #interner: NameInterner
  readonly #nullable: boolean
  readonly #numbers: Int32Array

  /** @param nullable if true, null is the name '', which has number 0 */
  constructor(reader: JsonReader, capacity: number, maxLength: number, nullable: boolean) {
    this.#reader = reader
    this.#numbers = new Int32Array(new SharedArrayBuffer(4 * capacity))
    this.#interner = new NameInterner(maxLength)
    this.#nullable = nullable
    if (nullable) this.#interner.numberOf('')
  }

  take(row: number): boolean {
    const from = this.#reader.at
    const number = this.#nullable && takeNull(this.#reader) ? 0 : readNameFast(this.#reader, this.#interner)
    if (number === -1) {
      this.#reader.at = from
      return false
    }
    this.#numbers[row] = number
    return true
  }

  put(row: number, value: JsonValue): void {
    this.#numbers[row] = this.#interner.numberOf(String(value))
  }

  get names(): readonly string[] {
    return this.#interner.names
  }

  numbers(count: number): Int32Array {
    return this.#numbers.subarray(0, count)
  }
}

/** NaN for null. */
export class NumberColumn implements JsonColumn {
  readonly #reader: JsonReader
  readonly #bounds: Bounds
  readonly #values: Float64Array

  constructor(reader: JsonReader, capacity: number, bounds: Bounds) {
    this.#reader = reader
    this.#values = new Float64Array(new SharedArrayBuffer(8 * capacity))
    this.#bounds = bounds
  }

  take(row: number): boolean {
    const from = this.#reader.at
    const value = readNumberFast(this.#reader, this.#bounds)
    if (value === Number.POSITIVE_INFINITY) {
      this.#reader.at = from
      return false
    }
    this.#values[row] = value
    return true
  }

  put(row: number, value: JsonValue): void {
    this.#values[row] = typeof value === 'number' ? value : Number.NaN
  }

  values(count: number): Float64Array {
    return this.#values.subarray(0, count)
  }
}
