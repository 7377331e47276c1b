import { loadMarkets } from '../../src/domain/markets/loadMarkets.ts'
import type { BacktestSweep } from '../../src/model/backtest.ts'
import { buildDataset } from '../../src/quant/buildDataset.ts'
import type { Columns } from '../../src/quant/columns.ts'
import { rankDataset } from '../../src/quant/rankDataset.ts'
import { shareDataset } from '../../src/quant/shareDataset.ts'
import { panelBasis } from '../../workers/backtest/runPanelBacktest.ts'
import { planSweep } from '../../workers/sweep/planSweep.ts'
import { runSlice } from '../../workers/sweep/runSlice.ts'

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
