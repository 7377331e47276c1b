import { buildDataset } from '../../src/backtest/dataset/build.ts'
import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import { shareDataset } from '../../src/backtest/dataset/packed.ts'
import { rankDataset } from '../../src/backtest/dataset/rank.ts'
import { selectPanelData } from '../../src/backtest/pipeline/selectData.ts'
import { planSweep, simulateSlice } from '../../src/backtest/pipeline/sweepPlan.ts'
import type { BacktestSweep } from '../../src/backtest/request.ts'
import { loadMarkets } from '../../src/markets/markets.ts'

/** Measures the time of each slice of a sweep in this thread, and returns the times in ascending order. */
export async function sliceTimes(columns: Columns, sweep: BacktestSweep): Promise<number[]> {
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Error('the panel repeats a cell')
  const basis = selectPanelData(rankDataset(shareDataset(dataset)), {})
  const costs = (await loadMarkets()).costs.plain
  const { data, view, tradingCosts, configs, slices } = planSweep(
    basis,
    { config: {}, include: [], sweep },
    costs,
  )
  const timesMs = slices.map(slice => {
    const series = new Float64Array(slice.length * (view.endDate - view.firstDate + 1))
    const input = { data, view, tradingCosts, configs: slice.map(place => configs[place]) }
    const startedMs = performance.now()
    simulateSlice({ ...input, series, stop: new Int32Array(1) })
    return performance.now() - startedMs
  })
  return timesMs.sort((a, b) => a - b)
}
