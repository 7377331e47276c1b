import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rebalanceDates } from '../../../src/backtest/portfolio/rebalanceDates.ts'
import { bucketReturns, rankIc } from '../../../src/backtest/statistics/scores.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import type { Row } from '../loopReference.ts'
import { near } from '../near.ts'
import { anyRows, datasetOf, row } from '../rows.ts'

test('rank IC is 1 for agreement, -1 for reversal, and shares ranks between ties', () => {
  const agree = datasetOf(['A', 'B', 'C'].map((asset, i) => row(0, asset, i, i / 10)))
  expect(rankIc(agree, rebalanceDates(0, 1, 1))).toEqual({
    mean: 1,
    standardDeviation: null,
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
  const ic = rankIc(mixed, rebalanceDates(0, 3, 1))
  expect(ic.periods).toBe(2)
  expect(ic.mean).toBeCloseTo((-1 + 0.9486832980505139) / 2, 14)
  expect(ic.tStatistic).toBeCloseTo(((ic.mean ?? 0) / (ic.standardDeviation ?? 1)) * Math.sqrt(2), 14)
})

test('ten buckets from the weakest to the strongest, missing returns left out', () => {
  const names = Array.from({ length: 20 }, (_, i) => row(0, `A${i + 10}`, i, i === 1 ? null : i / 100))
  const buckets = bucketReturns(datasetOf(names), rebalanceDates(0, 1, 1), 10)
  expect(buckets.map(b => b.bucket)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(buckets[0].meanReturn).toBe(0)
  expect(buckets[9].meanReturn).toBeCloseTo(0.185, 15)
})

const everyDate = (data: ReturnType<typeof datasetOf>) => rebalanceDates(0, data.days.length, 1)

const changed = (panel: Row[], score: (s: number) => number, earn: (r: number) => number) =>
  datasetOf(
    panel.map(row => ({
      ...row,
      score: row.score === null ? null : score(row.score),
      forwardReturn: row.forwardReturn === null ? null : earn(row.forwardReturn),
    })),
  )

test('rank IC depends only on the order of scores and returns; reversing either changes its sign', () => {
  fc.assert(
    fc.property(anyRows, panel => {
      const data = datasetOf(panel)
      const truth = rankIc(data, everyDate(data))
      const stretched = changed(
        panel,
        s => s ** 3 + 7,
        r => 5 * r - 1,
      )
      expect(rankIc(stretched, everyDate(stretched))).toEqual(truth)
      const turned = changed(
        panel,
        s => -s,
        r => r,
      )
      near(rankIc(turned, everyDate(turned)).mean, truth.mean === null ? null : -truth.mean)
      const shuffled = datasetOf([...panel].reverse())
      expect(rankIc(shuffled, everyDate(shuffled))).toEqual(truth)
      if (truth.mean !== null) expect(Math.abs(truth.mean)).toBeLessThanOrEqual(1 + 1e-12)
    }),
  )
})

test('bucket returns scale and shift with the returns, and ignore a monotone change of the scores', () => {
  fc.assert(
    fc.property(anyRows, panel => {
      const data = datasetOf(panel)
      const truth = bucketReturns(data, everyDate(data), 3)
      const moved = changed(
        panel,
        s => s / 2 + 100,
        r => 3 * r + 0.25,
      )
      nonEmpty(bucketReturns(moved, everyDate(moved), 3)).forEach((bucket, b) => {
        const { meanReturn, periods } = truth[b]
        expect(bucket.periods).toBe(periods)
        near(bucket.meanReturn, meanReturn === null ? null : 3 * meanReturn + 0.25)
      })
      const shuffled = datasetOf([...panel].reverse())
      expect(bucketReturns(shuffled, everyDate(shuffled), 3)).toEqual(truth)
    }),
  )
})
