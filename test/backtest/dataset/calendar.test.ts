import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addBusinessDays, businessDaysBetween } from '../../../src/backtest/dataset/calendar.ts'

const isWeekend = (d: number) => [0, 6].includes(new Date(d * 86_400_000).getUTCDay())
const anyDay = fc.integer({ min: -10_000, max: 60_000 })

test('counts Monday to Friday like a loop over the days', () => {
  fc.assert(
    fc.property(anyDay, fc.integer({ min: 0, max: 400 }), (first, length) => {
      let counted = 0
      for (let d = first; d < first + length; d++) if (!isWeekend(d)) counted++
      expect(businessDaysBetween(first, first + length)).toBe(counted)
    }),
  )
})

test('adds business days like a loop over the days', () => {
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
