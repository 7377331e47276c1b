import { nameAt, nameCount } from '../dataset/dataset.ts'
import { type Simulation, simulate } from '../portfolio/simulate.ts'
import type { PerformanceFields } from '../resultPerformance.ts'
import { mean } from '../statistics/moments.ts'
import { sharpe } from '../statistics/sharpe.ts'
import { finiteOrNull } from './resultFields.ts'
import type { RunInput } from './runInput.ts'

type MarketRecord = PerformanceFields['performance']['markets'][number]

const maxMarkets = 12

/** What the names of each market contribute to the portfolio. The portfolio is simulated again with the
 * returns of all other names set to 0. Returns do not affect the legs, so the names and their weights stay
 * the same. The market's round trips come from a simulation in which only this market has costs. That
 * makes two simulations per market, for the markets with the most rows. */
export function marketRecords(input: RunInput): MarketRecord[] {
  const rows = countRows(input)
  const order = [...rows.keys()].filter(market => rows[market] > 0)
  order.sort((a, b) => rows[b] - rows[a] || a - b)
  return order.slice(0, maxMarkets).map(market => marketRecord(input, market, rows[market]))
}

function countRows({ data, periods }: RunInput): Int32Array {
  const rows = new Int32Array(nameCount(data.markets))
  for (const date of periods)
    for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++) rows[data.market[row]]++
  return rows
}

function marketRecord(input: RunInput, market: number, rows: number): MarketRecord {
  const { data, periods, config, tradingCosts } = input
  const { periodsPerYear, portfolio } = config
  const forwardReturn = data.forwardReturn.map((value, row) => (data.market[row] === market ? value : 0))
  const roundTripOfMarket = tradingCosts.roundTripOfMarket.map((cost, other) => (other === market ? cost : 0))
  const own = simulate(
    { ...data, forwardReturn, decisionReturn: data.decisionReturn ?? data.forwardReturn },
    periods,
    portfolio,
    tradingCosts,
  )
  const costs = simulate(data, periods, portfolio, { ...tradingCosts, roundTripOfMarket })
  const impact = costs.path?.impactOfMarket[market] ?? 0
  const name = nameAt(data.markets, market)
  return {
    market: name === '' ? null : name,
    n_rows: rows,
    gross_return_annual: finiteOrNull(mean(own.series.gross) * periodsPerYear),
    sharpe: finiteOrNull(sharpe(own.series.gross, periodsPerYear)),
    trading_cost_annual: finiteOrNull((mean(roundTrips(costs)) + impact / periods.length) * periodsPerYear),
  }
}

/** The costs of trading without the impact, which all markets pay in every simulation. */
const roundTrips = ({ series, path }: Simulation): Float64Array =>
  path === undefined ? series.tradingCost : series.tradingCost.map((cost, t) => cost - path.impact[t])
