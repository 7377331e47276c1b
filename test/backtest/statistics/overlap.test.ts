import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rebalanceDates } from '../../../src/backtest/portfolio/rebalanceDates.ts'
import { overlapCorrelation } from '../../../src/backtest/statistics/overlap.ts'
import { near } from '../near.ts'
import { anyRows, datasetOf, row } from '../rows.ts'

test('detects overlapping returns and not independent ones', () => {
  let state = 7
  const noise = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647 - 0.5
  }
  const daily: number[][] = Array.from({ length: 120 }, () => Array.from({ length: 30 }, noise))
  const panel = (span: number) =>
    datasetOf(
      Array.from({ length: 110 }, (_, t) =>
        Array.from({ length: 30 }, (_, i) => {
          let sum = 0
          for (let s = 0; s < span; s++) sum += daily[t + s][i]
          return row(t, `A${i}`, 0, sum)
        }),
      ).flat(),
    )
  expect(Math.abs(overlapCorrelation(panel(1), rebalanceDates(0, 110, 1)) ?? 1)).toBeLessThan(0.1)
  expect(overlapCorrelation(panel(5), rebalanceDates(0, 110, 1))).toBeCloseTo(0.8, 1)
  expect(overlapCorrelation(datasetOf([row(0, 'A', 1, 0.1)]), rebalanceDates(0, 1, 1))).toBeNull()
})

test('only returns of neighbouring dates are paired', () => {
  // A has no return on date 1, and B and C mirror each other: A's jump from date 0 to date 2 must not count.
  const returns: Record<string, (number | null)[]> = {
    A: [0.3, null, 0.3, -0.2],
    B: [-0.1, 0.04, -0.2, 0.1],
    C: [-0.2, -0.04, -0.1, 0.1],
  }
  const panel = Object.entries(returns).flatMap(([asset, values]) =>
    values.map((r, t) => ({ ...row(t, asset, 1, 0), forwardReturn: r })),
  )
  // Every date's mean is 0. Pairs (before, after): A (.3, -.2); B (-.1, .04) (.04, -.2) (-.2, .1); C (-.2, -.04) (-.04, -.1) (-.1, .1).
  const pairs = [
    [0.3, -0.2],
    [-0.1, 0.04],
    [0.04, -0.2],
    [-0.2, 0.1],
    [-0.2, -0.04],
    [-0.04, -0.1],
    [-0.1, 0.1],
  ]
  const sum = (of: (pair: number[]) => number) => pairs.reduce((total, pair) => total + of(pair), 0)
  const expected = sum(([x, y]) => x * y) / Math.sqrt(sum(([x]) => x * x) * sum(([, y]) => y * y))
  expect(overlapCorrelation(datasetOf(panel), rebalanceDates(0, 4, 1))).toBeCloseTo(expected, 12)
})

test('returns that are equal for all names of a date have no correlation, however their mean is rounded', () => {
  const same = Array.from({ length: 20 }, (_, t) =>
    Array.from({ length: 13 }, (_, i) => row(t, `A${i}`, i, 0.01)),
  )
  expect(overlapCorrelation(datasetOf(same.flat()), rebalanceDates(0, 20, 1))).toBeNull()
})

test('does not depend on the scale of returns or on the mean return of a date', () => {
  fc.assert(
    fc.property(anyRows, fc.integer({ min: 1, max: 9 }), (panel, by) => {
      const data = datasetOf(panel)
      const truth = overlapCorrelation(data, rebalanceDates(0, data.days.length, 1))
      const moved = datasetOf(
        panel.map(row => ({
          ...row,
          forwardReturn: row.forwardReturn === null ? null : by * row.forwardReturn + row.day / 10,
        })),
      )
      if (truth !== null) {
        expect(Math.abs(truth)).toBeLessThanOrEqual(1 + 1e-9)
        // A correlation of returns that differ only by rounding is noise: those are left out.
        const varies = panel.some(row => Math.abs(row.forwardReturn ?? 0) > 0.01)
        if (varies && Math.abs(truth) > 1e-6)
          near(overlapCorrelation(moved, rebalanceDates(0, data.days.length, 1)), truth)
      }
    }),
  )
})
