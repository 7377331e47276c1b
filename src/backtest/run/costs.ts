import type { MarketCosts } from '../../markets/costs.ts'
import { type Dataset, nameAt, nameCount } from '../dataset/dataset.ts'
import type { ResolvedConfig } from '../pool/sweepPlan.ts'
import type { Prices } from '../portfolio/settings.ts'
import type { BacktestCosts, BacktestWarning } from '../result.ts'

interface Pricing {
  readonly prices: Prices
  readonly costs: BacktestCosts
  readonly warnings: BacktestWarning[]
}

/** What each market's names cost, and the account of it that the result gives. */
export function priceBook(
  data: Dataset,
  periods: Int32Array,
  config: ResolvedConfig,
  table: MarketCosts,
): Pricing {
  const flat = config.costBps
  const rowsOfMarket = countRows(data, periods)
  const roundTripOfMarket = new Float64Array(rowsOfMarket.length)
  const markets: BacktestCosts['markets'] = []
  const standing: string[] = []
  for (let m = 0; m < rowsOfMarket.length; m++) {
    const name = nameAt(data.markets, m)
    const own = Object.hasOwn(table.markets, name) ? table.markets[name] : undefined
    const cost = own ?? table.standard
    roundTripOfMarket[m] = (flat ?? cost.roundTripBps) / 1e4
    if (rowsOfMarket[m] === 0 || flat !== null) continue
    markets.push({
      market: name === '' ? null : name,
      round_trip_bps: cost.roundTripBps,
      is_default: own === undefined,
      source: cost.source,
      date: cost.date,
    })
    if (!own) standing.push(name === '' ? `${rowsOfMarket[m]} rows without a market` : `market ${name}`)
  }
  const warnings: BacktestWarning[] = []
  if (standing.length > 0) {
    const named =
      standing.length > 10
        ? `${standing.slice(0, 10).join(', ')} and ${standing.length - 10} more`
        : standing.join(', ')
    warnings.push({
      code: 'default_costs',
      message: `The default round trip of ${table.standard.roundTripBps} bps stands in for ${named}. Send config.costBps to use your own.`,
    })
  }
  return {
    prices: { roundTripOfMarket, borrowPerPeriod: config.borrowBps / 1e4 / config.periodsPerYear },
    costs: { flat_bps: flat, borrow_bps: config.borrowBps, markets },
    warnings,
  }
}

function countRows(data: Dataset, periods: Int32Array): Int32Array {
  const rows = new Int32Array(nameCount(data.markets))
  const { marketOfAsset, offsets } = data
  if (marketOfAsset && periods.every(date => offsets[date + 1] - offsets[date] === marketOfAsset.length)) {
    for (const market of marketOfAsset) rows[market] += periods.length
    return rows
  }
  for (const date of periods) {
    for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++) {
      const market = data.market[row]
      rows[market] = (rows[market] + 1) | 0
    }
  }
  return rows
}
