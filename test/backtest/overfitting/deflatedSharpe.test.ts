import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  deflatedSharpe,
  expectedMaxOfNormals,
  sharpeThreshold,
} from '../../../src/backtest/overfitting/deflatedSharpe.ts'
import { minTrackRecordPeriods, probabilisticSharpe } from '../../../src/backtest/statistics/sharpe.ts'

/** Expected values: ../shared/vectors/README.md, which names the papers. */

const paper = { sharpePerPeriod: 2.5 / Math.sqrt(250), periods: 1250, skew: -3, kurtosisRaw: 10 }
const normal = { ...paper, skew: 0, kurtosisRaw: 3 }
const variance = 0.5 / 250

test('the expected maximum of N standard normals', () => {
  const published: [number, number][] = [
    [2, 0.519755],
    [5, 1.192594],
    [10, 1.574598],
    [46, 2.244171],
    [88, 2.485295],
    [100, 2.530603],
    [1000, 3.255122],
  ]
  for (const [trials, expected] of published) expect(expectedMaxOfNormals(trials)).toBeCloseTo(expected, 6)
  expect(expectedMaxOfNormals(1)).toBe(0)
  expect(expectedMaxOfNormals(1.05)).toBe(0)
})

test('the paper’s example: .9004 with 100 trials, .9505 with 46, and .9505 with 88 and normal returns', () => {
  expect(sharpeThreshold(variance, 100)).toBeCloseTo(0.113172, 6)
  expect(deflatedSharpe(paper, variance, 100)).toBeCloseTo(0.900397, 6)
  expect(deflatedSharpe(normal, variance, 100)).toBeCloseTo(0.942771, 6)
  expect(deflatedSharpe(paper, variance, 46)).toBeCloseTo(0.950502, 6)
  expect(deflatedSharpe(normal, variance, 88)).toBeCloseTo(0.950491, 6)
})

test('every mistake found in published code gives a number different from ours', () => {
  const ours = deflatedSharpe(paper, variance, 100) ?? Number.NaN
  const mistakes: Record<string, [wrong: number | null, printed: number]> = {
    'excess kurtosis': [deflatedSharpe({ ...paper, kurtosisRaw: 7 }, variance, 100), 0.901779],
    'annual Sharpe with daily T': [deflatedSharpe({ ...paper, sharpePerPeriod: 2.5 }, variance, 100), 1],
    'annual variance with daily Sharpe': [deflatedSharpe(paper, 0.5, 100), 0],
    'variance not rooted': [probabilisticSharpe(paper, variance * expectedMaxOfNormals(100)), 0.999994],
    'sqrt(2 ln N)': [probabilisticSharpe(paper, Math.sqrt(variance * 2 * Math.log(100))), 0.738792],
    'variance 1 / (T - 1)': [deflatedSharpe(paper, 1 / 1249, 100), 0.993267],
    'T for T - 1': [deflatedSharpe({ ...paper, periods: 1251 }, variance, 100), 0.900487],
  }
  for (const [name, [wrong, printed]] of Object.entries(mistakes)) {
    // The mistake, made on purpose, gives the printed number, so it is the one that our number rules out.
    expect([name, (wrong ?? Number.NaN).toFixed(6)]).toEqual([name, printed.toFixed(6)])
    expect([name, Math.abs(ours - printed) > 5e-5]).toEqual([name, true])
  }
})

const hedge = { sharpePerPeriod: 0.458, periods: 24, skew: -2.448, kurtosisRaw: 10.164 }

test('the probabilistic Sharpe ratio of the 2012 paper', () => {
  expect(probabilisticSharpe(hedge, 0)).toBeCloseTo(0.913361, 6)
  expect(probabilisticSharpe({ ...hedge, skew: 0, kurtosisRaw: 3 }, 0)).toBeCloseTo(0.981675, 6)
  expect(probabilisticSharpe({ ...hedge, periods: 1 }, 0)).toBeNull()
})

test('a record as long as the minimum track record has exactly the requested confidence', () => {
  const needed = minTrackRecordPeriods(hedge, 0.1, 0.95) ?? Number.NaN
  expect(probabilisticSharpe({ ...hedge, periods: needed }, 0.1)).toBeCloseTo(0.95, 12)
  expect(minTrackRecordPeriods(hedge, 0.458, 0.95)).toBeNull()
  expect(minTrackRecordPeriods({ ...hedge, sharpePerPeriod: -0.1 }, 0, 0.95)).toBeNull()
})

const record = fc.record({
  sharpePerPeriod: fc.double({ min: -0.3, max: 0.3, noNaN: true }),
  periods: fc.integer({ min: 2, max: 5_000 }),
  skew: fc.double({ min: -2, max: 2, noNaN: true }),
  kurtosisRaw: fc.double({ min: 5, max: 20, noNaN: true }),
})
const positive = fc.double({ min: 1e-4, max: 0.1, noNaN: true })

test('more trials, or trials that differ more, never raise the deflated Sharpe ratio; one trial leaves PSR(0)', () => {
  fc.assert(
    fc.property(record, positive, positive, fc.integer({ min: 1, max: 1_000 }), (r, v, more, trials) => {
      const base = deflatedSharpe(r, v, trials) ?? Number.NaN
      expect(deflatedSharpe(r, v, 2 * trials) ?? Number.NaN).toBeLessThanOrEqual(base * (1 + 1e-13))
      expect(deflatedSharpe(r, v + more, trials) ?? Number.NaN).toBeLessThanOrEqual(base * (1 + 1e-13))
      expect(deflatedSharpe(r, v, 1)).toBe(probabilisticSharpe(r, 0))
    }),
  )
})

test('the probabilistic Sharpe ratio falls as the benchmark rises, and a longer record moves it away from 1/2', () => {
  fc.assert(
    fc.property(record, fc.double({ min: -0.3, max: 0.3, noNaN: true }), positive, (r, benchmark, more) => {
      const psr = probabilisticSharpe(r, benchmark) ?? Number.NaN
      expect(psr).toBeGreaterThanOrEqual(0)
      expect(psr).toBeLessThanOrEqual(1)
      expect(probabilisticSharpe(r, benchmark + more) ?? Number.NaN).toBeLessThanOrEqual(psr * (1 + 1e-13))
      const longer = probabilisticSharpe({ ...r, periods: 2 * r.periods }, benchmark) ?? Number.NaN
      expect(Math.abs(longer - 0.5)).toBeGreaterThanOrEqual(Math.abs(psr - 0.5) - 1e-13)
    }),
  )
})

test('the expected maximum rises with the number of trials', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1, max: 1e6, noNaN: true }),
      fc.double({ min: 1, max: 2, noNaN: true }),
      (trials, more) => {
        expect(expectedMaxOfNormals(trials * more)).toBeGreaterThanOrEqual(
          expectedMaxOfNormals(trials) - 1e-13,
        )
      },
    ),
  )
})

test('a better Sharpe ratio needs a shorter record', () => {
  fc.assert(
    fc.property(positive, fc.double({ min: 1.001, max: 3, noNaN: true }), (sharpe, better) => {
      const moments = { skew: 0, kurtosisRaw: 3 }
      const base = minTrackRecordPeriods({ ...moments, sharpePerPeriod: sharpe }, 0, 0.95) ?? Number.NaN
      const less = minTrackRecordPeriods({ ...moments, sharpePerPeriod: sharpe * better }, 0, 0.95)
      expect(less ?? Number.NaN).toBeLessThan(base)
      expect(minTrackRecordPeriods({ ...moments, sharpePerPeriod: sharpe }, 0, 0.99) ?? 0).toBeGreaterThan(
        base,
      )
    }),
  )
})
