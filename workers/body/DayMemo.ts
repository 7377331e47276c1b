import { dayNumber, isIsoDate } from '../../src/model/date.ts'
import type { ByteCursor } from './ByteCursor.ts'

export const noDay = -0x8000_0000
const length = 10

/** Turns dates into days, each distinct date once. */
export class DayMemo {
  readonly #days = new Map<string, number>()
  // The last date as its bytes: most rows have the date of the row before.
  #year = 0
  #month = 0
  #dayOfMonth = 0
  #day = noDay

  /** The day that the ten bytes from `from` spell, `noDay` where that is none. The cursor does not move. */
  read({ view, text }: ByteCursor, from: number): number {
    if (from + length > view.byteLength) return noDay
    const year = view.getInt32(from)
    const month = view.getInt32(from + 4) // with its hyphens
    const dayOfMonth = view.getInt16(from + 8)
    if (year === this.#year && month === this.#month && dayOfMonth === this.#dayOfMonth) return this.#day
    this.#year = year
    this.#month = month
    this.#dayOfMonth = dayOfMonth
    this.#day = this.#lookUp(text.toString('latin1', from, from + length))
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
