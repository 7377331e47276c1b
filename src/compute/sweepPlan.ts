import type { BacktestRequest } from '../model/backtest.ts'
import type { BacktestScore, BacktestWarning } from '../model/backtestResult.ts'
import type { MarketCosts } from '../model/marketCosts.ts'
import type { Dataset } from '../quant/dataset.ts'
import type { Prices } from '../quant/prices.ts'
import type { DateView } from '../quant/viewDates.ts'
import type { ResolvedConfig } from './resolvedConfig.ts'

/** A sweep, cut into slices that may run anywhere in any order. The same rows and the same request make the same plan in
 * every process. */
export interface SweepPlan {
  /** Ranked, in shared memory. */
  readonly data: Dataset
  readonly view: DateView
  /** In the order of the grid. */
  readonly configs: readonly ResolvedConfig[]
  readonly slices: readonly SweepSlice[]
  /** The same for all configurations. */
  readonly prices: Prices
  readonly costs: MarketCosts
  readonly include: NonNullable<BacktestRequest['include']>
  readonly warnings: readonly BacktestWarning[]
  /** Null for a panel. */
  readonly dataVersion: number | null
  /** What the score is, where it is neither a forecast nor the caller's. */
  readonly score?: BacktestScore | undefined
}

/** Places of its configurations in the plan's list. */
export type SweepSlice = readonly number[]

/** What a slice yields: for each of its configurations, one after the other, its net return per period and then its mean
 * turnover. Shared memory, so that nothing is copied between threads; the bytes can be stored or sent as they are. */
export type SliceSeries = Float64Array
