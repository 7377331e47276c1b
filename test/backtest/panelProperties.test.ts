import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { spacing } from '../../src/backtest/dataset/calendar.ts'
import { planPeriods } from '../../src/backtest/portfolio/settings.ts'
import { overlapCorrelation } from '../../src/backtest/statistics/overlap.ts'
import { bucketReturns, rankIc } from '../../src/backtest/statistics/scores.ts'
import { datasetOf } from './kernel.ts'
import type { Row } from './loopReference.ts'

/** Statistics of a panel: what scaling, shifting and reordering its rows may and may not change. */
const rows: fc.Arbitrary<Row[]> = fc.uniqueArray(
  fc.record({
    day: fc.integer({ min: 0, max: 9 }),
    asset: fc.integer({ min: 0, max: 7 }).map(i => `A${i}`),
    market: fc.constant('M0'),
    score: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -40, max: 40 }) }, fc.constant(null)),
    forwardReturn: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: -300, max: 300 }).map(r => r / 1000) },
      fc.constant(null),
    ),
  }),
  { selector: row => `${row.day} ${row.asset}`, minLength: 10, maxLength: 80 },
)

const everyDate = (data: ReturnType<typeof datasetOf>) => planPeriods(0, data.days.length, 1)

function near(a: number | null, b: number | null): void {
  if (a === null || b === null) expect(a).toBe(b)
  else expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(b)))
}

const changed = (panel: Row[], score: (s: number) => number, earn: (r: number) => number) =>
  datasetOf(
    panel.map(row => ({
      ...row,
      score: row.score === null ? null : score(row.score),
      forwardReturn: row.forwardReturn === null ? null : earn(row.forwardReturn),
    })),
  )

test('rank IC sees the order of scores and returns alone; reversing either turns its sign', () => {
  fc.assert(
    fc.property(rows, panel => {
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

test('bucket returns scale and shift with the returns, and do not see a monotone change of the scores', () => {
  fc.assert(
    fc.property(rows, panel => {
      const data = datasetOf(panel)
      const truth = bucketReturns(data, everyDate(data), 3)
      const moved = changed(
        panel,
        s => s / 2 + 100,
        r => 3 * r + 0.25,
      )
      bucketReturns(moved, everyDate(moved), 3).forEach((bucket, b) => {
        const { meanReturn, periods } = truth[b]
        expect(bucket.periods).toBe(periods)
        near(bucket.meanReturn, meanReturn === null ? null : 3 * meanReturn + 0.25)
      })
      const shuffled = datasetOf([...panel].reverse())
      expect(bucketReturns(shuffled, everyDate(shuffled), 3)).toEqual(truth)
    }),
  )
})

test('the overlap correlation sees neither the scale of returns nor what a whole date earned', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 9 }), (panel, by) => {
      const data = datasetOf(panel)
      const truth = overlapCorrelation(data, 0, data.days.length)
      const moved = datasetOf(
        panel.map(row => ({
          ...row,
          forwardReturn: row.forwardReturn === null ? null : by * row.forwardReturn + row.day / 10,
        })),
      )
      if (truth !== null) {
        expect(Math.abs(truth)).toBeLessThanOrEqual(1 + 1e-9)
        // Returns that differ by rounding alone decide a correlation of nothing: those are left out.
        const varies = panel.some(row => Math.abs(row.forwardReturn ?? 0) > 0.01)
        if (varies && Math.abs(truth) > 1e-6) near(overlapCorrelation(moved, 0, data.days.length), truth)
      }
    }),
  )
})

test('spacing does not move with the calendar’s weeks, and stretches with it', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 50 }), gaps => {
      let at = 10_000
      const days = Int32Array.from([0, ...gaps], gap => {
        at += gap
        return at
      })
      const gap = spacing(days)
      expect(spacing(days.map(day => day + 700))).toBe(gap)
      expect(gap).toBeGreaterThanOrEqual(1)
      expect(gap).toBeLessThanOrEqual(Math.max(1, ...gaps))
    }),
  )
})
