import { type Dataset, nameCount } from '../dataset/dataset.ts'
import { mean } from '../statistics/moments.ts'
import { allocateSeries, type PeriodSeries } from '../statistics/periodSeries.ts'
import { walkBooks } from './books.ts'
import type { BookSettings, Prices } from './settings.ts'

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

/** Runs many configurations over the periods. Each takes T + 1 places of `out`: its net return per period, then its mean
 * turnover. The same numbers, to the bit, as `simulate` gives for it alone.
 *
 * Configurations that differ in their holding time alone are walked together.
 *
 * @param stop leaves off when it finds 1 there; `out` is then not filled */
export function simulateMany(
  data: Dataset,
  periods: Int32Array,
  settings: readonly BookSettings[],
  prices: Prices,
  out: Float64Array,
  stop: Int32Array,
): void {
  const count = periods.length
  const series = allocateSeries(count)
  for (const books of groupByTarget(settings)) {
    const target = settings[books[0]]
    const tranches = books.map(book => settings[book].tranches)
    const { sums } = walkBooks(data, periods, target, tranches, prices, { stop })
    if (Atomics.load(stop, 0) === 1) return
    books.forEach((book, i) => {
      readPeriods(sums[i], tranches[i], prices, series)
      const at = book * (count + 1)
      out.set(series.net, at)
      out[at + count] = mean(series.turnover)
    })
  }
}

/** Places of the configurations that hold the same targets. */
function groupByTarget(settings: readonly BookSettings[]): number[][] {
  const groups = new Map<string, number[]>()
  settings.forEach((one, i) => {
    const key = JSON.stringify({ ...one, tranches: 0 })
    const group = groups.get(key) ?? []
    group.push(i)
    groups.set(key, group)
  })
  return [...groups.values()]
}

/** A walked book's sums as a record: turnover 1/2 sum |dw|, its price, the gross return, and the borrow on the short
 * side.
 *
 * @param sums four numbers a period, h times what they are in the book */
export function readPeriods(
  sums: Float64Array,
  h: number,
  { borrowPerPeriod }: Prices,
  series: Pick<PeriodSeries, 'gross' | 'net' | 'turnover' | 'tradingCost' | 'borrow'>,
): void {
  const { gross, net, turnover, tradingCost, borrow } = series
  for (let t = 0; t < net.length; t++) {
    const cost = sums[4 * t + 1] / (2 * h)
    const charge = ((0 - sums[4 * t + 3]) / h) * borrowPerPeriod
    const earned = sums[4 * t + 2] / h
    turnover[t] = sums[4 * t] / (2 * h)
    tradingCost[t] = cost
    borrow[t] = charge
    gross[t] = earned
    net[t] = earned - (cost + charge)
  }
}
