import { expect, test } from 'bun:test'
import { monthlyOf } from '../../../../src/backtest/report/tearSheet/months.ts'
import { monthlyReturns } from '../../../../src/backtest/statistics/returns.ts'
import { dayNumber } from '../../../../src/dates.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { madeResult } from '../fixtures.ts'

const net = Array.from({ length: 300 }, (_, i) => Math.sin(i * 12.9898) * 0.03)

test('without include monthly, the months derived from the curve equal those of the engine', () => {
  const result = madeResult(net)
  const days = Int32Array.from(result.equity_dates.slice(0, -1), dayNumber)
  const truth = monthlyReturns(Float64Array.from(net), days)
  const found = monthlyOf(result)
  expect(found?.map(year => year.year)).toEqual(truth.map(year => year.year))
  found?.forEach(({ months, total }, i) => {
    expect(total).toBeCloseTo(truth[i].total, 12)
    nonEmpty(months).forEach((month, m) => {
      if (truth[i].months[m] === null) expect(month).toBeNull()
      else expect(month).toBeCloseTo(truth[i].months[m] ?? Number.NaN, 12)
    })
  })
})

test('the result’s own table is used as it is', () => {
  const monthly = [{ year: 2024, months: new Array<number | null>(12).fill(null), total: 0.5 }]
  expect(monthlyOf(madeResult(net, { monthly }))).toBe(monthly)
})

test('no months are derived from a curve that ends in ruin or has a gap', () => {
  const ruined = madeResult([0.1, -1.2])
  expect(monthlyOf({ ...ruined, n_periods: 30 })).toBeNull()
  expect(monthlyOf(ruined)).toBeNull()
  expect(monthlyOf(madeResult([0.1], { equity_curve: [1, null] }))).toBeNull()
})
