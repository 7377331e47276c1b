import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addBusinessDays, businessDaysBetween, spacing } from '../../src/backtest/dataset/calendar.ts'
import { stepFor } from '../../src/backtest/portfolio/settings.ts'

const day = (iso: string) => Date.parse(iso) / 86_400_000
const isWeekend = (d: number) => [0, 6].includes(new Date(d * 86_400_000).getUTCDay())
const anyDay = fc.integer({ min: -10_000, max: 60_000 })

test('counts Monday to Friday as a walk over the calendar does', () => {
  fc.assert(
    fc.property(anyDay, fc.integer({ min: 0, max: 400 }), (first, length) => {
      let walked = 0
      for (let d = first; d < first + length; d++) if (!isWeekend(d)) walked++
      expect(businessDaysBetween(first, first + length)).toBe(walked)
    }),
  )
})

test('adds business days as a walk over the calendar does', () => {
  fc.assert(
    fc.property(anyDay, fc.integer({ min: 1, max: 300 }), (first, count) => {
      let d = first
      for (let left = count; left > 0; ) {
        d++
        if (!isWeekend(d)) left--
      }
      expect(addBusinessDays(first, count)).toBe(d)
    }),
  )
})

const dates = (start: string, count: number, next: (d: number) => number) => {
  const days = [day(start)]
  while (days.length < count) days.push(next(days[days.length - 1]))
  return Int32Array.from(days)
}

test('spacing is 1 for daily, 5 for weekly, about 21 for monthly panels', () => {
  expect(spacing(dates('2024-01-01', 60, d => addBusinessDays(d, 1)))).toBe(1)
  expect(spacing(dates('2024-01-01', 60, d => d + 1))).toBe(1) // weekends included
  expect(spacing(dates('2024-01-05', 60, d => d + 7))).toBe(5)
  expect(spacing(dates('2024-01-06', 60, d => d + 7))).toBe(5) // Saturdays
  expect(spacing(dates('2024-01-01', 60, d => addBusinessDays(d, 21)))).toBe(21)
  expect(spacing(Int32Array.of(3))).toBe(1)
  expect(spacing(Int32Array.of(day('2024-01-06'), day('2024-01-07')))).toBe(1)
  expect(spacing(Int32Array.of(day('2024-01-01'), day('2024-01-02'), day('2024-01-04')))).toBe(1.5)
})

test('steps over dates whose returns would overlap', () => {
  expect([stepFor(1, 1), stepFor(7, 1), stepFor(5, 5), stepFor(7, 5), stepFor(8, 5), stepFor(1, 5)]).toEqual([
    1, 7, 1, 1, 2, 1,
  ])
})
