import { type Dataset, nameCount, type Ranking } from '../dataset/dataset.ts'
import { rankDataset, universeReturns } from '../dataset/rank.ts'
import { allocateSeries, type PeriodSeries } from '../statistics/returns.ts'
import { heldPeriods, idlePeriodsOf } from './held.ts'
import { neutralTargets } from './legs.ts'
import type { PortfolioSettings, TradingCosts } from './settings.ts'
import { walkTrading } from './trading.ts'

/** What trading under limits did, one number per period. */
export interface TradingPath {
  readonly leverage: Float64Array
  readonly tradedFraction: Float64Array
  readonly cutNames: Float64Array
  readonly inCash: Float64Array
  readonly impact: Float64Array
  /** The sum over periods of what the names of each market paid. */
  readonly impactOfMarket: Float64Array
  readonly longGross: Float64Array
  readonly longExposure: Float64Array
  readonly tradesWithoutInputs: number
}

interface TradedSimulation {
  readonly series: PeriodSeries
  readonly weight: Float64Array
  readonly trancheCount: Int32Array
  readonly ranked: Int32Array
  readonly known: Int32Array
  readonly path: TradingPath
}

/** Whether a configuration is traded in plain loops instead of the compiled kernel, which knows neither the rules of
 * trading nor borrow costs by name. */
export const needsTrading = (data: Dataset, { trading }: PortfolioSettings): boolean =>
  trading !== undefined || data.borrowBps !== undefined

/** Simulates one configuration with `walkTrading`. Deterministic to the bit.
 *
 * @param stop another thread sets it to 1 to cancel the work; the record is then incomplete */
export function simulateTrading(
  data: Dataset,
  periods: Int32Array,
  settings: PortfolioSettings,
  costs: TradingCosts,
  stop?: Int32Array,
): TradedSimulation {
  const ranked: Dataset & { ranking: Ranking } = data.ranking
    ? { ...data, ranking: data.ranking }
    : rankDataset(data)
  const series = allocateSeries(periods.length)
  const { universe, known } = universeReturns(ranked, periods)
  series.universe.set(universe)
  series.held.set(heldPeriods(idlePeriodsOf(ranked, periods, settings), settings.tranches))
  const numbers = () => new Float64Array(periods.length)
  const path = {
    leverage: numbers(),
    tradedFraction: numbers(),
    cutNames: numbers(),
    inCash: numbers(),
    impact: numbers(),
    impactOfMarket: new Float64Array(nameCount(data.markets)),
    longGross: numbers(),
    longExposure: numbers(),
  }
  let tradesWithoutInputs = 0
  const weight = new Float64Array(nameCount(data.assets))
  walkTrading(
    ranked,
    periods,
    settings,
    costs,
    (period, t, weights) => {
      series.gross[t] = period.gross
      series.turnover[t] = period.turnover
      series.tradingCost[t] = period.spreadCost + period.impact
      series.borrow[t] = period.borrow
      series.shortExposure[t] = period.shortExposure
      series.net[t] = period.gross - (series.tradingCost[t] + period.borrow)
      series.heldWithoutReturn[t] = period.heldWithoutReturn
      path.leverage[t] = period.leverage
      path.tradedFraction[t] = period.tradedFraction
      path.cutNames[t] = period.cutNames
      path.inCash[t] = period.inCash
      path.impact[t] = period.impact
      period.impactOfMarket.forEach((paid, market) => {
        path.impactOfMarket[market] += paid
      })
      path.longGross[t] = period.longGross
      path.longExposure[t] = period.longExposure
      tradesWithoutInputs += period.tradesWithoutInputs
      if (t === periods.length - 1) weight.set(weights)
    },
    stop,
  )
  const inLegs = settings.neutralMarket ? neutralTargets(ranked, periods, settings).inLegs : null
  return {
    series,
    weight,
    trancheCount: Int32Array.from(weight, w => (w === 0 ? 0 : 1)),
    ranked: inLegs ?? Int32Array.from(periods, date => ranked.ranking.eligible[date]),
    known,
    path: { ...path, tradesWithoutInputs },
  }
}
