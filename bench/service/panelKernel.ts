import type { StoredRequest } from '../../src/compute/protocol.ts'
import { loadMarkets } from '../../src/domain/markets/loadMarkets.ts'
import type { BacktestResult } from '../../src/model/backtestResult.ts'
import { buildDataset } from '../../src/quant/buildDataset.ts'
import type { Columns } from '../../src/quant/columns.ts'
import { rankDataset } from '../../src/quant/rankDataset.ts'
import { shareDataset } from '../../src/quant/shareDataset.ts'
import { runPanelBacktest } from '../../workers/backtest/runPanelBacktest.ts'

/** A request on a stored panel, in this thread. */
export async function openPanelKernel(columns: Columns): Promise<(request: StoredRequest) => BacktestResult> {
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Error('the panel repeats a cell')
  const data = rankDataset(shareDataset(dataset))
  const costs = (await loadMarkets()).costs.plain
  return ({ config, include }) => runPanelBacktest(data, { config, include, sweep: false }, costs)
}
