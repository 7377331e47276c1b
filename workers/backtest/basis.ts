import type { BacktestScore, BacktestWarning } from '../../src/model/backtestResult.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import type { DateView } from '../../src/quant/viewDates.ts'

/** What a backtest runs on, wherever the rows came from. */
export interface Basis {
  readonly data: Dataset
  readonly view: DateView
  readonly spacing: number
  /** The source's horizon, or a panel's spacing in whole days. */
  readonly returnDays: number
  readonly warnings: readonly BacktestWarning[]
  /** Null for a panel. */
  readonly dataVersion: number | null
  /** What the score is, where it is neither a forecast nor the caller's. */
  readonly score?: BacktestScore | undefined
}
