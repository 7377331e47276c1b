import type { Dataset } from '../../src/backtest/dataset/dataset.ts'
import { rebalanceDates } from '../../src/backtest/portfolio/rebalanceDates.ts'
import { simulate } from '../../src/backtest/portfolio/simulate.ts'
import { type Summary, summarise } from '../../src/backtest/summary.ts'
import { walkForward } from '../../src/backtest/walkforward/folds.ts'

/** Runs the base case of the peer implementations: quantile 0.1, equal weights, long-short, holdDays 5, and costs of 10 to
 * 40 bps depending on the market. */
export function measure(data: Dataset): Summary {
  const settings = {
    longShort: true,
    quantile: 0.1,
    weighting: 'equal' as const,
    tranches: 5,
    gross: 1,
    neutralMarket: false,
    drift: false,
  }
  const periodsPerYear = 252
  const periods = rebalanceDates(0, data.days.length, 1)
  const prices = {
    roundTripOfMarket: Float64Array.of(10e-4, 20e-4, 30e-4, 40e-4),
    borrowPerPeriod: 50 / 1e4 / periodsPerYear,
    periodsPerYear,
  }
  const { series } = simulate(data, periods, settings, prices)
  const days = Int32Array.from(periods, date => data.days[date])
  const { net } = series
  const folds = walkForward({ net, judged: net }, days, {
    folds: 5,
    tranches: 5,
    returnDays: 1,
    periodsPerYear,
  })
  return summarise(series, net, folds, 5, periodsPerYear)
}
