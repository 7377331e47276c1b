import type { BookSettings } from './bookSettings.ts'
import type { Dataset } from './dataset.ts'
import { nameCount } from './nameTable.ts'
import { allocateSeries, type PeriodSeries } from './periodSeries.ts'
import type { Prices } from './prices.ts'
import { readPeriods } from './readPeriods.ts'
import { walkBooks } from './walkBooks.ts'

/** A configuration's record and the book it ends with. */
export interface Simulation {
  readonly series: PeriodSeries
  /** With `follow`: each asset's last weight, 0 where its tranches cancel but for rounding, and how many hold it. */
  readonly weight: Float64Array
  readonly live: Int32Array
}

/** A weight below this part of the book is what long and short tranches of one name leave of each other. */
const rounding = 1e-13

/** Runs one configuration over the periods. The book starts empty, ramps up over h - 1 periods, and is not liquidated at
 * the end.
 *
 * @param periods date indices, from `planPeriods`
 * @param follow the last book is wanted; without it, and with every return known, nobody counts who is held */
export function simulate(
  data: Dataset,
  periods: Int32Array,
  settings: BookSettings,
  prices: Prices,
  follow = false,
): Simulation {
  const h = settings.tranches
  const wanted = follow || !isComplete(data, periods)
  const walked = walkBooks(data, periods, settings, [h], prices, { follow: wanted })
  const series = allocateSeries(periods.length)
  readPeriods(walked.sums[0], h, prices, series)
  series.universe.set(walked.universe)
  series.heldWithoutReturn.set(walked.unpaid)
  const least = rounding * settings.gross
  const weight = walked.weight.map(w => (Math.abs(w / h) > least ? w / h : 0))
  return { series, weight, live: walked.live }
}

/** Every asset has a known return in every period. */
function isComplete(data: Dataset, periods: Int32Array): boolean {
  const names = nameCount(data.assets)
  const { offsets, forwardReturn, ranking } = data
  return periods.every(date => {
    if (offsets[date + 1] - offsets[date] !== names) return false
    if (ranking) return ranking.known[date] === names
    for (let row = offsets[date]; row < offsets[date + 1]; row++)
      if (Number.isNaN(forwardReturn[row])) return false
    return true
  })
}
