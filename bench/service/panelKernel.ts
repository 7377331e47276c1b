import type { StoredPanelRequest } from '../../src/backtest/codec/settings.ts'
import { buildDataset } from '../../src/backtest/dataset/build.ts'
import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import { shareDataset } from '../../src/backtest/dataset/packed.ts'
import { rankDataset } from '../../src/backtest/dataset/rank.ts'
import { runPanelBacktest } from '../../src/backtest/pipeline/runRequest.ts'
import type { BacktestResult } from '../../src/backtest/result.ts'
import { loadMarkets } from '../../src/markets/markets.ts'

/** Returns a function that runs a request on a panel in this thread. */
export async function openPanelKernel(
  columns: Columns,
): Promise<(request: StoredPanelRequest) => BacktestResult> {
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Error('the panel repeats a cell')
  const data = rankDataset(shareDataset(dataset))
  const costs = (await loadMarkets()).costs.plain
  return ({ config, include }) => runPanelBacktest(data, { config, include, sweep: false }, costs)
}
