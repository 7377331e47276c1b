import { expect, test } from 'bun:test'
import { makePanel } from '../../../bench/verdict/panels.ts'
import { distinctRecords } from '../../../src/backtest/overfitting/distinctRecords.ts'
import { deflateWinner } from '../../../src/backtest/overfitting/winner.ts'
import { selectPanelData } from '../../../src/backtest/pipeline/selectData.ts'
import { planSweep, simulateSlice } from '../../../src/backtest/pipeline/sweepPlan.ts'
import { writeSweepResult } from '../../../src/backtest/pipeline/sweepResult.ts'
import { noise } from './noise.ts'

test('records that repeat count once, whatever their order, and rounding makes no new one', () => {
  const [a, b, c] = noise(3, 60, 1, () => 0)
  const nearly = a.map((r, t) => r + (t % 2 === 0 ? 1e-17 : -1e-17))
  expect(distinctRecords([a, b, nearly, c, b.slice()])).toEqual([a, b, c])
  expect(distinctRecords([c, b, a])).toEqual([c, b, a])
  expect(distinctRecords([])).toEqual([])
  // The same mean is not the same record.
  const swapped = a.slice()
  swapped[0] = a[1]
  swapped[1] = a[0]
  expect(distinctRecords([a, swapped])).toHaveLength(2)
})

test('a repeated trial does not add to the effective number of trials', () => {
  const [a, b, c] = noise(3, 60, 1, () => 0)
  const alone = deflateWinner([a, b, c], 0)
  const repeated = deflateWinner([a, b, c, b, b, b, b], 0)
  expect([alone.trialsDistinct, repeated.trialsDistinct, repeated.trials]).toEqual([3, 3, 7])
  expect(repeated.trialsEffective).toBe(alone.trialsEffective)
})

function sweepOf(names: number) {
  const spec = { dates: 60, drift: 0, scorePersistence: 0, returnPersistence: 0, span: 1, skill: 0 }
  const panel = makePanel({ ...spec, names, calendar: 'daily' }, 1)
  const costs = { markets: {}, standard: { roundTripBps: 0, source: 'a test', date: '2000-01-01' } }
  const request = { config: { borrowBps: 0 }, include: [], sweep: true as const }
  const plan = planSweep(selectPanelData(panel, request.config), request, costs)
  const { data, view, tradingCosts } = plan
  const series = plan.slices.map(slice => {
    const out = new Float64Array(new SharedArrayBuffer(8 * slice.length * 61))
    const configs = slice.map(index => plan.configs[index])
    simulateSlice({ data, view, configs, tradingCosts, series: out, stop: new Int32Array(1) })
    return out
  })
  return writeSweepResult(plan, series).deflated_sharpe
}

// With six names or fewer, quantiles of .05 to .3 hold one name a side, whatever the weighting: only the four holding periods differ.
test('48 configurations of six names are four records', () => {
  const deflated = sweepOf(6)
  expect([deflated?.trials, deflated?.trials_distinct]).toEqual([48, 4])
  expect(deflated?.trials_effective ?? 0).toBeLessThanOrEqual(4)
})

test('one name leaves nothing to choose, so there is no probability of overfitting', () => {
  expect(sweepOf(1)).toMatchObject({ trials: 48, trials_distinct: 1, trials_effective: 1, pbo: null })
})
