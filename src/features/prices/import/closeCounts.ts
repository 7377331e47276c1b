import type { CloseListener } from './mergePrices.ts'
import { firstDayOfTable, yearStarts } from './tableOfYears.ts'

const daysOfTable = yearStarts[yearStarts.length - 1] - firstDayOfTable

/** By how many the securities of one market with a close on each day change, by the day on which that is known. */
export class CloseCounts {
  /** Changes that are known on the day itself. */
  readonly #onOwnDay = new Int32Array(daysOfTable)
  /** Changes that are known on `#oneDay`: most imports have one known day for all rows, or that of each row. */
  readonly #onOneDay = new Int32Array(daysOfTable)
  #oneDay: number | null = null
  readonly #others = new Map<number, number>()

  readonly add: CloseListener = (day, knownDay, change) => {
    const at = day - firstDayOfTable
    if (knownDay === day) {
      this.#onOwnDay[at] += change
      return
    }
    this.#oneDay ??= knownDay
    if (knownDay === this.#oneDay) {
      this.#onOneDay[at] += change
      return
    }
    const key = at * daysOfTable + knownDay - firstDayOfTable
    this.#others.set(key, (this.#others.get(key) ?? 0) + change)
  }

  changes(): { readonly day: number; readonly knownDay: number; readonly closes: number }[] {
    const found: { day: number; knownDay: number; closes: number }[] = []
    for (let at = 0; at < daysOfTable; at++) {
      const day = firstDayOfTable + at
      if (this.#onOwnDay[at] !== 0) found.push({ day, knownDay: day, closes: this.#onOwnDay[at] })
      if (this.#onOneDay[at] !== 0 && this.#oneDay !== null)
        found.push({ day, knownDay: this.#oneDay, closes: this.#onOneDay[at] })
    }
    for (const [key, closes] of this.#others) {
      const at = Math.floor(key / daysOfTable)
      const knownDay = firstDayOfTable + (key % daysOfTable)
      if (closes !== 0) found.push({ day: firstDayOfTable + at, knownDay, closes })
    }
    return found
  }
}
