import { expect, test } from 'bun:test'
import { rankDataset } from '../../../../src/backtest/dataset/rank.ts'
import { planTiles, tileColumns } from '../../../../src/backtest/portfolio/kernel/tilePlan.ts'
import { rebalanceDates } from '../../../../src/backtest/portfolio/rebalanceDates.ts'
import { simulateMany } from '../../../../src/backtest/portfolio/simulate.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { loopReference, type Row } from '../../loopReference.ts'
import { datasetOf, plainSettings, simulateDataset } from '../../rows.ts'

/** Panels with more names than one tile holds. Expected values come from loopReference.ts. */

/** Names exist for a while, scores and returns have gaps, a fifth of the names change their market half-way. */
function wide(dates: number, names: number, life: (name: number) => [from: number, to: number]): Row[] {
  let state = 7
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  return Array.from({ length: dates }, (_, day) => day).flatMap(day =>
    Array.from({ length: names }, (_, name) => name)
      .filter(name => day >= life(name)[0] && day < life(name)[1])
      .map(name => ({
        day,
        asset: `A${(name * 7919) % 100_000}`,
        market: name % 5 === 0 && day > dates / 2 ? 'M1' : 'M0',
        score: uniform() < 0.05 ? null : Math.round(uniform() * 400) / 100,
        forwardReturn: uniform() < 0.05 ? null : uniform() / 10 - 0.05,
      })),
  )
}

const bps = { M0: 10, M1: 40 }
const panels: Record<string, Row[]> = {
  'names that stay': wide(9, tileColumns + 300, () => [0, 9]),
  'names that come and go': wide(14, 2 * tileColumns + 500, name => [
    name % 10,
    (name % 10) + 1 + (name % 4),
  ]),
}

for (const [name, rows] of Object.entries(panels)) {
  test(`several tiles equal the loop reference: ${name}`, () => {
    const data = datasetOf(rows)
    expect(planTiles(data, rebalanceDates(0, data.days.length, 1)).tiles.length).toBeGreaterThan(1)
    for (const weighting of ['equal', 'rank', 'score'] as const) {
      for (const [drift, neutralMarket] of [
        [false, false],
        [true, false],
        [false, true],
      ]) {
        const settings = { ...plainSettings, weighting, drift, neutralMarket, quantile: 0.1, tranches: 3 }
        const truth = loopReference(rows, settings, 1, bps, 0.001)
        const ours = simulateDataset(data, settings, 1, bps, 0.001)
        nonEmpty(truth).forEach((period, t) => {
          expect(ours.series.net[t]).toBeCloseTo(period.net, 12)
          expect(ours.series.turnover[t]).toBeCloseTo(period.turnover, 12)
          expect(ours.series.heldWithoutReturn[t]).toBe(period.heldWithoutReturn)
        })
        const last = truth[truth.length - 1].weights
        expect([...ours.positions.keys()].sort()).toEqual([...last.keys()].sort())
        for (const [asset, weight] of last) expect(ours.positions.get(asset)).toBeCloseTo(weight, 12)
        expect(simulateDataset(rankDataset(data), settings, 1, bps, 0.001)).toEqual(ours)
      }
    }
  }, 180_000)
}

test('a portfolio’s numbers do not depend, to the bit, on the others in the same run', () => {
  const costs = {
    roundTripOfMarket: Float64Array.of(0.001, 0.004),
    borrowPerPeriod: 0.001,
    periodsPerYear: 252,
  }
  for (const rows of Object.values(panels)) {
    const data = rankDataset(datasetOf(rows))
    const periods = rebalanceDates(0, data.days.length, 1)
    const settings = (['equal', 'rank', 'score'] as const).flatMap(weighting =>
      [1, 2, 5, 30].flatMap(tranches =>
        [true, false].map(drift => ({ ...plainSettings, weighting, tranches, drift, quantile: 0.2 })),
      ),
    )
    const width = periods.length + 1
    const together = new Float64Array(settings.length * width)
    simulateMany(data, periods, settings, costs, together, new Int32Array(1))
    nonEmpty(settings).forEach((one, c) => {
      const alone = new Float64Array(width)
      simulateMany(data, periods, [one], costs, alone, new Int32Array(1))
      expect(together.slice(c * width, (c + 1) * width)).toEqual(alone)
    })
  }
})

test('where names come and go, a tile is simulated only while it has rows', () => {
  const life = (name: number): [number, number] => [
    Math.floor(name / tileColumns) * 2,
    Math.floor(name / tileColumns) * 2 + 2,
  ]
  const rows = wide(12, 6 * tileColumns, life)
  const data = datasetOf(rows)
  const { tiles, columns } = planTiles(data, rebalanceDates(0, data.days.length, 1))
  expect(columns).toBe(6 * tileColumns)
  expect(tiles.map(({ firstPeriod, lastPeriod }) => [firstPeriod, lastPeriod])).toEqual([
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [8, 9],
    [10, 11],
  ])
  const settings = { ...plainSettings, quantile: 0.05, weighting: 'score' as const, tranches: 3, drift: true }
  const truth = loopReference(rows, settings, 1, bps, 0.001)
  const { series } = simulateDataset(data, settings, 1, bps, 0.001)
  nonEmpty(truth).forEach((period, t) => {
    expect(series.net[t]).toBeCloseTo(period.net, 12)
    expect(series.heldWithoutReturn[t]).toBe(period.heldWithoutReturn)
  })
})

test('drift changes what is traded and nothing else, to the bit, in one tile and in several', () => {
  for (const rows of [wide(40, 60, () => [0, 40]), ...Object.values(panels)]) {
    const data = datasetOf(rows)
    for (const weighting of ['equal', 'rank', 'score'] as const) {
      const settings = { ...plainSettings, weighting, quantile: 0.1, tranches: 3 }
      const still = simulateDataset(data, settings, 1, bps, 0.001)
      const drifting = simulateDataset(data, { ...settings, drift: true }, 1, bps, 0.001)
      expect(drifting.positions).toEqual(still.positions)
      expect(drifting.series.turnover).not.toEqual(still.series.turnover)
      for (const name of ['gross', 'borrow', 'universe', 'heldWithoutReturn'] as const)
        expect(drifting.series[name]).toEqual(still.series[name])
    }
  }
})

test('a part of a panel has the columns of a panel of that part', () => {
  const rows = panels['names that come and go']
  const part = rows.filter(row => row.day >= 5)
  const whole = datasetOf(rows)
  const alone = datasetOf(part)
  const costs = {
    roundTripOfMarket: Float64Array.of(0.001, 0.004),
    borrowPerPeriod: 0.001,
    periodsPerYear: 252,
  }
  const view = rebalanceDates(5, whole.days.length, 1)
  for (const drift of [false, true]) {
    const settings = { ...plainSettings, weighting: 'score' as const, tranches: 2, drift }
    const out = [new Float64Array(view.length + 1), new Float64Array(view.length + 1)]
    simulateMany(whole, view, [settings], costs, out[0], new Int32Array(1))
    simulateMany(alone, rebalanceDates(0, alone.days.length, 1), [settings], costs, out[1], new Int32Array(1))
    expect(out[0]).toEqual(out[1])
  }
})
