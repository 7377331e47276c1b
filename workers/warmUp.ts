import { readBody } from '../src/backtest/codec/body.ts'
import type { SweepPlan, SweepSlice } from '../src/backtest/pool/sweepPlan.ts'
import { panelBasis, runPanelBacktest } from '../src/backtest/run/datasets.ts'
import { buildPanel } from '../src/backtest/run/panel.ts'
import { finishSweep, runSlice } from '../src/backtest/run/sweepFinish.ts'
import { planSweep } from '../src/backtest/run/sweepPlan.ts'

const reads = 4
const runs = 40
const sweeps = 2

/** Goes the whole way, body to result and sweep to verdict, on a small panel until the runtime has compiled it, so that a
 * caller's first backtest is not the slow one. */
export function warmUp(): void {
  const costs = { markets: {}, standard: { roundTripBps: 10, source: 'warm-up', date: '2024-01-01' } }
  const body = samplePanel(60, 250)
  let request = readBody(body)
  for (let i = 1; i < reads; i++) request = readBody(body)
  if (request.panel === null) return
  for (let i = 0; i < runs; i++) runPanelBacktest(buildPanel(request.panel), request, costs)
  const basis = panelBasis(buildPanel(request.panel), request.config)
  const plan = planSweep(basis, {}, true, [], costs)
  for (let i = 0; i < sweeps; i++)
    finishSweep({ plan, series: plan.slices.map(slice => sweepSlice(plan, slice)) })
}

function sweepSlice({ configs, data, view, prices }: SweepPlan, slice: SweepSlice): Float64Array {
  const series = new Float64Array(slice.length * (view.endDate + 1))
  const stop = new Int32Array(1)
  runSlice({ data, view, prices, configs: slice.map(place => configs[place]), series, stop })
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
