import { type Dataset, nameCount, type Ranking } from '../dataset/dataset.ts'
import { targetWeights } from './legs.ts'
import type { PortfolioSettings, TradingCosts } from './settings.ts'
import { walkTrading } from './trading.ts'

/** The trades of one period: elements 0 .. count - 1. They are overwritten by the next period. */
export interface PeriodTrades {
  count: number
  /** The name's row on the date of the trade; -1 if it has none, because the name vanished before a tranche
   * that holds it expired. */
  readonly row: Int32Array
  /** |dw|, the amount bought or sold as a fraction of equity. Half of their sum is the turnover of the
   * period. */
  readonly size: Float64Array
}

/** A change below this fraction of gross is the rounding error of a weight that is not traded. */
const rounding = 1e-13
/** The tolerance for a return of -1, to allow for rounding. */
const ruinRounding = 1e-13

/** Visits the trades of a configuration in each period, name by name. The kernel returns only their sum.
 * Tranches are netted. With drift, each old weight w first becomes w (1 + r) / (1 + R). The first period buys
 * from nothing, and nothing is liquidated at the end.
 *
 * O(rows), with drift O(rows h); memory O(rows).
 *
 * @param periods date indices, from `rebalanceDates`
 * @param visit gets the same object every time */
export function visitTrades(
  data: Dataset & { ranking: Ranking },
  periods: Int32Array,
  settings: PortfolioSettings,
  visit: (trades: PeriodTrades, t: number) => void,
): void {
  if (settings.trading !== undefined) {
    const costs: TradingCosts = {
      roundTripOfMarket: new Float64Array(nameCount(data.markets)),
      borrowPerPeriod: 0,
      periodsPerYear: settings.trading.periodsPerYear,
    }
    walkTrading(data, periods, settings, costs, visit)
    return
  }
  const { asset, offsets, forwardReturn } = data
  const { tranches: h, drift } = settings
  const targets = targetWeights(data, periods, settings)
  const names = nameCount(data.assets)
  const minSize = rounding * settings.gross
  const trades = { count: 0, row: new Int32Array(names), size: new Float64Array(names) }
  const latestRow = new Int32Array(names).fill(-1)
  // Weights and changes are h times those of the portfolio.
  const weight = new Float64Array(names)
  const change = new Float64Array(names)
  const grown = new Float64Array(names)
  const holders = new Int32Array(names)
  const listed = new Uint8Array(names)
  const active = new Int32Array(names)
  let activeCount = 0
  const move = (date: number, side: 1 | -1) => {
    for (let row = offsets[date]; row < offsets[date + 1]; row++) {
      const name = asset[row]
      if (side === 1) latestRow[name] = row
      if (targets[row] === 0) continue
      change[name] += side * targets[row]
      holders[name] += side
      if (listed[name] === 0) active[activeCount++] = name
      listed[name] = 1
    }
  }
  let growth = 1
  for (let t = 0; t < periods.length; t++) {
    move(periods[t], 1)
    if (t >= h) move(periods[t - h], -1)
    trades.count = 0
    const firstRow = offsets[periods[t]]
    let earned = 0
    let kept = 0
    for (let j = 0; j < activeCount; j++) {
      const name = active[j]
      const row = latestRow[name] >= firstRow ? latestRow[name] : -1
      // Exactly 0 without tranches: adding and subtracting them leaves rounding errors.
      const next = holders[name] === 0 ? 0 : weight[name] + change[name]
      const size = Math.abs(drift ? next - grown[name] / growth : change[name]) / h
      if (size > minSize) {
        trades.row[trades.count] = row
        trades.size[trades.count++] = size
      }
      const known = row === -1 || Number.isNaN(forwardReturn[row]) ? 0 : forwardReturn[row]
      weight[name] = next
      change[name] = 0
      grown[name] = next + next * known
      earned += next * known
      // Only a drifting portfolio trades names whose tranches stay.
      if (drift && holders[name] > 0) active[kept++] = name
      else listed[name] = 0
    }
    activeCount = kept
    // A portfolio that lost everything returns Infinity, which makes its old weights 0, so the next portfolio
    // is bought from nothing.
    growth = earned / h > ruinRounding - 1 ? 1 + earned / h : Number.POSITIVE_INFINITY
    visit(trades, t)
  }
}
