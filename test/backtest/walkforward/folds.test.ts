import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addBusinessDays } from '../../../src/backtest/dataset/calendar.ts'
import { medianDateGap } from '../../../src/backtest/portfolio/dateSpacing.ts'
import { rebalanceDates, rebalanceStep } from '../../../src/backtest/portfolio/rebalanceDates.ts'
import { sharpe } from '../../../src/backtest/statistics/sharpe.ts'
import { walkForward } from '../../../src/backtest/walkforward/folds.ts'

const daily = (count: number) => {
  const days = new Int32Array(count)
  days[0] = 19_723 // Monday 2024-01-01
  for (let t = 1; t < count; t++) days[t] = addBusinessDays(days[t - 1], 1)
  return days
}

function empty(periods: number) {
  const net = new Float64Array(periods)
  return { net, judged: net }
}

test('cuts T periods into folds + 1 blocks, tests the later ones and purges h + 1 periods before each', () => {
  const net = Float64Array.from({ length: 60 }, (_, t) => Math.sin(t) / 100)
  const folds = walkForward({ net, judged: net }, daily(60), {
    folds: 5,
    tranches: 3,
    returnDays: 1,
    periodsPerYear: 252,
  })
  expect(folds.map(f => [f.fold, f.trainEnd, f.testStart, f.testEnd])).toEqual([
    [1, 6, 10, 20],
    [2, 16, 20, 30],
    [3, 26, 30, 40],
    [4, 36, 40, 50],
    [5, 46, 50, 60],
  ])
  expect(folds[1].sharpe).toBe(sharpe(net.slice(20, 30), 252))
  expect(folds[1].trainSharpe).toBe(sharpe(net.slice(0, 16), 252))
})

test('a fold’s growth and drawdown are those of its own periods, starting at 1', () => {
  // Ten periods a block; every block gains 1% a period, except for a loss of half in the fourth period of the third.
  const net = Float64Array.from({ length: 30 }, (_, t) => (t === 23 ? -0.5 : 0.01))
  const [second, third] = walkForward({ net, judged: net }, daily(30), {
    folds: 2,
    tranches: 1,
    returnDays: 1,
    periodsPerYear: 20,
  })
  expect(second.cagr).toBeCloseTo(1.01 ** 20 - 1, 12)
  expect(second.maxDrawdown).toBe(0)
  expect(third.cagr).toBeCloseTo((1.01 ** 9 * 0.5) ** 2 - 1, 12)
  expect(third.maxDrawdown).toBeCloseTo(-0.5, 12)
})

test('the end of the last training return is never after the first test date', () => {
  let trained = 0
  const gaps = fc.oneof(
    fc.array(fc.constantFrom(1, 1, 1, 3), { minLength: 2, maxLength: 200 }),
    fc.array(fc.constantFrom(7, 7, 1, 14), { minLength: 2, maxLength: 200 }),
    fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 2, maxLength: 200 }),
  )
  fc.assert(
    fc.property(
      gaps,
      fc.constantFrom(1, 3, 5, 7, 21, 252),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 30 }),
      (steps, returnDays, folds, tranches) => {
        let at = 15_000
        const days = Int32Array.from([0, ...steps], gap => {
          at += gap
          return at
        })
        const step = rebalanceStep(returnDays, medianDateGap(days))
        const periods = rebalanceDates(0, days.length, step)
        const periodDays = Int32Array.from(periods, date => days[date])
        const settings = { folds, tranches, returnDays, periodsPerYear: 252 }
        for (const fold of walkForward(empty(periods.length), periodDays, settings)) {
          expect(fold.testEnd).toBeGreaterThan(fold.testStart)
          expect(fold.trainEnd).toBeLessThanOrEqual(Math.max(0, fold.testStart - tranches - 1))
          if (fold.trainEnd === 0) continue
          trained++
          const end = addBusinessDays(periodDays[fold.trainEnd - 1], returnDays)
          expect(end).toBeLessThanOrEqual(periodDays[fold.testStart])
        }
      },
    ),
    { numRuns: 1_000 },
  )
  expect(trained).toBeGreaterThan(200)
})

test('has fewer folds with too few periods, and none with one', () => {
  const settings = { folds: 5, tranches: 1, returnDays: 1, periodsPerYear: 252 }
  expect(walkForward(empty(3), daily(3), settings).map(f => [f.testStart, f.testEnd])).toEqual([
    [1, 2],
    [2, 3],
  ])
  expect(walkForward(empty(1), daily(1), settings)).toEqual([])
})

test('a training return that would end a day after the first test date is purged, one that ends on it is not', () => {
  const monday = 19_723 // 2024-01-01; a return over five trading days from there ends on 8 January
  const days = (testStart: number) =>
    Int32Array.of(
      monday - 14,
      monday,
      monday + 2,
      monday + 4,
      testStart,
      ...[14, 21, 28].map(d => monday + d),
    )
  const settings = { folds: 1, tranches: 1, returnDays: 5, periodsPerYear: 52 }
  const trainEnd = (testStart: number) => walkForward(empty(8), days(testStart), settings)[0].trainEnd
  expect([trainEnd(monday + 6), trainEnd(monday + 7)]).toEqual([1, 2])
})
