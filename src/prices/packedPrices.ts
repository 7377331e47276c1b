import { decodePriceBlock } from './priceBlock.ts'
import { joinPriceRows, type PriceRows } from './priceRows.ts'
import type { PriceColumns, PriceSeries } from './priceSeries.ts'

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
    const parts: Uint8Array[] = []
    while (at < blocks.length && view.getInt32(at + 4) === security) {
      const end = at + 12 + view.getInt32(at + 8)
      parts.push(blocks.subarray(at + 12, end))
      at = end
    }
    const rows = rowsThatDecide(visibleRows(parts, basisDays), lastDay, maxAgeDays)
    if (rows.days.length === 0) continue
    const others = found.get(company)
    if (others === undefined) found.set(company, [rows])
    else others.push(rows)
  }
  return found
}

function rowsThatDecide(rows: PriceColumns, lastDay: number, maxAgeDays: number): PriceColumns {
  const { days, knownDays, closes, splitFactors, basisDays } = rows
  const kept: number[] = []
  let hasFirst = false
  for (let at = 0; at < days.length; ) {
    let next = at
    let counts = days[at] >= lastDay - maxAgeDays && days[at] <= lastDay
    for (; next < days.length && days[next] === days[at]; next++) {
      if (splitFactors[next] !== 1) counts = true
      if (hasFirst || days[next] > lastDay || knownDays[next] > lastDay) continue
      hasFirst = true
      counts = true
    }
    // All vintages of a day, because the latest one that was known decides.
    if (counts) for (let row = at; row < next; row++) kept.push(row)
    at = next
  }
  return {
    days: Int32Array.from(kept, row => days[row]),
    knownDays: Int32Array.from(kept, row => knownDays[row]),
    closes: Float64Array.from(kept, row => closes[row]),
    splitFactors: Float64Array.from(kept, row => splitFactors[row]),
    basisDays: Int32Array.from(kept, row => basisDays[row]),
  }
}

/** The rows of the imports that are visible, from the blocks of one security. */
export function visibleRows(
  blocks: readonly Uint8Array[],
  basisDays: ReadonlyMap<number, number>,
): PriceSeries {
  const rows = ofVisibleImports(joinPriceRows(blocks.map(decodePriceBlock)), basisDays)
  return { ...rows, basisDays: rows.imports.map(importId => basisDays.get(importId) ?? 0) }
}

function ofVisibleImports(rows: PriceRows, imports: ReadonlyMap<number, unknown>): PriceRows {
  if (rows.imports.every(importId => imports.has(importId))) return rows
  const isVisible = (_: number, index: number) => imports.has(rows.imports[index])
  const days = rows.days.filter(isVisible)
  return {
    count: days.length,
    days,
    knownDays: rows.knownDays.filter(isVisible),
    imports: rows.imports.filter(isVisible),
    closes: rows.closes.filter(isVisible),
    volumes: rows.volumes.filter(isVisible),
    splitFactors: rows.splitFactors.filter(isVisible),
    dividends: rows.dividends.filter(isVisible),
    delistingReturns: rows.delistingReturns.filter(isVisible),
  }
}
