import { dayNumber } from '../dates.ts'
import { type AsOf, lastWholeDay } from '../instants.ts'
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
  /** The symbols that its rows named, the latest one last. A company with several classes of shares has several histories. */
  readonly symbols: readonly string[]
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
  const { days, knownDays, splitFactors } = history
  let product = 1
  for (let at = firstRowFrom(days, after + 1); at < days.length && days[at] <= upTo; ) {
    let factor = 1
    const day = days[at]
    for (; at < days.length && days[at] === day; at++) if (knownDays[at] <= lastDay) factor = splitFactors[at]
    product *= factor
  }
  return product
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
  for (let at = firstRowFrom(days, after + 1); at < days.length && days[at] <= upTo; at++) {
    if (days[at] !== days[at - 1]) factor = 1
    if (knownDays[at] > lastDay || splitFactors[at] === factor) continue
    factor = splitFactors[at]
    from = Math.max(from, knownDays[at])
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
