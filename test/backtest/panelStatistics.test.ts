import { expect, test } from 'bun:test'
import { buildDataset } from '../../src/backtest/dataset/build.ts'
import { nameAt, viewDates } from '../../src/backtest/dataset/dataset.ts'
import { filterMarket } from '../../src/backtest/dataset/filterMarket.ts'
import { planPeriods } from '../../src/backtest/portfolio/settings.ts'
import { overlapCorrelation } from '../../src/backtest/statistics/overlap.ts'
import { bucketReturns, rankIc } from '../../src/backtest/statistics/scores.ts'
import { columnsOf, datasetOf } from './kernel.ts'
import type { Row } from './loopReference.ts'

const row = (
  day: number,
  asset: string,
  score: number | null,
  forwardReturn: number | null,
  market = 'US',
): Row => ({
  day,
  asset,
  market,
  score,
  forwardReturn,
})

test('rank IC is 1 for agreement, -1 for reversal, and shares ranks between ties', () => {
  const agree = datasetOf(['A', 'B', 'C'].map((asset, i) => row(0, asset, i, i / 10)))
  expect(rankIc(agree, planPeriods(0, 1, 1))).toEqual({
    mean: 1,
    deviation: null,
    ratio: null,
    tStatistic: null,
    periods: 1,
  })
  const mixed = datasetOf([
    ...['A', 'B', 'C'].map((asset, i) => row(0, asset, i, -i / 10)),
    // scipy.stats.spearmanr([1, 2, 2, 4], [1, 3, 2, 4]).statistic = 0.9486832980505139
    ...[1, 2, 2, 4].map((score, i) => row(1, 'ABCD'[i], score, [1, 3, 2, 4][i])),
    row(2, 'A', 1, 0.1),
    row(2, 'B', null, 0.1),
    row(2, 'C', 2, null),
  ])
  const ic = rankIc(mixed, planPeriods(0, 3, 1))
  expect(ic.periods).toBe(2)
  expect(ic.mean).toBeCloseTo((-1 + 0.9486832980505139) / 2, 14)
  expect(ic.tStatistic).toBeCloseTo(((ic.mean ?? 0) / (ic.deviation ?? 1)) * Math.sqrt(2), 14)
})

test('ten buckets from the weakest to the strongest, missing returns left out', () => {
  const names = Array.from({ length: 20 }, (_, i) => row(0, `A${i + 10}`, i, i === 1 ? null : i / 100))
  const buckets = bucketReturns(datasetOf(names), planPeriods(0, 1, 1), 10)
  expect(buckets.map(b => b.bucket)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(buckets[0].meanReturn).toBe(0)
  expect(buckets[9].meanReturn).toBeCloseTo(0.185, 15)
})

test('overlapping returns are seen, independent ones are not', () => {
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
  expect(Math.abs(overlapCorrelation(panel(1), 0, 110) ?? 1)).toBeLessThan(0.1)
  expect(overlapCorrelation(panel(5), 0, 110)).toBeCloseTo(0.8, 1)
  expect(overlapCorrelation(datasetOf([row(0, 'A', 1, 0.1)]), 0, 1)).toBeNull()
})

test('only returns of neighbouring dates are paired', () => {
  // A has no return on date 1, and B and C mirror each other: of A's jump from date 0 to date 2 nothing is to be seen.
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
  expect(overlapCorrelation(datasetOf(panel), 0, 4)).toBeCloseTo(expected, 12)
})

test('returns that are the same for every name of a date correlate with nothing, however their mean is rounded', () => {
  const same = Array.from({ length: 20 }, (_, t) =>
    Array.from({ length: 13 }, (_, i) => row(t, `A${i}`, i, 0.01)),
  )
  expect(overlapCorrelation(datasetOf(same.flat()), 0, 20)).toBeNull()
})

test('names both rows of a repeated cell, as they arrived', () => {
  const rows = [row(1, 'B', 1, 0), row(0, 'A', 1, 0), row(1, 'A', 1, 0), row(0, 'A', 2, 0)]
  expect(buildDataset(columnsOf(rows)).duplicate).toEqual({ firstRow: 1, secondRow: 3 })
})

test('assets are ordered by id, not by arrival', () => {
  const data = datasetOf([row(0, 'b', 1, 0), row(0, 'B', 1, 0), row(0, 'é', 1, 0), row(0, 'A1', 1, 0)])
  expect([0, 1, 2, 3].map(i => nameAt(data.assets, i))).toEqual(['A1', 'B', 'b', 'é'])
})

test('one market is a dataset of its own; an unknown one is null', () => {
  const data = datasetOf([
    row(0, 'A', 1, 0.1, 'TW'),
    row(0, 'B', 2, 0.2),
    row(1, 'B', 3, 0.3),
    row(1, 'C', 4, 0),
  ])
  const columns = filterMarket(data, 'US')
  if (!columns) throw new Error('US is a market of the panel')
  expect(buildDataset(columns).dataset).toEqual(
    datasetOf([row(0, 'B', 2, 0.2), row(1, 'B', 3, 0.3), row(1, 'C', 4, 0)]),
  )
  expect(filterMarket(data, 'JP')).toBeNull()
})

test('a view keeps the most recent whole dates that fit', () => {
  const data = datasetOf([10, 11, 12, 13].flatMap(d => ['A', 'B', 'C'].map(asset => row(d, asset, 1, 0))))
  expect(viewDates(data, 0, 99, 12)).toEqual({ firstDate: 0, endDate: 4, rowsOverLimit: 0 })
  expect(viewDates(data, 11, 12, 100)).toEqual({ firstDate: 1, endDate: 3, rowsOverLimit: 0 })
  expect(viewDates(data, 0, 99, 7)).toEqual({ firstDate: 2, endDate: 4, rowsOverLimit: 6 })
  expect(viewDates(data, 0, 99, 2)).toEqual({ firstDate: 4, endDate: 4, rowsOverLimit: 12 })
  expect(viewDates(data, 50, 99, 2)).toEqual({ firstDate: 4, endDate: 4, rowsOverLimit: 0 })
})
