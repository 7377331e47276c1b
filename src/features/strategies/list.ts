import type { Markets } from '../../markets/markets.ts'
import {
  lackingMetrics,
  type Strategy,
  strategies,
  strategyMetric,
} from '../../markets/strategies/strategies.ts'
import type { StrategyList, StrategySummary } from './schema.ts'

/** The definitions of all strategies. */
export function listStrategies(markets: Pick<Markets, 'metrics' | 'manifests'>): StrategyList {
  const data = [...strategies.values()].map(strategy => summaryOf(markets, strategy))
  return { object: 'strategy_list', count: data.length, data }
}

export function summaryOf(
  { metrics, manifests }: Pick<Markets, 'metrics' | 'manifests'>,
  strategy: Strategy,
): StrategySummary {
  const { name, title, explanation, period, unit, sign, inputs, lines, paper, published, notes } = strategy
  return {
    name,
    title,
    explanation,
    period,
    unit,
    sign,
    takes_prices: strategy.takesPrices,
    inputs: [...inputs],
    markets: [...strategyMetric(metrics, strategy).markets],
    unavailable: manifests.flatMap(({ code, status }) => {
      const lacking = lackingMetrics(metrics, strategy, code)
      return status === 'served' && lacking.length > 0 ? [{ market: code, lacking }] : []
    }),
    lines: lines.map(({ name, formula, explanation }) => ({ name, formula, explanation })),
    paper,
    published,
    notes: [...notes],
  }
}
