import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addBusinessDays } from '../../../src/backtest/dataset/calendar.ts'
import { medianDateGap, rebalanceStep } from '../../../src/backtest/portfolio/rebalance.ts'

const day = (iso: string) => Date.parse(iso) / 86_400_000

const dates = (start: string, count: number, next: (d: number) => number) => {
  const days = [day(start)]
  while (days.length < count) days.push(next(days[days.length - 1]))
  return Int32Array.from(days)
}

test('the median date gap is 1 for daily, 5 for weekly, about 21 for monthly panels', () => {
  expect(medianDateGap(dates('2024-01-01', 60, d => addBusinessDays(d, 1)))).toBe(1)
  expect(medianDateGap(dates('2024-01-01', 60, d => d + 1))).toBe(1) // weekends included
  expect(medianDateGap(dates('2024-01-05', 60, d => d + 7))).toBe(5)
  expect(medianDateGap(dates('2024-01-06', 60, d => d + 7))).toBe(5) // Saturdays
  expect(medianDateGap(dates('2024-01-01', 60, d => addBusinessDays(d, 21)))).toBe(21)
  expect(medianDateGap(Int32Array.of(3))).toBe(1)
  expect(medianDateGap(Int32Array.of(day('2024-01-06'), day('2024-01-07')))).toBe(1)
  expect(medianDateGap(Int32Array.of(day('2024-01-01'), day('2024-01-02'), day('2024-01-04')))).toBe(1.5)
})

test('steps over dates whose returns would overlap', () => {
  expect([
    rebalanceStep(1, 1),
    rebalanceStep(7, 1),
    rebalanceStep(5, 5),
    rebalanceStep(7, 5),
    rebalanceStep(8, 5),
    rebalanceStep(1, 5),
  ]).toEqual([1, 7, 1, 1, 2, 1])
})

test('the median date gap does not change when all dates move by whole weeks, and is at most the largest gap', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 50 }), gaps => {
      let at = 10_000
      const days = Int32Array.from([0, ...gaps], gap => {
        at += gap
        return at
      })
      const gap = medianDateGap(days)
      expect(medianDateGap(days.map(day => day + 700))).toBe(gap)
      expect(gap).toBeGreaterThanOrEqual(1)
      expect(gap).toBeLessThanOrEqual(Math.max(1, ...gaps))
    }),
  )
})
