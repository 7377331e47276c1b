import { type ClosesAndSplits, decodeClosesAndSplits } from './priceBlock.ts'
import type { PriceColumns } from './priceSeries.ts'

/** The prices of many companies as they are stored, so that a thread can decode them. */
export interface PackedPrices {
  /**
   * For each block the company (4 bytes), the security (4) and the length of its bytes (4), big-endian, and then these
   * bytes. The blocks of a security follow each other, in the order of their years.
   */
  readonly blocks: Uint8Array
  /** The imports whose rows are visible, each with the day for which it was adjusted. */
  readonly basisDays: ReadonlyMap<number, number>
}

/**
 * By company, the securities that have visible rows, with no more than the rows that decide a valuation on one day: those
 * of the days from which its close may come, those of days with a split, and the first that was known then. All prices of a
 * market would need too much memory.
 *
 * @param lastDay the day that is read
 * @param maxAgeDays the oldest close that counts on it
 */
export function unpackPrices(
  { blocks, basisDays }: PackedPrices,
  lastDay: number,
  maxAgeDays: number,
): Map<number, PriceColumns[]> {
  const view = new DataView(blocks.buffer, blocks.byteOffset, blocks.byteLength)
  const found = new Map<number, PriceColumns[]>()
  for (let at = 0; at < blocks.length; ) {
    const [company, security] = [view.getInt32(at), view.getInt32(at + 4)]
    const rows = new DecidingRows(basisDays, lastDay, maxAgeDays)
    while (at < blocks.length && view.getInt32(at + 4) === security) {
      const end = at + 12 + view.getInt32(at + 8)
      rows.add(decodeClosesAndSplits(blocks.subarray(at + 12, end), lastDay - maxAgeDays))
      at = end
    }
    const kept = rows.finish()
    if (kept.days.length === 0) continue
    const others = found.get(company)
    if (others === undefined) found.set(company, [kept])
    else others.push(kept)
  }
  return found
}

/** The rows of one security that decide a valuation on a day. */
class DecidingRows {
  readonly #basisDays: ReadonlyMap<number, number>
  readonly #lastDay: number
  readonly #firstCloseDay: number
  readonly #days: number[] = []
  readonly #knownDays: number[] = []
  readonly #closes: number[] = []
  readonly #splitFactors: number[] = []
  readonly #basis: number[] = []
  #hasFirst = false

  constructor(basisDays: ReadonlyMap<number, number>, lastDay: number, maxAgeDays: number) {
    this.#basisDays = basisDays
    this.#lastDay = lastDay
    this.#firstCloseDay = lastDay - maxAgeDays
  }

  /** Adds the rows of a block, after those of earlier years. */
  add(block: ClosesAndSplits): void {
    const { days } = block
    for (let at = 0; at < days.length; ) {
      let next = at + 1
      while (next < days.length && days[next] === days[at]) next++
      // All vintages of a day, because the latest one that was known decides.
      if (this.#counts(block, at, next)) for (let row = at; row < next; row++) this.#keep(block, row)
      at = next
    }
  }

  finish(): PriceColumns {
    return {
      days: Int32Array.from(this.#days),
      knownDays: Int32Array.from(this.#knownDays),
      closes: Float64Array.from(this.#closes),
      splitFactors: Float64Array.from(this.#splitFactors),
      basisDays: Int32Array.from(this.#basis),
    }
  }

  /** Whether the rows from `at` to `next`, all of one day, are needed. */
  #counts({ days, knownDays, imports, splitFactors }: ClosesAndSplits, at: number, next: number): boolean {
    const day = days[at]
    let counts = day >= this.#firstCloseDay && day <= this.#lastDay
    for (let row = at; row < next; row++) {
      if (splitFactors[row] !== 1) counts = true
      if (this.#hasFirst || day > this.#lastDay || knownDays[row] > this.#lastDay) continue
      if (!this.#basisDays.has(imports[row])) continue
      this.#hasFirst = true
      counts = true
    }
    return counts
  }

  #keep({ days, knownDays, imports, closes, splitFactors }: ClosesAndSplits, row: number): void {
    const basisDay = this.#basisDays.get(imports[row])
    if (basisDay === undefined) return
    this.#days.push(days[row])
    this.#knownDays.push(knownDays[row])
    this.#closes.push(closes === null ? Number.NaN : closes[row])
    this.#splitFactors.push(splitFactors[row])
    this.#basis.push(basisDay)
  }
}
