import { expect, test } from 'bun:test'
import * as simple from 'simple-statistics'
import { breakEvenCostBps } from '../../src/backtest/statistics/costs.ts'
import { sampleMoments } from '../../src/backtest/statistics/moments.ts'
import { allocateSeries } from '../../src/backtest/statistics/periodSeries.ts'
import {
  cagr,
  calmar,
  equityCurve,
  hitRate,
  maxDrawdown,
  monthlyReturns,
} from '../../src/backtest/statistics/returns.ts'
import {
  informationRatio,
  loEta,
  loLags,
  loSharpe,
  sharpe,
  sortino,
  volatility,
} from '../../src/backtest/statistics/sharpe.ts'

const returns = Float64Array.of(0.02, -0.01, 0.03, 0.005, -0.02, 0.011)
const list = [...returns]

test('mean, deviation and Sharpe ratio agree with simple-statistics', () => {
  const { mean, deviation } = sampleMoments(returns)
  expect(mean).toBeCloseTo(simple.mean(list), 15)
  expect(deviation).toBeCloseTo(simple.sampleStandardDeviation(list), 15)
  expect(sharpe(returns, 252)).toBeCloseTo(
    (simple.mean(list) / simple.sampleStandardDeviation(list)) * Math.sqrt(252),
    12,
  )
  expect(volatility(returns, 12)).toBeCloseTo(simple.sampleStandardDeviation(list) * Math.sqrt(12), 14)
})

test('returns that differ by 3e-11 of their size have a deviation, and returns that differ by rounding have none', () => {
  // a and b: mean (a + b) / 2, deviation |a - b| / sqrt 2.
  const [a, b] = [0.5, 0.5 + 2 ** -36]
  expect(sharpe(Float64Array.of(a, b), 1)).toBeCloseTo(((a + b) / 2 / (b - a)) * Math.SQRT2, 2)
  expect(sharpe(Float64Array.of(0.1 + 0.2, 0.3), 1)).toBeNull()
})

test('ratios are null, never NaN, where they are not defined', () => {
  const flat = Float64Array.of(0.1, 0.1, 0.1, 0.1, 0.1, 0.1)
  const one = Float64Array.of(0.1)
  const none = new Float64Array(0)
  for (const series of [one, none]) {
    for (const value of [
      sharpe(series, 252),
      loSharpe(series, 252, 0),
      sortino(series, 252),
      volatility(series, 252),
    ]) {
      expect(value).toBeNull()
    }
  }
  expect(sharpe(flat, 252)).toBeNull()
  expect(informationRatio(flat, flat, 252)).toBeNull()
  expect(volatility(flat, 252)).toBe(0)
  expect(sortino(flat, 252)).toBeNull()
  expect(hitRate(none)).toBeNull()
  expect(cagr(1, 0, 252)).toBeNull()
  expect(calmar(0.1, 0)).toBeNull()
  expect(calmar(null, -0.1)).toBeNull()
  expect(breakEvenCostBps(allocateSeries(3))).toBeNull()
})

const ar = (rho: number, lags: number) => Float64Array.from({ length: lags }, (_, i) => rho ** (i + 1))

test('eta(q) of AR(1) returns equals the values computed for Lo (2002) in vectors/README.md', () => {
  expect(loEta(2, ar(0.5, 1))).toBeCloseTo(1.154701, 6)
  expect(loEta(12, ar(0.5, 11))).toBeCloseTo(2.121288, 6)
  expect(loEta(252, ar(0.5, 251))).toBeCloseTo(9.189494, 6)
  expect(loEta(12, ar(-0.2, 11))).toBeCloseTo(4.170848, 6)
  expect(loEta(252, ar(0, 251))).toBeCloseTo(15.874508, 6)
  expect(loEta(12, Float64Array.of(-0.9))).toBeNull()
})

test('lags for lo_sharpe: the longer of h and 4 (T/100)^(2/9), at most T / 10 and P - 1', () => {
  expect(loLags(2520, 5, 252)).toBe(8) // 4 * 25.2^(2/9) = 8.19
  expect(loLags(1000, 1, 252)).toBe(6) // 4 * 10^(2/9) = 6.67; 10^(1/4) would give 7
  expect(loLags(2520, 21, 252)).toBe(21)
  expect(loLags(100, 21, 252)).toBe(10)
  expect(loLags(2520, 126, 12)).toBe(11)
  expect(loLags(9, 1, 252)).toBe(0)
  expect(loLags(100, 1, 0.97)).toBe(0)
})

test('information ratio is the Sharpe ratio of the difference', () => {
  const universe = Float64Array.of(0.01, 0, 0.02, -0.005, -0.03, 0.02)
  const active = returns.map((r, i) => r - universe[i])
  expect(informationRatio(returns, universe, 52)).toBe(sharpe(active, 52))
})

test('the curve starts at 1 and multiplies on; the first point is a peak', () => {
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
