import { dayNumber, isIsoDate } from '../../dates.ts'
import type { BodyCursor } from './bodyBytes.ts'

/** A position in a body that is being read. */
export interface ByteCursor {
  readonly bytes: Uint8Array
  /** The same bytes. */
  readonly text: Buffer
  readonly view: DataView
  at: number
}

const lineFeed = 0x0a

/** Finds the line of a byte, counted from 1. Each call continues from the previous position: otherwise a body
 * with a fault in every row would be scanned once per row. */
export class LineCounter {
  readonly #body: BodyCursor
  /** The offset in the body, not in its window. */
  #at = 0
  #line = 1
  #lineStart = 0

  constructor(body: BodyCursor) {
    this.#body = body
  }

  /** @param at the position in the window */
  lineAt(at: number): number {
    return this.placeOf(at).line
  }

  /** The line and column of a byte, both counted from 1. */
  placeOf(at: number): { line: number; column: number } {
    const { bytes, offset } = this.#body
    const end = offset + at
    if (end < this.#at) {
      this.#at = 0
      this.#line = 1
      this.#lineStart = 0
    }
    // The part before the window is read again: most bodies have no faults, so lines are not counted up
    // front.
    if (this.#at < offset)
      this.#body.scan(this.#at, Math.min(offset, end), part => this.#count(part, part.length))
    if (this.#at < end) this.#count(bytes.subarray(this.#at - offset), end - this.#at)
    return { line: this.#line, column: end - this.#lineStart + 1 }
  }

  #count(bytes: Uint8Array, length: number): void {
    const start = this.#at
    for (let i = bytes.indexOf(lineFeed); i !== -1 && i < length; i = bytes.indexOf(lineFeed, i + 1)) {
      this.#line++
      this.#lineStart = start + i + 1
    }
    this.#at = start + length
  }
}

export const noDay = -0x8000_0000
const dateLength = 10

/** Converts dates to days, each distinct date once. */
export class DayMemo {
  readonly #days = new Map<string, number>()
  // The bytes of the previous date: most rows have the same date as the row before.
  #year = 0
  #month = 0
  #dayOfMonth = 0
  #day = noDay

  /** The day spelled by the ten bytes from `from`, or `noDay`. The cursor does not move. */
  read({ view, text }: ByteCursor, from: number): number {
    if (from + dateLength > view.byteLength) return noDay
    const year = view.getInt32(from)
    const month = view.getInt32(from + 4) // with its hyphens
    const dayOfMonth = view.getInt16(from + 8)
    if (year === this.#year && month === this.#month && dayOfMonth === this.#dayOfMonth) return this.#day
    this.#year = year
    this.#month = month
    this.#dayOfMonth = dayOfMonth
    this.#day = this.#lookUp(text.toString('latin1', from, from + dateLength))
    return this.#day
  }

  #lookUp(date: string): number {
    const known = this.#days.get(date)
    if (known !== undefined) return known
    if (!isIsoDate(date)) return noDay
    const day = dayNumber(date)
    this.#days.set(date, day)
    return day
  }
}
