import { dayNumber } from '../dates.ts'
import { type AsOf, lastWholeDay } from '../instants.ts'
import type { KnownSymbol } from './knownSymbols.ts'
import { copyPriceRow, emptyPriceRows, firstRowFrom, isEmptyPriceRow, type PriceRows } from './priceRows.ts'

/**
 * What the closes of a set are: as traded; adjusted for later splits; or adjusted for later splits and dividends, from
 * which no price that was ever paid can be derived.
 */
export const priceBases = ['raw', 'split_adjusted', 'total_return'] as const
export type PriceBasis = (typeof priceBases)[number]

/** A security of a set with every vintage of its prices. */
export interface PriceHistory extends PriceRows {
  readonly assetId: number
  /** Null: no company was known by its symbol. */
  readonly entityId: number | null
  readonly market: string | null
  /** The symbols that its rows name. A company with several classes of shares has several histories. */
  readonly symbols: readonly KnownSymbol[]
  /** For each row, the day up to which the splits are known that its close is adjusted for. */
  readonly basisDays: Int32Array
}

/** The columns that prices and splits are read from. */
export type PriceColumns = Pick<PriceHistory, 'days' | 'knownDays' | 'closes' | 'splitFactors' | 'basisDays'>

/** One row a day: what was known on a day. Sorted by day. */
export interface PriceSeries extends PriceRows {
  readonly basisDays: Int32Array
}

/**
 * The last day whose prices are known as of a day or an instant. The close of a day is known when the day has ended in
 * its market: as of the day itself, which reads everything up to its end, but of an instant only for earlier days.
 * Nothing else decides what of a set is visible, and an import refuses rows that claim to be known before their own day.
 */
export const lastPriceDay = (asOf: AsOf): number => dayNumber(lastWholeDay(asOf))

/** The vintage of each day that was known on `lastDay`. Days of which nothing was known any more are left out. */
export function asKnownOn(history: PriceHistory, lastDay: number): PriceSeries {
  const { days, knownDays } = history
  const chosen: number[] = []
  for (let at = 0; at < days.length && days[at] <= lastDay; ) {
    let best = -1
    let next = at
    for (; next < days.length && days[next] === days[at]; next++) if (knownDays[next] <= lastDay) best = next
    if (best !== -1 && !isEmptyPriceRow(history, best)) chosen.push(best)
    at = next
  }
  const series = { ...emptyPriceRows(chosen.length), basisDays: new Int32Array(chosen.length) }
  for (const [to, from] of chosen.entries()) {
    copyPriceRow(history, from, series, to)
    series.basisDays[to] = history.basisDays[from]
  }
  return series
}

/** A close as known on a day. */
export interface KnownPrice {
  /** The index of its row in the history. */
  readonly row: number
  readonly day: number
  readonly close: number
}

/**
 * The latest close as known on `lastDay`, on the basis of its set.
 *
 * @param maxAgeDays null is returned if the latest close is more calendar days older than `lastDay`
 */
export function priceKnownOn(
  history: Pick<PriceColumns, 'days' | 'knownDays' | 'closes'>,
  lastDay: number,
  maxAgeDays: number,
): KnownPrice | null {
  const { days, knownDays, closes } = history
  for (let at = firstRowFrom(days, lastDay + 1) - 1; at >= 0; ) {
    const day = days[at]
    if (day < lastDay - maxAgeDays) return null
    let known = -1
    for (; at >= 0 && days[at] === day; at--) if (known === -1 && knownDays[at] <= lastDay) known = at
    if (known !== -1 && !Number.isNaN(closes[known])) return { row: known, day, close: closes[known] }
  }
  return null
}

/**
 * New shares for one old share from the end of day `after` to the end of day `upTo`: the product of the split factors of
 * the days between, as known on `lastDay`. To bring a count of shares of day A to the basis of a later day B, multiply it
 * by `splitsBetween(history, A, B, asOf)`; for an earlier day B divide it by `splitsBetween(history, B, A, asOf)`.
 */
export function splitsBetween(
  history: Pick<PriceColumns, 'days' | 'knownDays' | 'splitFactors'>,
  after: number,
  upTo: number,
  lastDay: number,
): number {
  let product = 1
  for (const factor of knownFactors(history, after, upTo, lastDay)) product *= factor
  return product
}

/** Whether any day after `after` and up to `upTo` has a split, as known on `lastDay`. */
export function hasSplitBetween(
  history: Pick<PriceColumns, 'days' | 'knownDays' | 'splitFactors'>,
  after: number,
  upTo: number,
  lastDay: number,
): boolean {
  return knownFactors(history, after, upTo, lastDay).some(factor => factor !== 1)
}

/** The split factors, as known on `lastDay`, of those days after `after` and up to `upTo` of which any vintage states one. */
function knownFactors(
  { days, knownDays, splitFactors }: Pick<PriceColumns, 'days' | 'knownDays' | 'splitFactors'>,
  after: number,
  upTo: number,
  lastDay: number,
): readonly number[] {
  const rows = rowsOfSplits(days, splitFactors)
  if (rows.length === 0) return noFactors
  const found: number[] = []
  for (let at = 0; at < rows.length && days[rows[at]] <= upTo; ) {
    const day = days[rows[at]]
    let factor = 1
    for (; at < rows.length && days[rows[at]] === day; at++)
      if (knownDays[rows[at]] <= lastDay) factor = splitFactors[rows[at]]
    if (day > after) found.push(factor)
  }
  return found
}

const noFactors: readonly number[] = []

/** By column of split factors. Companies are valued on thousands of days, and few of their days have a split. */
const rowsOfColumn = new WeakMap<Float64Array, Int32Array>()

/** All rows of those days of which any vintage states a split. */
function rowsOfSplits(days: Int32Array, splitFactors: Float64Array): Int32Array {
  const known = rowsOfColumn.get(splitFactors)
  if (known !== undefined) return known
  const rows: number[] = []
  for (let at = 0; at < days.length; ) {
    let next = at
    let hasSplit = false
    for (; next < days.length && days[next] === days[at]; next++)
      if (splitFactors[next] !== 1) hasSplit = true
    if (hasSplit) for (let row = at; row < next; row++) rows.push(row)
    at = next
  }
  const found = Int32Array.from(rows)
  rowsOfColumn.set(splitFactors, found)
  return found
}

/**
 * The first day on which the splits between two days were known as they are on `lastDay`: the latest known day of a row
 * that stated or withdrew one of them; -Infinity if there is none.
 */
export function splitsKnownFrom(
  { days, knownDays, splitFactors }: Pick<PriceColumns, 'days' | 'knownDays' | 'splitFactors'>,
  after: number,
  upTo: number,
  lastDay: number,
): number {
  let from = Number.NEGATIVE_INFINITY
  let factor = 1
  let day = Number.NEGATIVE_INFINITY
  for (const row of rowsOfSplits(days, splitFactors)) {
    if (days[row] <= after || days[row] > upTo) continue
    if (days[row] !== day) factor = 1
    day = days[row]
    if (knownDays[row] > lastDay || splitFactors[row] === factor) continue
    factor = splitFactors[row]
    from = Math.max(from, knownDays[row])
  }
  return from
}

/** As of this day everything is known. */
const everKnown = 0x7fff_ffff

/**
 * The close that was paid on the day of a row, in the shares of that day; null if the set is adjusted in a way that
 * cannot be undone: for dividends, or for splits that the set does not state. A close that is adjusted for splits is
 * multiplied by the splits after its day, up to the day for which its import was adjusted. These splits undo each other
 * in the product, so they need not have been known on the day that is read.
 */
export function closeAsTraded(
  history: PriceColumns,
  row: number,
  set: { readonly basis: PriceBasis; readonly statesSplits: boolean },
): number | null {
  if (set.basis === 'raw') return history.closes[row]
  if (set.basis === 'total_return' || !set.statesSplits) return null
  return history.closes[row] * splitsBetween(history, history.days[row], history.basisDays[row], everKnown)
}

/**
 * For each row of a series, the number by which its close becomes the close as traded, as `closeAsTraded` does for one row.
 * All are 1 for sets that need or allow no undoing.
 *
 * @param history the prices of which the series is what was known on a day, with all later years
 */
export function tradedFactors(
  series: PriceSeries,
  history: PriceHistory,
  set: { readonly basis: PriceBasis; readonly statesSplits: boolean },
): Float64Array {
  const factors = new Float64Array(series.count).fill(1)
  if (set.basis !== 'split_adjusted' || !set.statesSplits) return factors
  const ever = asKnownOn(history, everKnown)
  const splits: number[] = []
  for (let at = 0; at < ever.count; at++) if (ever.splitFactors[at] !== 1) splits.push(at)
  for (let at = 0; at < series.count; at++)
    for (const split of splits)
      if (ever.days[split] > series.days[at] && ever.days[split] <= series.basisDays[at])
        factors[at] *= ever.splitFactors[split]
  return factors
}

/** The first day on which a security has a row that was known on `lastDay`; null: it has none. */
export function firstDayKnownOn(
  { days, knownDays }: Pick<PriceColumns, 'days' | 'knownDays'>,
  lastDay: number,
): number | null {
  for (let at = 0; at < days.length && days[at] <= lastDay; at++)
    if (knownDays[at] <= lastDay) return days[at]
  return null
}
