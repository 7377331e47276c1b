import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rankDataset } from '../../../src/backtest/dataset/rank.ts'
import type { PortfolioSettings } from '../../../src/backtest/portfolio/settings.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { loopReference, type Row } from '../loopReference.ts'
import { datasetOf, plainSettings, simulateDataset } from '../rows.ts'
import { anyPanel, anySettings, borrow, bps } from './anyPanel.ts'

/** Expected values come from loopReference.ts, which extends ref_backtest.py. */

function expectEqual(rows: Row[], settings: PortfolioSettings, step: number) {
  const truth = loopReference(rows, settings, step, bps, borrow)
  const data = datasetOf(rows)
  const ours = simulateDataset(data, settings, step, bps, borrow)
  expect(ours.series.net.length).toBe(truth.length)
  nonEmpty(truth).forEach((period, t) => {
    expect(ours.series.gross[t]).toBeCloseTo(period.gross, 11)
    expect(ours.series.net[t]).toBeCloseTo(period.net, 11)
    expect(ours.series.turnover[t]).toBeCloseTo(period.turnover, 11)
    expect(ours.series.tradingCost[t]).toBeCloseTo(period.cost, 13)
    expect(ours.series.borrow[t]).toBeCloseTo(period.borrow, 13)
    expect(ours.series.universe[t]).toBeCloseTo(period.universe, 11)
    expect(ours.series.heldWithoutReturn[t]).toBe(period.heldWithoutReturn)
  })
  const last = truth[truth.length - 1].weights
  expect([...ours.positions.keys()].sort()).toEqual([...last.keys()].sort())
  for (const [asset, weight] of last) expect(ours.positions.get(asset)).toBeCloseTo(weight, 11)
  expect(simulateDataset(rankDataset(data), settings, step, bps, borrow)).toEqual(ours)
}

test('equals the loop reference with ties, missing scores and returns, vanishing names, drift and neutral legs', () => {
  fc.assert(fc.property(anyPanel, anySettings, fc.constantFrom(1, 2, 3), expectEqual), { numRuns: 600 })
})

const day = (d: number, cells: [string, number | null, number | null, string?][]): Row[] =>
  cells.map(([asset, score, forwardReturn, market]) => ({
    day: d,
    asset,
    market: market ?? 'M0',
    score,
    forwardReturn,
  }))

const cases: Record<string, Row[]> = {
  'one date': day(0, [
    ['A', 1, 0.1],
    ['B', 2, 0.2],
    ['C', 3, -0.1],
  ]),
  'one name': [...day(0, [['A', 1, 0.1]]), ...day(1, [['A', 2, 0.1]])],
  'two names': [
    ...day(0, [
      ['A', 1, 0.1],
      ['B', 2, 0.3],
    ]),
    ...day(1, [
      ['A', 5, 0.1],
      ['B', 2, 0.3],
    ]),
  ],
  'constant scores': [0, 1, 2].flatMap(d =>
    day(d, [
      ['D', 7, 0.1],
      ['A', 7, 0.2],
      ['C', 7, 0],
      ['B', 7, -0.1],
    ]),
  ),
  'no score anywhere': day(0, [
    ['A', null, 0.1],
    ['B', null, 0.2],
  ]),
  'no return anywhere': day(0, [
    ['A', 1, null],
    ['B', 2, null],
  ]),
  'a held name vanishes': [
    ...day(0, [
      ['A', 1, 0.1],
      ['B', 2, 0.2],
      ['C', 3, 0.3],
    ]),
    ...day(1, [
      ['A', 1, 0.1],
      ['B', 2, 0.2],
    ]),
  ],
  'a name changes its market while held': [
    ...day(0, [
      ['A', 1, 0.1, 'M0'],
      ['B', 2, 0.2, 'M1'],
    ]),
    ...day(1, [
      ['A', 2, 0.1, 'M2'],
      ['B', 1, 0.2, 'M1'],
    ]),
  ],
  'huge and tiny scores': day(0, [
    ['A', 1e300, 0.1],
    ['B', -1e300, 0.2],
    ['C', 5e-324, 0.1],
    ['D', 0, 0.2],
    ['E', -0, 0.3],
  ]),
  'a loss beyond the equity': [
    ...day(0, [
      ['A', 1, 9],
      ['B', 2, -1],
    ]),
    ...day(1, [
      ['A', 1, 0.1],
      ['B', 2, 0.1],
    ]),
  ],
}

for (const [name, rows] of Object.entries(cases)) {
  test(`equals the loop reference: ${name}`, () => {
    for (const weighting of ['equal', 'rank', 'score'] as const) {
      for (const longShort of [true, false]) {
        for (const neutralMarket of [true, false]) {
          for (const tranches of [1, 2]) {
            expectEqual(
              rows,
              { ...plainSettings, weighting, longShort, neutralMarket, tranches, drift: tranches === 2 },
              1,
            )
          }
        }
      }
    }
  })
}

test('a leg of one name weighs the same under every weighting, to the bit', () => {
  const rows = Array.from({ length: 60 }, (_, t) =>
    day(
      t,
      Array.from({ length: 7 }, (_, i) => [`A${i}`, Math.sin(5 * i + t) / 3, Math.cos(3 * i + 2 * t) / 30]),
    ),
  ).flat()
  const data = datasetOf(rows)
  const one = { ...plainSettings, quantile: 0.1, gross: 0.7, tranches: 3 }
  const equal = simulateDataset(data, one, 1, bps, borrow)
  for (const weighting of ['rank', 'score'] as const)
    expect(simulateDataset(data, { ...one, weighting }, 1, bps, borrow)).toEqual(equal)
})

// The kernel loads 32 periods at a time. A name that is absent at the start of a new block keeps its earlier
// cost.
test('a name costs what its latest market costs, through absences and however long the record is', () => {
  const rows = Array.from({ length: 100 }, (_, t) =>
    day(
      t,
      Array.from({ length: 8 }, (_, i): [string, number, number, string] => [
        `A${i}`,
        Math.sin(5 * i + 1.3 * t),
        Math.cos(3 * i + 2 * t) / 30,
        ['M0', 'M1', 'M2'][Math.floor((t + 5 * i) / 9) % 3],
      ]).filter((_, i) => (t + i) % 4 !== 0 && !(t % 32 < 2 && i < 6)),
    ),
  ).flat()
  for (const tranches of [1, 3]) expectEqual(rows, { ...plainSettings, tranches, drift: tranches === 3 }, 1)
})

test('score weights of scores near the smallest double are finite, and sum to the leg', () => {
  const rows = day(
    0,
    [-4, -3, -1, 1, 2, 5].map((units, i) => [`A${i}`, units * Number.MIN_VALUE, 0.1 * i]),
  )
  const { positions } = simulateDataset(datasetOf(rows), {
    ...plainSettings,
    quantile: 0.5,
    weighting: 'score',
  })
  // Their mean, 0 / 6, is 0: 1 2 5 of 8 are bought, 4 3 1 of 8 sold.
  expect([...positions.values()]).toEqual([-4, -3, -1, 1, 2, 5].map(units => units / 16))
})

test('score weights of constant scores are equal weights', () => {
  const rows = Array.from({ length: 40 }, (_, t) =>
    day(
      t,
      Array.from({ length: 9 }, (_, i) => [`A${i}`, 1, Math.cos(3 * i + 2 * t) / 30]),
    ),
  ).flat()
  for (const longShort of [true, false]) {
    const settings: PortfolioSettings = { ...plainSettings, longShort, tranches: 2, weighting: 'score' }
    expectEqual(rows, settings, 1)
    expect(simulateDataset(datasetOf(rows), settings).series.turnover[0]).toBeCloseTo(0.25, 14)
  }
})
