import { buildDataset } from '../../src/backtest/dataset/build.ts'
import { type Columns, type Dataset, nameAt, nameCount } from '../../src/backtest/dataset/dataset.ts'
import { type BookSettings, planPeriods } from '../../src/backtest/portfolio/settings.ts'
import { simulate } from '../../src/backtest/portfolio/simulate.ts'
import type { PeriodSeries } from '../../src/backtest/statistics/periodSeries.ts'
import type { Row } from './loopReference.ts'

/** Rows, in the order given, as the kernel takes them. */
export function columnsOf(rows: Row[]): Columns {
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

export function datasetOf(rows: Row[]): Dataset {
  const { dataset } = buildDataset(columnsOf(rows))
  if (!dataset) throw new Error('a cell is repeated')
  return dataset
}

export const plain: BookSettings = {
  longShort: true,
  quantile: 0.3,
  weighting: 'equal',
  tranches: 1,
  gross: 1,
  neutralMarket: false,
  drift: false,
}

export function run(
  data: Dataset,
  settings: BookSettings,
  step = 1,
  roundTripBps: Record<string, number> = {},
  borrowPerPeriod = 0,
): { series: PeriodSeries; book: Map<string, number> } {
  const periods = planPeriods(0, data.days.length, step)
  const roundTripOfMarket = Float64Array.from(
    { length: nameCount(data.markets) },
    (_, m) => (roundTripBps[nameAt(data.markets, m)] ?? 0) / 1e4,
  )
  const { series, weight, live } = simulate(
    data,
    periods,
    settings,
    { roundTripOfMarket, borrowPerPeriod },
    true,
  )
  const book = new Map<string, number>()
  weight.forEach((w, asset) => {
    if (live[asset] > 0) book.set(nameAt(data.assets, asset), w)
  })
  return { series, book }
}
