import type { Dataset } from '../dataset/dataset.ts'
import type { TradingCosts } from '../portfolio/settings.ts'
import type { ResolvedConfig } from './resolveConfig.ts'

/** The input for simulating one configuration. */
export interface RunInput {
  readonly data: Dataset
  /** Date indices, from `rebalanceDates`. */
  readonly periods: Int32Array
  /** Day of each period. */
  readonly days: Int32Array
  readonly config: ResolvedConfig
  readonly tradingCosts: TradingCosts
}
