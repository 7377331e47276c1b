import { dayNumber } from '../../src/model/date.ts'
import { DayMemo, noDay } from './DayMemo.ts'
import type { JsonReader, JsonValue } from './JsonReader.ts'
import { NameInterner } from './NameInterner.ts'
import { readUsualName, readUsualNumber, takeNull } from './usualValues.ts'

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
