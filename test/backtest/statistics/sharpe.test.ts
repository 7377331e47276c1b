import { expect, test } from 'bun:test'
import * as simple from 'simple-statistics'
import { sampleMoments } from '../../../src/backtest/statistics/moments.ts'
import { volatility } from '../../../src/backtest/statistics/risk.ts'
import { informationRatio, loEta, loLags, sharpe } from '../../../src/backtest/statistics/sharpe.ts'

const returns = Float64Array.of(0.02, -0.01, 0.03, 0.005, -0.02, 0.011)
const list = [...returns]

test('mean, deviation and Sharpe ratio agree with simple-statistics', () => {
  const { mean, standardDeviation } = sampleMoments(returns)
  expect(mean).toBeCloseTo(simple.mean(list), 15)
  expect(standardDeviation).toBeCloseTo(simple.sampleStandardDeviation(list), 15)
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

test('information ratio is the Sharpe ratio of the difference', () => {
  const universe = Float64Array.of(0.01, 0, 0.02, -0.005, -0.03, 0.02)
  const active = returns.map((r, i) => r - universe[i])
  expect(informationRatio(returns, universe, 52)).toBe(sharpe(active, 52))
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
