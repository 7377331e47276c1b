import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addBusinessDays } from '../../../src/backtest/dataset/calendar.ts'
import { dateSpacing, medianDateGap } from '../../../src/backtest/portfolio/dateSpacing.ts'
import { periodsPerYear } from '../../../src/backtest/portfolio/periodsPerYear.ts'
import { rebalanceStep } from '../../../src/backtest/portfolio/rebalanceDates.ts'

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

const perYear = (days: Int32Array, step = 1) => periodsPerYear(step, dateSpacing(days))

test('a year has 252 daily periods, and as many others as the calendar says', () => {
  const daily = dates('2015-01-01', 600, d => addBusinessDays(d, 1))
  expect([1, 5, 7, 21].map(step => perYear(daily, step))).toEqual([252, 50.4, 36, 12])
  expect(perYear(dates('2020-01-03', 100, d => d + 7))).toBe(52)
  expect(perYear(dates('2020-01-03', 100, d => d + 14))).toBe(26)
  expect(
    perYear(
      dates('2020-01-03', 100, d => d + 7),
      2,
    ),
  ).toBe(26)
  expect(perYear(monthEnds(1))).toBe(12)
  expect(perYear(monthEnds(1), 3)).toBe(4)
  expect(perYear(monthEnds(2))).toBe(6)
  expect(perYear(monthEnds(3))).toBe(4)
  expect(perYear(monthEnds(6))).toBe(2)
  expect(perYear(monthEnds(12))).toBe(1)
})

/** The last weekday of every so many months, for 20 years. */
function monthEnds(months: number): Int32Array {
  return Int32Array.from({ length: 240 / months }, (_, i) => {
    const last = Date.UTC(2000, (i + 1) * months, 0) / 86_400_000
    const weekday = new Date(last * 86_400_000).getUTCDay()
    return last - (weekday === 0 ? 2 : weekday === 6 ? 1 : 0)
  })
}

test('only dates of every business day count as daily', () => {
  const everySecond = dates('2020-01-06', 121, d => addBusinessDays(d, 2))
  // 240 business days are 48 weeks.
  expect(perYear(everySecond)).toBeCloseTo((365.25 * 120) / (48 * 7), 10)
})

test('a number that is not within 4% of a usual one stays as it is', () => {
  expect(perYear(dates('2020-01-03', 50, d => d + 10))).toBe(365.25 / 10) // 36.5
  expect(perYear(dates('2020-01-03', 50, d => d + 28))).toBe(365.25 / 28) // 13.04 is 8.7% from 12
  expect(perYear(dates('2020-01-03', 50, d => d + 29))).toBe(365.25 / 29) // 12.59 is 5% from 12
  expect(perYear(Int32Array.of(0, 15, 29, 44, 58, 73, 87))).toBe(26) // 25.19 periods: 26 is 3.1% off, 24 is 4.9% off.
  expect(perYear(Int32Array.of(18_000))).toBe(252)
})
