import { dayNumber, isIsoDate } from '../../dates.ts'

/** A place in a body that is being read. */
export interface ByteCursor {
  readonly bytes: Uint8Array
  /** The same bytes. */
  readonly text: Buffer
  readonly view: DataView
  at: number
}

const lineFeed = 0x0a

/** Finds the line of a byte, from 1. Continues from the place of the last call. Otherwise a body with a fault in every row
 * would be scanned once per row. */
export class LineCounter {
  readonly #bytes: Uint8Array
  #at = 0
  #line = 1

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  lineAt(at: number): number {
    if (at < this.#at) {
      this.#at = 0
      this.#line = 1
    }
    const next = () => this.#bytes.indexOf(lineFeed, this.#at)
    for (let i = next(); i !== -1 && i < at; i = next()) {
      this.#line++
      this.#at = i + 1
    }
    return this.#line
  }
}

export const noDay = -0x8000_0000
const dateLength = 10

/** Turns dates into days, each distinct date once. */
export class DayMemo {
  readonly #days = new Map<string, number>()
  // The last date as its bytes: most rows have the date of the row before.
  #year = 0
  #month = 0
  #dayOfMonth = 0
  #day = noDay

  /** The day that the ten bytes from `from` spell, or `noDay`. The cursor does not move. */
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
