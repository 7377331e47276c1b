import type { MarketCosts } from '../../markets/costs.ts'
import { type Dataset, nameAt, nameCount } from '../dataset/dataset.ts'
import type { TradingCosts } from '../portfolio/settings.ts'
import type { BacktestCosts, BacktestWarning } from '../result.ts'
import type { ResolvedConfig } from './resolveConfig.ts'

export interface ResolvedCosts {
  readonly tradingCosts: TradingCosts
  /** The account of them in the result. */
  readonly costs: BacktestCosts
  readonly warnings: BacktestWarning[]
}

/** What each market's names cost to trade: the flat cost of the configuration, else the market's own, else the
 * default. */
export function resolveTradingCosts(
  data: Dataset,
  periods: Int32Array,
  config: Pick<ResolvedConfig, 'costBps' | 'borrowBps' | 'periodsPerYear'>,
  marketCosts: MarketCosts,
): ResolvedCosts {
  const flat = config.costBps
  const rowsOfMarket = countRows(data, periods)
  const roundTripOfMarket = new Float64Array(rowsOfMarket.length)
  const markets: BacktestCosts['markets'] = []
  const withoutOwnCost: string[] = []
  for (let m = 0; m < rowsOfMarket.length; m++) {
    const name = nameAt(data.markets, m)
    const own = Object.hasOwn(marketCosts.markets, name) ? marketCosts.markets[name] : undefined
    const cost = own ?? marketCosts.standard
    roundTripOfMarket[m] = (flat ?? cost.roundTripBps) / 1e4
    if (rowsOfMarket[m] === 0 || flat !== null) continue
    markets.push({
      market: name === '' ? null : name,
      round_trip_bps: cost.roundTripBps,
      is_default: own === undefined,
      source: cost.source,
      date: cost.date,
    })
    if (!own) withoutOwnCost.push(name === '' ? `${rowsOfMarket[m]} rows without a market` : `market ${name}`)
  }
  return {
    tradingCosts: { roundTripOfMarket, borrowPerPeriod: config.borrowBps / 1e4 / config.periodsPerYear },
    costs: { flat_bps: flat, borrow_bps: config.borrowBps, markets },
    warnings: withoutOwnCost.length > 0 ? [defaultCosts(marketCosts, withoutOwnCost)] : [],
  }
}

function defaultCosts({ standard }: MarketCosts, markets: readonly string[]): BacktestWarning {
  const listed =
    markets.length > 10
      ? `${markets.slice(0, 10).join(', ')} and ${markets.length - 10} more`
      : markets.join(', ')
  return {
    code: 'default_costs',
    message: `The default round trip of ${standard.roundTripBps} bps is used for ${listed}. Send config.costBps to use your own.`,
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
