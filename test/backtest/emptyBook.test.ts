import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rankDataset } from '../../src/backtest/dataset/rank.ts'
import type { BookSettings } from '../../src/backtest/portfolio/settings.ts'
import { sharpe } from '../../src/backtest/statistics/sharpe.ts'
import { datasetOf, plain, run } from './kernel.ts'
import { loopReference, type Row } from './loopReference.ts'

/** A book that nothing is left in holds exactly nothing: rounding that entering and leaving left of its weights would
 * earn returns, and those have a Sharpe ratio, a hit rate and a sign like any other. */

const markets = ['M0', 'M1', 'M2']
const bps = { M0: 10, M1: 20, M2: 40 }

/** Nine names whose returns go on where their scores pause. */
function pausing(scored: (day: number) => boolean, days: number): Row[] {
  return Array.from({ length: 9 * days }, (_, j) => {
    const [day, i] = [Math.floor(j / 9), j % 9]
    return {
      day,
      asset: `A${i}`,
      market: markets[i % 3],
      score: scored(day) ? Math.sin(12.9898 * i + 0.7 * day) : null,
      forwardReturn: Math.cos(78.233 * i + 2.3 * day) / 40,
    }
  })
}

const settings: fc.Arbitrary<BookSettings> = fc.record({
  longShort: fc.boolean(),
  quantile: fc.constantFrom(0.1, 0.3, 0.5),
  weighting: fc.constantFrom('equal', 'rank', 'score'),
  tranches: fc.constantFrom(1, 2, 3, 7),
  gross: fc.constantFrom(1, 2.5),
  neutralMarket: fc.boolean(),
  drift: fc.boolean(),
})

test('while the book is empty nothing is earned, traded or borrowed, to the bit', () => {
  const rows = pausing(day => day < 31 || (day > 45 && day < 70) || day > 88, 110)
  fc.assert(
    fc.property(settings, book => {
      const truth = loopReference(rows, book, 1, bps, 0.01)
      const data = datasetOf(rows)
      const { series } = run(data, book, 1, bps, 0.01)
      truth.forEach((period, t) => {
        expect(series.net[t]).toBeCloseTo(period.net, 13)
        if (period.book.size > 0) return
        expect(series.gross[t]).toBe(0)
        expect(series.borrow[t]).toBe(0)
        if (truth[t - 1].book.size === 0) expect(series.net[t]).toBe(0)
      })
      expect(truth.filter(period => period.book.size === 0).length).toBeGreaterThan(10)
      expect(run(rankDataset(data), book, 1, bps, 0.01).series).toEqual(series)
    }),
    { numRuns: 150 },
  )
})

test('a stretch without positions has no Sharpe ratio', () => {
  const rows = pausing(day => day < 30, 80)
  for (const weighting of ['equal', 'rank', 'score'] as const) {
    const { series } = run(datasetOf(rows), { ...plain, weighting, tranches: 5 }, 1, bps, 0.01)
    expect(sharpe(series.net.subarray(0, 34), 252)).not.toBeNull()
    expect(sharpe(series.net.subarray(40), 252)).toBeNull()
  }
})

test('a name whose long and short tranches cancel is no position', () => {
  // Each of six names takes each place in turn, so over six tranches its rank weights sum to 0.
  const rows = Array.from({ length: 240 }, (_, j) => {
    const [day, i] = [Math.floor(j / 6), j % 6]
    return { day, asset: `A${i}`, market: 'M0', score: (day + i) % 6, forwardReturn: 0.01 * i }
  })
  const book: BookSettings = { ...plain, quantile: 0.5, gross: 0.7, weighting: 'rank', tranches: 6 }
  expect([...run(datasetOf(rows), book).book.values()]).toEqual([0, 0, 0, 0, 0, 0])
})
