import { buildDataset } from '../../src/backtest/dataset/build.ts'
import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import { shareDataset } from '../../src/backtest/dataset/packed.ts'
import { rankDataset } from '../../src/backtest/dataset/rank.ts'
import type { BacktestSweep } from '../../src/backtest/request.ts'
import { panelBasis } from '../../src/backtest/run/datasets.ts'
import { runSlice } from '../../src/backtest/run/sweepFinish.ts'
import { planSweep } from '../../src/backtest/run/sweepPlan.ts'
import { loadMarkets } from '../../src/markets/markets.ts'

/** How long each slice of a sweep takes in this thread, in order of length. */
export async function sliceTimes(columns: Columns, sweep: BacktestSweep): Promise<number[]> {
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Error('the panel repeats a cell')
  const basis = panelBasis(rankDataset(shareDataset(dataset)), {})
  const costs = (await loadMarkets()).costs.plain
  const { data, view, prices, configs, slices } = planSweep(basis, {}, sweep, [], costs)
  const taken = slices.map(slice => {
    const series = new Float64Array(slice.length * (view.endDate - view.firstDate + 1))
    const input = { data, view, prices, configs: slice.map(place => configs[place]) }
    const startedMs = performance.now()
    runSlice({ ...input, series, stop: new Int32Array(1) })
    return performance.now() - startedMs
  })
  return taken.sort((a, b) => a - b)
}
