import { allocateBook, type Book } from './book.ts'
import type { BookSettings } from './bookSettings.ts'
import type { Dataset } from './dataset.ts'
import { earnReturns } from './earnReturns.ts'
import { formTargets } from './formTargets.ts'
import { growWeights } from './growWeights.ts'
import { nameCount } from './nameTable.ts'
import type { PeriodSeries } from './periodSeries.ts'
import type { Prices } from './prices.ts'
import { rotateTranches } from './rotateTranches.ts'
import { allocateTargets, type TargetScratch } from './targetScratch.ts'
import { tradeFromDrift } from './tradeFromDrift.ts'
import { allocateRing, type TrancheRing } from './trancheRing.ts'

/** All memory a simulation needs; the date loop allocates nothing. */
export interface SimulationScratch {
  readonly book: Book
  readonly ring: TrancheRing
  readonly targets: TargetScratch
}

export function allocateSimulation(
  data: Dataset,
  periods: Int32Array,
  settings: BookSettings,
): SimulationScratch {
  return {
    book: allocateBook(nameCount(data.assets), settings.drift),
    ring: allocateRing(data, periods, settings),
    targets: allocateTargets(data),
  }
}

/** Runs one configuration over the periods and fills `series`. The book starts empty, ramps up over h - 1
 * periods, and is not liquidated at the end; afterwards `scratch.book.weight` is the last book.
 *
 * O(rows + h-independent leg sizes): names that stay are not visited.
 *
 * @param periods date indices, from `planPeriods`
 * @param scratch fresh from `allocateSimulation` for the same data, periods and settings */
export function simulate(
  data: Dataset,
  periods: Int32Array,
  settings: BookSettings,
  prices: Prices,
  scratch: SimulationScratch,
  series: PeriodSeries,
): void {
  const { book, ring, targets } = scratch
  const h = settings.tranches
  const fixed = data.marketOfAsset
  if (fixed) for (let i = 0; i < fixed.length; i++) book.roundTrip[i] = prices.roundTripOfMarket[fixed[i]]
  for (let t = 0; t < periods.length; t++) {
    const date = periods[t]
    if (!fixed) priceNames(data, date, prices, book)
    formTargets(data, date, settings, targets, ring, t)
    rotateTranches(book, ring, t, h)
    if (settings.drift) tradeFromDrift(book, ring, t)
    earnReturns(data, date, book, series, t)
    if (settings.drift) growWeights(book, data, date)
    const borrow = Math.max(0, book.shortGross) * prices.borrowPerPeriod
    series.turnover[t] = book.turnover
    series.tradingCost[t] = book.tradingCost
    series.borrow[t] = borrow
    series.net[t] = series.gross[t] - (book.tradingCost + borrow)
  }
}

/** A name costs what the market of its latest row costs. */
function priceNames(data: Dataset, date: number, prices: Prices, book: Book): void {
  for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++) {
    book.roundTrip[data.asset[row]] = prices.roundTripOfMarket[data.market[row]]
  }
}
