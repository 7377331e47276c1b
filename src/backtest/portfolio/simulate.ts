import { type Dataset, nameCount } from '../dataset/dataset.ts'
import { mean } from '../statistics/moments.ts'
import { allocateSeries, type PeriodSeries } from '../statistics/returns.ts'
import { chargeCosts } from './chargeCosts.ts'
import { heldPeriods } from './held.ts'
import type { PortfolioSettings, TradingCosts } from './settings.ts'
import { simulatePortfolios } from './simulatePortfolios.ts'
import { needsTrading, simulateTrading, type TradingPath } from './simulateTrading.ts'

/** A configuration's record and its final portfolio. */
export interface Simulation {
  readonly series: PeriodSeries
  /** With `trackPositions`: each asset's last weight; 0 if long and short tranches cancel, apart from
   * rounding. */
  readonly weight: Float64Array
  /** With `trackPositions`: how many tranches hold each asset at the end. */
  readonly trancheCount: Int32Array
  /** The number of names that the score ranks, per period; inside markets only names of markets that form
   * legs. */
  readonly ranked: Int32Array
  /** The number of names with a known return, per period, whose mean is `series.universe`. */
  readonly known: Int32Array
  /** With rules of trading, or borrow costs by name. */
  readonly path?: TradingPath | undefined
}

/** A weight below this fraction of gross is the rounding error left when long and short tranches of one name
 * cancel. */
const rounding = 1e-13

/** Simulates one configuration. The portfolio starts empty, ramps up over h - 1 periods, and is not
 * liquidated at the end.
 *
 * @param periods date indices, from `rebalanceDates`
 * @param trackPositions true if the last portfolio is needed. If false and every return is known, no
 *   positions are counted, which is faster
 * @param stop another thread sets it to 1 to cancel the work; the record is then incomplete */
export function simulate(
  data: Dataset,
  periods: Int32Array,
  settings: PortfolioSettings,
  costs: TradingCosts,
  trackPositions = false,
  stop?: Int32Array,
): Simulation {
  if (needsTrading(data, settings)) return simulateTrading(data, periods, settings, costs, stop)
  const h = settings.tranches
  const portfolios = simulatePortfolios(data, periods, settings, [h], costs, {
    trackPositions: trackPositions || !isComplete(data, periods),
    stop,
  })
  const series = allocateSeries(periods.length)
  chargeCosts(portfolios.sums[0], h, costs, series)
  series.universe.set(portfolios.universe)
  series.heldWithoutReturn.set(portfolios.heldWithoutReturn)
  series.held.set(heldPeriods(portfolios.idlePeriods, h))
  const minWeight = rounding * settings.gross
  const weight = portfolios.weight.map(w => (Math.abs(w / h) > minWeight ? w / h : 0))
  const { trancheCount, eligible: ranked, known } = portfolios
  return { series, weight, trancheCount, ranked, known }
}

/** Whether every asset has a known return in every period. */
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

/** Simulates many configurations, for a sweep. Each takes T + 1 elements of `out`: its net return per period,
 * then its mean turnover. The numbers are bit-identical to those of `simulate` for that configuration alone.
 *
 * Configurations that differ only in their holding time are simulated together.
 *
 * @param stop another thread sets it to 1 to cancel the work; `out` is then incomplete */
export function simulateMany(
  data: Dataset,
  periods: Int32Array,
  settings: readonly PortfolioSettings[],
  costs: TradingCosts,
  out: Float64Array,
  stop: Int32Array,
): void {
  const count = periods.length
  if (settings.some(one => needsTrading(data, one))) {
    settings.forEach((one, index) => {
      if (Atomics.load(stop, 0) === 1) return
      const { net, turnover } = simulateTrading(data, periods, one, costs, stop).series
      out.set(net, index * (count + 1))
      out[index * (count + 1) + count] = mean(turnover)
    })
    return
  }
  const series = allocateSeries(count)
  for (const group of groupByTarget(settings)) {
    const tranches = group.map(index => settings[index].tranches)
    const { sums } = simulatePortfolios(data, periods, settings[group[0]], tranches, costs, { stop })
    if (Atomics.load(stop, 0) === 1) return
    group.forEach((index, i) => {
      chargeCosts(sums[i], tranches[i], costs, series)
      const at = index * (count + 1)
      out.set(series.net, at)
      out[at + count] = mean(series.turnover)
    })
  }
}

/** Indices of the configurations with equal targets, group by group. */
function groupByTarget(settings: readonly PortfolioSettings[]): number[][] {
  const groups = new Map<string, number[]>()
  settings.forEach((one, i) => {
    const key = JSON.stringify({ ...one, tranches: 0 })
    const group = groups.get(key) ?? []
    group.push(i)
    groups.set(key, group)
  })
  return [...groups.values()]
}
