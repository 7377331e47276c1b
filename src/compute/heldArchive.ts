import type { BacktestSource } from '../model/backtest.ts'
import type { Horizon } from '../model/signal.ts'
import type { Dataset } from '../quant/dataset.ts'

/** The archive of a horizon, or one market of it, in shared memory. */
export interface HeldArchive {
  readonly horizon: Horizon
  /** Null: all markets. */
  readonly market: string | null
  readonly data: Dataset
  readonly dataVersion: number
}

/** Which archive a request asks for. */
export function archiveOf(source: BacktestSource): Pick<HeldArchive, 'horizon' | 'market'> {
  return { horizon: source.horizon ?? '1d', market: source.market ?? null }
}
