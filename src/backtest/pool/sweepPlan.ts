import type { MarketCosts } from '../../markets/costs.ts'
import type { Dataset, DateView } from '../dataset/dataset.ts'
import type { BookSettings, Prices } from '../portfolio/settings.ts'
import type { BacktestRequest } from '../request.ts'
import type { BacktestScore, BacktestWarning } from '../result.ts'

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

/** A configuration with nothing left open, and what follows from it for a dataset. */
export interface ResolvedConfig {
  readonly book: BookSettings
  readonly direction: 'long_short' | 'long_only'
  readonly returnDays: number
  readonly holdDays: number
  readonly costBps: number | null
  readonly borrowBps: number
  readonly folds: number
  readonly spacing: number
  readonly step: number
  readonly periodsPerYear: number
  readonly label: string
}
