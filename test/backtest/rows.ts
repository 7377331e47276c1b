import fc from 'fast-check'
import { buildDataset } from '../../src/backtest/dataset/build.ts'
import { type Columns, type Dataset, nameAt, nameCount } from '../../src/backtest/dataset/dataset.ts'
import { rebalanceDates } from '../../src/backtest/portfolio/rebalanceDates.ts'
import type { PortfolioSettings } from '../../src/backtest/portfolio/settings.ts'
import { simulate } from '../../src/backtest/portfolio/simulate.ts'
import type { PeriodSeries } from '../../src/backtest/statistics/returns.ts'
import type { Row } from './loopReference.ts'

export const row = (
  day: number,
  asset: string,
  score: number | null,
  forwardReturn: number | null,
  market = 'US',
): Row => ({ day, asset, market, score, forwardReturn })

/** A small panel of one market with missing scores and returns. Returns are thousandths, so that none differ by rounding
 * alone. */
export const anyRows: fc.Arbitrary<Row[]> = fc.uniqueArray(
  fc.record({
    day: fc.integer({ min: 0, max: 9 }),
    asset: fc.integer({ min: 0, max: 7 }).map(i => `A${i}`),
    market: fc.constant('M0'),
    score: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -40, max: 40 }) }, fc.constant(null)),
    forwardReturn: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: -300, max: 300 }).map(r => r / 1000) },
      fc.constant(null),
    ),
  }),
  { selector: row => `${row.day} ${row.asset}`, minLength: 10, maxLength: 80 },
)

/** The rows as unsorted columns, in the given order. */
export function columnsOf(rows: readonly Row[]): Columns {
  const assetNames = [...new Set(rows.map(row => row.asset))]
  const marketNames = [...new Set(rows.map(row => row.market))]
  return {
    count: rows.length,
    day: Int32Array.from(rows, row => row.day),
    asset: Int32Array.from(rows, row => assetNames.indexOf(row.asset)),
    market: Uint16Array.from(rows, row => marketNames.indexOf(row.market)),
    score: Float64Array.from(rows, row => row.score ?? Number.NaN),
    forwardReturn: Float64Array.from(rows, row => row.forwardReturn ?? Number.NaN),
    assetNames,
    marketNames,
  }
}

export function datasetOf(rows: readonly Row[]): Dataset {
  const { dataset } = buildDataset(columnsOf(rows))
  if (!dataset) throw new Error('a cell is repeated')
  return dataset
}

export const plainSettings: PortfolioSettings = {
  longShort: true,
  quantile: 0.3,
  weighting: 'equal',
  tranches: 1,
  gross: 1,
  neutralMarket: false,
  drift: false,
}

/** Simulates every `step`-th date, and returns the record and the weights at its end. */
export function simulateDataset(
  data: Dataset,
  settings: PortfolioSettings,
  step = 1,
  roundTripBps: Record<string, number> = {},
  borrowPerPeriod = 0,
): { series: PeriodSeries; positions: Map<string, number> } {
  const periods = rebalanceDates(0, data.days.length, step)
  const roundTripOfMarket = Float64Array.from(
    { length: nameCount(data.markets) },
    (_, m) => (roundTripBps[nameAt(data.markets, m)] ?? 0) / 1e4,
  )
  const { series, weight, trancheCount } = simulate(
    data,
    periods,
    settings,
    { roundTripOfMarket, borrowPerPeriod, periodsPerYear: 252 },
    true,
  )
  const positions = new Map<string, number>()
  weight.forEach((w, asset) => {
    if (trancheCount[asset] > 0) positions.set(nameAt(data.assets, asset), w)
  })
  return { series, positions }
}
