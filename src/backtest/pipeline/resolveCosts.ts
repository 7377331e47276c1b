import { isoDate } from '../../dates.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import { type Dataset, nameAt, nameCount } from '../dataset/dataset.ts'
import type { TradingCosts } from '../portfolio/settings.ts'
import type { BacktestCosts, BacktestWarning } from '../result.ts'
import type { ResolvedConfig } from './resolveConfig.ts'

export interface ResolvedCosts {
  readonly tradingCosts: TradingCosts
  /** How the costs are reported in the result. */
  readonly costs: BacktestCosts
  readonly warnings: BacktestWarning[]
}

/** What it costs to trade each market's names: the configuration's flat cost, else the market's own, else the
 * default. */
export function resolveCosts(
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
  const lastDay = periods.length === 0 ? null : isoDate(data.days[periods[periods.length - 1]])
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
    tradingCosts: {
      roundTripOfMarket,
      borrowPerPeriod: config.borrowBps / 1e4 / config.periodsPerYear,
      periodsPerYear: config.periodsPerYear,
    },
    costs: { flat_bps: flat, borrow_bps: config.borrowBps, markets },
    warnings: [
      ...(withoutOwnCost.length > 0 ? [defaultCosts(marketCosts, withoutOwnCost)] : []),
      ...warnOfLaterCosts(markets, lastDay),
    ],
  }
}

const yearOf = (day: string) => day.slice(0, 4)

/** Trading has become cheaper over time, so an old record charged with today's costs looks better than it
 * could have been. */
function warnOfLaterCosts(markets: BacktestCosts['markets'], lastDay: string | null): BacktestWarning[] {
  if (lastDay === null) return []
  const later = markets.filter(({ date }) => yearOf(date) > yearOf(lastDay))
  if (later.length === 0) return []
  const listed = later.map(({ market, date }) => `${market ?? 'rows without a market'} (${date})`)
  return [
    {
      code: 'costs_after_trading',
      message: `The costs date from after the traded years, which end on ${lastDay}: ${listOf(listed)}. Trading usually cost more in those years. Send config.costBps with the costs of that time.`,
    },
  ]
}

function listOf(names: readonly string[]): string {
  return names.length > 10
    ? `${names.slice(0, 10).join(', ')} and ${names.length - 10} more`
    : names.join(', ')
}

function defaultCosts({ standard }: MarketCosts, markets: readonly string[]): BacktestWarning {
  return {
    code: 'default_costs',
    message: `The default round trip of ${standard.roundTripBps} bps is used for ${listOf(markets)}. Send config.costBps to use your own.`,
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
