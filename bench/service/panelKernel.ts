import type { StoredPanelRequest } from '../../src/backtest/codec/settings.ts'
import { buildDataset } from '../../src/backtest/dataset/build.ts'
import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import { shareDataset } from '../../src/backtest/dataset/packed.ts'
import { rankDataset } from '../../src/backtest/dataset/rank.ts'
import { runBatchItems } from '../../src/backtest/pipeline/batch.ts'
import { runPanelBacktest } from '../../src/backtest/pipeline/runRequest.ts'
import type { BacktestConfig } from '../../src/backtest/request.ts'
import type { BacktestResult } from '../../src/backtest/result.ts'
import { loadMarkets } from '../../src/markets/markets.ts'

/** Returns a function that runs a request on a panel in this thread. */
export async function openPanelKernel(
  columns: Columns,
): Promise<(request: StoredPanelRequest) => BacktestResult> {
  const data = rankedPanel(columns)
  const costs = (await loadMarkets()).costs.plain
  return ({ config, include, panelId }) =>
    runPanelBacktest(data, { config, include, panelId, sweep: false }, costs)
}

/** Returns a function that runs configurations on a panel in this thread exactly as a batch's task does, including the
 * encoding of the response. */
export async function openBatchKernel(
  columns: Columns,
): Promise<(configs: readonly BacktestConfig[]) => void> {
  const rows = { data: rankedPanel(columns), dataVersion: null }
  const costs = (await loadMarkets()).costs.plain
  const stop = new Int32Array(1)
  return configs => {
    const entries = configs.map((config, index) => ({ index, config, include: [], source: null }))
    const { failures } = runBatchItems({ ...rows, entries, size: entries.length, costs, stop })
    if (failures.length > 0) throw new Error(failures[0].failure.message)
  }
}

function rankedPanel(columns: Columns) {
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Error('the panel repeats a cell')
  return rankDataset(shareDataset(dataset))
}
