import { readBody } from '../src/backtest/codec/body.ts'
import { buildPanelDataset } from '../src/backtest/pipeline/panelDataset.ts'
import { runPanelBacktest } from '../src/backtest/pipeline/runRequest.ts'
import { selectPanelData } from '../src/backtest/pipeline/selectData.ts'
import {
  planSweep,
  type SweepPlan,
  type SweepSlice,
  simulateSlice,
} from '../src/backtest/pipeline/sweepPlan.ts'
import { writeSweepResult } from '../src/backtest/pipeline/sweepResult.ts'

const reads = 4
const runs = 40
const sweeps = 2

/** Runs a small panel from body to result, and a sweep to its verdict, until the runtime has compiled the
 * code. Otherwise a caller's first backtest would be slow. */
export function warmUp(): void {
  const costs = { markets: {}, standard: { roundTripBps: 10, source: 'warm-up', date: '2024-01-01' } }
  const body = samplePanel(60, 250)
  let request = readBody(body)
  for (let i = 1; i < reads; i++) request = readBody(body)
  if (request.panel === null) return
  for (let i = 0; i < runs; i++) runPanelBacktest(buildPanelDataset(request.panel), request, costs)
  const selected = selectPanelData(buildPanelDataset(request.panel), request.config)
  const plan = planSweep(selected, { config: {}, include: [], sweep: true }, costs)
  for (let i = 0; i < sweeps; i++) {
    writeSweepResult(
      plan,
      plan.slices.map(slice => sliceSeries(plan, slice)),
    )
  }
}

function sliceSeries({ configs, data, view, tradingCosts }: SweepPlan, slice: SweepSlice): Float64Array {
  const series = new Float64Array(slice.length * (view.endDate + 1))
  const stop = new Int32Array(1)
  simulateSlice({
    data,
    view,
    tradingCosts,
    configs: slice.map(place => configs[place]),
    series,
    stop,
  })
  return series
}

function samplePanel(dates: number, names: number): Uint8Array {
  const rows: object[] = []
  for (let date = 0; date < dates; date++) {
    const day = new Date(Date.UTC(2024, 0, 1 + date)).toISOString().slice(0, 10)
    for (let i = 0; i < names; i++) {
      const score = Math.sin(i * 12.9898 + date * 4.1414)
      const forwardReturn = Math.cos(i * 78.233 + date) / 50
      rows.push({ date: day, asset: `A${1000 + i}`, market: 'US', score, forward_return: forwardReturn })
    }
  }
  return new TextEncoder().encode(JSON.stringify({ config: { holdDays: 3 }, panel: rows }))
}
