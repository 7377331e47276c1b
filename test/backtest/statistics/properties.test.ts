import { expect, test } from 'bun:test'
import fc from 'fast-check'
import * as simple from 'simple-statistics'
import { breakEvenCostBps, costDragAnnual } from '../../../src/backtest/statistics/costs.ts'
import { kurtosisRaw, mean, sampleMoments, skewness } from '../../../src/backtest/statistics/moments.ts'
import {
  allocateSeries,
  cagr,
  equityCurve,
  hitRate,
  monthlyReturns,
} from '../../../src/backtest/statistics/returns.ts'
import { calmar, maxDrawdown, sortino, volatility } from '../../../src/backtest/statistics/risk.ts'
import { averageRanks } from '../../../src/backtest/statistics/scores.ts'
import {
  autocorrelations,
  informationRatio,
  loEta,
  loSharpe,
  sharpe,
} from '../../../src/backtest/statistics/sharpe.ts'
import { near } from '../near.ts'

test('undefined ratios are null, never NaN', () => {
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

/** What must hold for any returns: scale, shift, order. Returns are thousandths, so that no series differs by
 * rounding alone. */
const returns = fc
  .array(fc.integer({ min: -300, max: 300 }), { minLength: 3, maxLength: 60 })
  .filter(values => new Set(values).size > 1)
  .map(values => Float64Array.from(values, v => v / 1000))
const factor = fc.double({ min: 0.01, max: 100, noNaN: true })
const shift = fc.integer({ min: -100, max: 100 }).map(v => v / 1000)

const scaled = (values: Float64Array, by: number) => values.map(r => r * by)
const shifted = (values: Float64Array, by: number) => values.map(r => r + by)
const reversed = (values: Float64Array) => Float64Array.from(values).reverse()

test('Sharpe, Lo’s Sharpe, Sortino and the information ratio do not depend on leverage; selling short changes their sign', () => {
  fc.assert(
    fc.property(returns, factor, (r, by) => {
      near(sharpe(scaled(r, by), 252), sharpe(r, 252))
      near(loSharpe(scaled(r, by), 252, 2), loSharpe(r, 252, 2), 1e-7)
      near(sortino(scaled(r, by), 252), sortino(r, 252))
      near(informationRatio(scaled(r, by), new Float64Array(r.length), 252), sharpe(r, 252))
      near(sharpe(scaled(r, -1), 252), -(sharpe(r, 252) ?? 0))
      near(loSharpe(r, 252, 0), sharpe(r, 252))
    }),
  )
})

test('moments, ratios of moments and the hit rate do not depend on the order of the periods', () => {
  fc.assert(
    fc.property(returns, r => {
      const back = reversed(r)
      near(sharpe(back, 12), sharpe(r, 12))
      near(sortino(back, 12), sortino(r, 12))
      near(volatility(back, 12), volatility(r, 12))
      near(skewness(back), skewness(r))
      near(kurtosisRaw(back), kurtosisRaw(r))
      near(mean(back), mean(r))
      expect(hitRate(back)).toBe(hitRate(r))
      const end = (values: Float64Array) => equityCurve(values).curve.at(-1) ?? 0
      near(end(back), end(r))
      near(sampleMoments(r).mean, simple.mean([...r]))
      // A reversed series has the same autocorrelations.
      autocorrelations(back, mean(back), 2).forEach((rho, k) => {
        near(rho, autocorrelations(r, mean(r), 2)[k])
      })
    }),
  )
})

test('Sharpe and information ratio, growth, drawdown and hit rate never fall when every return rises', () => {
  fc.assert(
    fc.property(returns, shift.map(Math.abs), (r, more) => {
      const better = shifted(r, more)
      expect(sharpe(better, 252) ?? 0).toBeGreaterThanOrEqual((sharpe(r, 252) ?? 0) - 1e-9)
      expect(hitRate(better) ?? 0).toBeGreaterThanOrEqual(hitRate(r) ?? 0)
      const growth = (values: Float64Array) => cagr(equityCurve(values).curve.at(-1) ?? 0, values.length, 252)
      expect(growth(better) ?? 0).toBeGreaterThanOrEqual((growth(r) ?? 0) - 1e-9)
      expect(maxDrawdown(equityCurve(better).curve)).toBeGreaterThanOrEqual(
        maxDrawdown(equityCurve(r).curve) - 1e-12,
      )
      const universe = scaled(reversed(r), 0.5)
      const active = informationRatio(better, universe, 252)
      const before = informationRatio(r, universe, 252)
      if (active !== null && before !== null) expect(active).toBeGreaterThanOrEqual(before - 1e-9)
    }),
  )
})

test('a shift changes no deviation, skew or kurtosis; a scale changes only the deviation', () => {
  fc.assert(
    fc.property(returns, factor, shift, (r, by, plus) => {
      near(volatility(shifted(r, plus), 252), volatility(r, 252))
      near(volatility(scaled(r, by), 252), by * (volatility(r, 252) ?? 0))
      for (const moment of [skewness, kurtosisRaw]) {
        near(moment(shifted(r, plus)), moment(r))
        near(moment(scaled(r, by)), moment(r))
      }
      near(skewness(scaled(r, -1)), -(skewness(r) ?? 0))
      // g4 >= 1 + g3^2 for any distribution: the variance of a Sharpe ratio is never negative.
      expect(kurtosisRaw(r) ?? 0).toBeGreaterThanOrEqual(1 + (skewness(r) ?? 0) ** 2 - 1e-9)
    }),
  )
})

test('skewness and kurtosis by hand: 0 and 1 for a fair coin, 1.1547 and 2.3333 for one in four', () => {
  expect(skewness(Float64Array.of(1, -1, 1, -1))).toBe(0)
  expect(kurtosisRaw(Float64Array.of(1, -1, 1, -1))).toBe(1)
  // Bernoulli p = 1/4: (1 - 2p) / sqrt(pq) and 3 + (1 - 6pq) / pq
  expect(skewness(Float64Array.of(1, 0, 0, 0))).toBeCloseTo(0.5 / Math.sqrt(3 / 16), 14)
  expect(kurtosisRaw(Float64Array.of(1, 0, 0, 0))).toBeCloseTo(3 + (1 - 18 / 16) / (3 / 16), 14)
  expect(skewness(Float64Array.of(2, 2, 2))).toBeNull()
  expect(kurtosisRaw(Float64Array.of(2))).toBeNull()
})

test('a drawdown is between the worst single loss and losing everything, and 0 without a loss', () => {
  fc.assert(
    fc.property(returns, r => {
      const { curve, ruined } = equityCurve(r)
      const drawdown = maxDrawdown(curve)
      expect(ruined).toBe(false)
      expect(drawdown).toBeLessThanOrEqual(Math.min(0, ...r) + 1e-12)
      expect(drawdown).toBeGreaterThan(-1)
      expect(Math.abs(maxDrawdown(equityCurve(r.map(Math.abs)).curve))).toBe(0)
      const growth = cagr(curve.at(-1) ?? 0, r.length, 252)
      if (drawdown < 0) near(calmar(growth, drawdown), (growth ?? 0) / Math.abs(drawdown))
      // Growth compounds: twelve periods a year give the twelfth power of one period a year.
      near(
        cagr(curve.at(-1) ?? 0, r.length, 12),
        (1 + (cagr(curve.at(-1) ?? 0, r.length, 1) ?? 0)) ** 12 - 1,
        1e-6,
      )
    }),
  )
})

test('cost drag scales with all costs, the break-even cost rises with the gross return', () => {
  fc.assert(
    fc.property(returns, factor, shift, (r, by, more) => {
      const series = allocateSeries(r.length)
      series.gross.set(r)
      series.turnover.set(r.map(Math.abs))
      series.tradingCost.set(r.map(v => Math.abs(v) / 100))
      series.borrow.fill(0.0001)
      const dearer = {
        ...series,
        tradingCost: scaled(series.tradingCost, by),
        borrow: scaled(series.borrow, by),
      }
      near(costDragAnnual(dearer, 252), by * costDragAnnual(series, 252))
      near(costDragAnnual(series, 252), 252 * (mean(series.tradingCost) + mean(series.borrow)))
      const base = breakEvenCostBps(series) ?? Number.NaN
      const richer = breakEvenCostBps({ ...series, gross: shifted(r, more) }) ?? Number.NaN
      near(richer - base, (more / mean(series.turnover)) * 1e4, 1e-6)
    }),
  )
})

test('eta falls with autocorrelation, and is sqrt(q) without it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 252 }),
      fc.array(fc.double({ min: 0, max: 0.5, noNaN: true }), { minLength: 1, maxLength: 10 }),
      (q, list) => {
        const rho = Float64Array.from(list.slice(0, q - 1))
        const eta = loEta(q, rho) ?? Number.NaN
        expect(eta).toBeLessThanOrEqual(Math.sqrt(q) * (1 + 1e-12))
        expect(loEta(q, scaled(rho, 0.5)) ?? 0).toBeGreaterThanOrEqual(eta - 1e-12)
        near(loEta(q, new Float64Array(3)), Math.sqrt(q))
      },
    ),
  )
})

test('ranks sum to n (n + 1) / 2, share ties, and do not depend on scale or shift', () => {
  const ranksOf = (values: Float64Array) => {
    const ranks = new Float64Array(values.length)
    averageRanks(values, values.length, new Int32Array(values.length), ranks)
    return ranks
  }
  fc.assert(
    fc.property(returns, shift, (r, plus) => {
      const ranks = ranksOf(r)
      const n = r.length
      expect(simple.sum([...ranks])).toBe((n * (n + 1)) / 2)
      expect(ranksOf(scaled(r, 2))).toEqual(ranks)
      expect(ranksOf(r.map(v => Math.round(v * 1000) + Math.round(plus * 1000)))).toEqual(ranks)
      r.forEach((value, i) => {
        const below = r.filter(v => v < value).length
        const equal = r.filter(v => v === value).length
        expect(ranks[i]).toBe(below + (equal + 1) / 2)
      })
    }),
  )
})

test('months and years compound to the whole, wherever the record is cut', () => {
  fc.assert(
    fc.property(
      returns,
      fc.integer({ min: 10_000, max: 20_000 }),
      fc.integer({ min: 1, max: 40 }),
      (r, day, gap) => {
        const days = Int32Array.from(r, (_, t) => day + t * gap)
        const years = monthlyReturns(r, days)
        const whole = r.reduce((product, v) => product * (1 + v), 1)
        const ofYears = years.reduce((product, year) => product * (1 + year.total), 1)
        const ofMonths = years.flatMap(year => year.months).reduce<number>((p, m) => p * (1 + (m ?? 0)), 1)
        near(ofYears, whole)
        near(ofMonths, whole)
      },
    ),
  )
})
