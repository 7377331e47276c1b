import { expect, test } from 'bun:test'
import { breakEvenCostBps } from '../../../src/backtest/statistics/costs.ts'
import {
  allocateSeries,
  cagr,
  equityCurve,
  hitRate,
  monthlyReturns,
} from '../../../src/backtest/statistics/returns.ts'
import { calmar, maxDrawdown, sortino } from '../../../src/backtest/statistics/risk.ts'

const returns = Float64Array.of(0.02, -0.01, 0.03, 0.005, -0.02, 0.011)

test('the curve starts at 1 and compounds; its first point is a peak', () => {
  const { curve, ruined } = equityCurve(Float64Array.of(-0.1, 0.2, -0.5))
  expect(ruined).toBe(false)
  expect(curve[0]).toBe(1)
  expect(curve[3]).toBeCloseTo(0.9 * 1.2 * 0.5, 15)
  expect(maxDrawdown(curve)).toBeCloseTo(-0.5, 15)
  expect(maxDrawdown(equityCurve(Float64Array.of(-0.1, 0.05)).curve)).toBeCloseTo(-0.1, 15)
  expect(cagr(1.21, 24, 12)).toBeCloseTo(0.1, 14)
})

test('ruin ends the curve at or below 0 and sets the growth rate to -1', () => {
  const { curve, ruined } = equityCurve(Float64Array.of(0.5, -1.2, 0.3))
  expect(ruined).toBe(true)
  expect(curve.length).toBe(3)
  expect(curve[2]).toBeCloseTo(-0.3, 15)
  expect(cagr(curve[2], 3, 252)).toBe(-1)
  expect(maxDrawdown(curve)).toBeCloseTo(-1.2, 15)
  expect(equityCurve(Float64Array.of(-1, 0.5)).curve).toEqual(Float64Array.of(1, 0))
})

test('sortino, hit rate and calmar by hand', () => {
  const downside = Math.sqrt((0.01 ** 2 + 0.02 ** 2) / 6)
  expect(sortino(returns, 4)).toBeCloseTo((0.006 / downside) * 2, 14)
  expect(hitRate(returns)).toBeCloseTo(4 / 6, 15)
  expect(hitRate(Float64Array.of(0.01, 0, -0.01, 0))).toBe(0.25)
  // 0.1 + 0.2 - 0.3 is 5.6e-17 in doubles: two legs that cancel gain nothing.
  expect(hitRate(Float64Array.of(0.01, 0.1 + 0.2 - 0.3, 1e-12, 1.1e-12))).toBe(0.5)
  expect(calmar(0.3, -0.1)).toBeCloseTo(3, 15)
})

test('at the break-even cost the mean net return is 0', () => {
  const series = allocateSeries(2)
  series.gross.set([0.004, 0.002])
  series.borrow.set([0.0005, 0.0005])
  series.turnover.set([1, 0.25])
  const bps = breakEvenCostBps(series) ?? 0
  const net = [0, 1].map(t => series.gross[t] - series.borrow[t] - (series.turnover[t] * bps) / 1e4)
  expect(net[0] + net[1]).toBeCloseTo(0, 15)
})

test('monthly returns compound inside a month and leave months without a period null', () => {
  const day = (iso: string) => Date.parse(iso) / 86_400_000
  const days = Int32Array.of(day('2020-12-30'), day('2020-12-31'), day('2022-02-01'))
  const [first, second, ...rest] = monthlyReturns(Float64Array.of(0.1, 0.1, -0.5), days)
  expect(rest).toEqual([])
  expect(first.year).toBe(2020)
  expect(first.months[11]).toBeCloseTo(0.21, 14)
  expect(first.months.slice(0, 11)).toEqual(new Array(11).fill(null))
  expect(second.year).toBe(2022)
  expect(second.total).toBeCloseTo(-0.5, 15)
})
