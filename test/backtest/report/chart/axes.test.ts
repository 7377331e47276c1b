import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dateTicks, logTicks, niceTicks } from '../../../../src/backtest/report/chart/axes.ts'
import { dayNumber } from '../../../../src/dates.ts'

test('value ticks are round, in range, and between one and seven', () => {
  expect(niceTicks(0.84, 1.02, 5).map(tick => tick.toFixed(2))).toEqual(['0.85', '0.90', '0.95', '1.00'])
  fc.assert(
    fc.property(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-4, max: 1e6, noNaN: true }),
      (min, span) => {
        const ticks = niceTicks(min, min + span, 5)
        expect(ticks.length).toBeGreaterThan(0)
        expect(ticks.length).toBeLessThanOrEqual(7)
        for (const tick of ticks) {
          expect(tick).toBeGreaterThanOrEqual(min - span * 1e-6)
          expect(tick).toBeLessThanOrEqual(min + span * (1 + 1e-6))
        }
      },
    ),
  )
  expect(niceTicks(1, 1, 5)).toEqual([1])
})

test('a logarithmic scale has 1, 2, 5 over a decade and powers of ten over many', () => {
  expect(logTicks(0.9, 12, 5)).toEqual([1, 2, 5, 10])
  expect(logTicks(1, 1e6, 5)).toEqual([1, 100, 1e4, 1e6])
})

test('date ticks are starts of days, months or years, no closer than their labels', () => {
  const labels = (from: string, to: string, pixels: number) =>
    dateTicks(dayNumber(from), dayNumber(to), pixels).map(tick => tick.label)
  expect(labels('2024-01-01', '2024-01-04', 800)).toEqual([
    '2024-01-01',
    '2024-01-02',
    '2024-01-03',
    '2024-01-04',
  ])
  expect(labels('2012-11-01', '2014-09-01', 700)).toEqual([
    'Jan 2013',
    'Apr 2013',
    'Jul 2013',
    'Oct 2013',
    'Jan 2014',
    'Apr 2014',
    'Jul 2014',
  ])
  expect(labels('2012-11-01', '2017-09-01', 300)).toEqual(['2013', '2014', '2015', '2016', '2017'])
  expect(labels('1900-01-01', '2020-01-01', 300)).toEqual([
    '1900',
    '1920',
    '1940',
    '1960',
    '1980',
    '2000',
    '2020',
  ])
})
