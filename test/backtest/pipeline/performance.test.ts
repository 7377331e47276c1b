import { expect, test } from 'bun:test'
import fc from 'fast-check'
import * as simple from 'simple-statistics'
import { runPanelBacktest } from '../../../src/backtest/pipeline/runRequest.ts'
import type { BacktestConfig } from '../../../src/backtest/request.ts'
import type { BacktestResult } from '../../../src/backtest/result.ts'
import { dayNumber } from '../../../src/dates.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { loopReference, type Row } from '../loopReference.ts'
import { near } from '../near.ts'
import { datasetOf } from '../rows.ts'

const roundTrips = { US: 10, TW: 40 }
const cost = (roundTripBps: number) => ({ roundTripBps, source: 'a test', date: '2020-01-01' })
const costs = { markets: { US: cost(10), TW: cost(40) }, standard: cost(20) }
const monday = dayNumber('2024-01-01')

/** Rows of two markets over consecutive weekdays, with missing scores and returns and names that vanish. */
const anyRows: fc.Arbitrary<Row[]> = fc
  .array(
    fc.record({
      score: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -9, max: 9 }) }, fc.constant(null)),
      forwardReturn: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: -200, max: 200 }).map(r => r / 1000) },
        fc.constant(null),
      ),
      there: fc.integer({ min: 0, max: 9 }).map(n => n > 0),
    }),
    { minLength: 60, maxLength: 100 },
  )
  .map(cells =>
    cells
      .map(({ score, forwardReturn, there }, i) => {
        const t = Math.floor(i / 10)
        const name = i % 10
        const day = monday + 7 * Math.floor(t / 5) + (t % 5)
        return { day, asset: `A${name}`, market: name < 6 ? 'US' : 'TW', score, forwardReturn, there }
      })
      .filter(({ there }) => there),
  )

/** The same names on every date, all known, with ties. */
const completeRows: fc.Arbitrary<Row[]> = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: -5, max: 5 })), {
    minLength: 60,
    maxLength: 60,
  })
  .map(cells =>
    cells.map(([score, percent], i) => {
      const t = Math.floor(i / 6)
      const day = monday + 7 * Math.floor(t / 5) + (t % 5)
      return { day, asset: `A${i % 6}`, market: 'US', score, forwardReturn: percent / 100 }
    }),
  )

const anyConfig: fc.Arbitrary<BacktestConfig> = fc.record({
  direction: fc.constantFrom('long_short', 'long_only'),
  quantile: fc.constantFrom(0.1, 0.3, 0.5),
  weighting: fc.constantFrom('equal', 'rank', 'score'),
  holdDays: fc.integer({ min: 1, max: 4 }),
  gross: fc.constantFrom(1, 1.6),
  drift: fc.boolean(),
})

const include = ['performance', 'ic_decay', 'ic', 'quantile_returns', 'quantiles'] as const

function run(rows: readonly Row[], config: BacktestConfig): BacktestResult {
  return runPanelBacktest(datasetOf(rows), { config: { ...config, returnDays: 1 }, include }, costs)
}

/** Several days, so that the median gap is a business day. */
const isDaily = (rows: readonly Row[]) => new Set(rows.map(({ day }) => day)).size >= 5

test('exposures and what each market adds and costs are those of the plain loops', () => {
  fc.assert(
    fc.property(anyRows, anyConfig, (rows, config) => {
      fc.pre(isDaily(rows))
      const { performance } = run(rows, config)
      const settings = {
        longShort: config.direction === 'long_short',
        quantile: config.quantile ?? 0.1,
        weighting: config.weighting ?? 'equal',
        tranches: config.holdDays ?? 1,
        gross: config.gross ?? 1,
        neutralMarket: false,
        drift: config.drift ?? false,
      }
      const periods = loopReference(rows, settings, 1, roundTrips, 0)
      periods.forEach(({ weights, turnover }, t) => {
        const held = [...weights.values()]
        near(performance?.exposure_long[t] ?? null, simple.sum(held.filter(w => w > 0)), 1e-12)
        near(performance?.exposure_short[t] ?? null, -simple.sum(held.filter(w => w < 0)), 1e-12)
        near(performance?.turnover[t] ?? null, turnover, 1e-12)
      })
      for (const own of performance?.markets ?? []) {
        const others = { US: 0, TW: 0, [own.market ?? '']: own.market === 'TW' ? 40 : 10 }
        const costly = loopReference(rows, settings, 1, others, 0)
        near(own.trading_cost_annual, simple.mean(costly.map(period => period.cost)) * 252, 1e-12)
        const paid = rows.map(row => (row.market === own.market ? row : { ...row, forwardReturn: 0 }))
        const undrifted = loopReference(paid, { ...settings, drift: false }, 1, roundTrips, 0)
        near(own.gross_return_annual, simple.mean(undrifted.map(period => period.gross)) * 252, 1e-12)
      }
    }),
    { numRuns: 60 },
  )
})

test('the legs are the returns of the names held long and of those held short', () => {
  fc.assert(
    fc.property(anyRows, anyConfig, (rows, config) => {
      fc.pre(isDaily(rows))
      const { performance } = run(rows, { ...config, holdDays: 1 })
      const settings = {
        longShort: config.direction === 'long_short',
        quantile: config.quantile ?? 0.1,
        weighting: config.weighting ?? 'equal',
        tranches: 1,
        gross: config.gross ?? 1,
        neutralMarket: false,
        drift: false,
      }
      const days = [...new Set(rows.map(({ day }) => day))].sort((a, b) => a - b)
      nonEmpty(loopReference(rows, settings, 1, roundTrips, 0)).forEach(({ weights }, t) => {
        const returns = new Map(
          rows.filter(({ day }) => day === days[t]).map(row => [row.asset, row.forwardReturn ?? 0]),
        )
        const earned = (side: number) =>
          [...weights].reduce((sum, [name, w]) => sum + (w * side > 0 ? w * (returns.get(name) ?? 0) : 0), 0)
        const [long, short] = performance?.legs ?? []
        near(long.returns[t], earned(1), 1e-12)
        if (settings.longShort) near(short.returns[t], earned(-1), 1e-12)
        else expect(short).toBeUndefined()
      })
    }),
    { numRuns: 60 },
  )
})

test('the information coefficient decays as plain rank correlations of each pair of dates say', () => {
  fc.assert(
    fc.property(fc.oneof(anyRows, completeRows), rows => {
      fc.pre(isDaily(rows))
      const { ic_decay: decay = [], ic } = run(rows, {})
      near(decay[0].mean, ic?.mean ?? null, 1e-12)
      near(decay[0].t_stat, ic?.t_stat ?? null, 1e-9)
      expect(decay[0].n_periods).toBe(ic?.n_periods ?? -1)
      const days = [...new Set(rows.map(({ day }) => day))].sort((a, b) => a - b)
      for (const { periods_ahead: k, mean, n_periods: count } of nonEmpty(decay)) {
        const values: number[] = []
        days.forEach((day, t) => {
          const later = new Map(rows.filter(row => row.day === days[t + k - 1]).map(row => [row.asset, row]))
          const pairs = rows.flatMap(row => {
            const forwardReturn = later.get(row.asset)?.forwardReturn ?? null
            return row.day === day && row.score !== null && forwardReturn !== null
              ? [[row.score, forwardReturn]]
              : []
          })
          const [scores, returns] = [0, 1].map(column => ranks(pairs.map(pair => pair[column])))
          if (new Set(scores).size < 2 || new Set(returns).size < 2) return
          values.push(simple.sampleCorrelation(scores, returns))
        })
        expect(count).toBe(values.length)
        near(mean, values.length === 0 ? null : simple.mean(values), 1e-9)
      }
    }),
    { numRuns: 60 },
  )
})

/** Ranks with ties sharing their mean, the slow way. */
function ranks(values: readonly number[]): number[] {
  return values.map(
    value =>
      values.filter(other => other < value).length + (values.filter(other => other === value).length + 1) / 2,
  )
}

test('score buckets over time have the means of quantiles, and years that add up to the whole', () => {
  fc.assert(
    fc.property(anyRows, rows => {
      fc.pre(isDaily(rows))
      const { quantile_returns: own = [], quantiles = [] } = run(rows, {})
      nonEmpty(own).forEach(({ mean_return: mean, standard_error: error, n_periods: count, years }, b) => {
        near(mean, quantiles[b].mean_return, 1e-12)
        expect(count).toBe(quantiles[b].n_periods)
        expect(simple.sum(years.map(year => year.n_periods))).toBe(count)
        expect(years[0].standard_error).toBe(error)
      })
    }),
    { numRuns: 30 },
  )
})

test('drawdowns name their days, their depth and how long recovery took', () => {
  const returns = [0.1, -0.2, -0.1, 0.4, 0.05, -0.5, 0.2]
  const rows = returns.map((forwardReturn, t) => ({
    day: monday + 7 * Math.floor(t / 5) + (t % 5),
    asset: 'A',
    market: 'US',
    score: 1,
    forwardReturn,
  }))
  // Two equal names: a long-only portfolio of the better one earns exactly these returns.
  const pair = rows.flatMap(row => [row, { ...row, asset: 'B', score: 0 }])
  const config = { direction: 'long_only', quantile: 0.5, costBps: 0 } as const
  const { performance } = run(pair, config)
  // The curve: 1, 1.1, .88, .792, 1.1088, 1.16424, .58212, .698544.
  expect(performance?.drawdowns).toEqual([
    {
      peak: '2024-01-08',
      trough: '2024-01-09',
      recovered: null,
      depth: expect.closeTo(-0.5, 12),
      days_to_trough: 1,
      days_to_recover: null,
    },
    {
      peak: '2024-01-02',
      trough: '2024-01-04',
      recovered: '2024-01-05',
      depth: expect.closeTo(-0.28, 12),
      days_to_trough: 2,
      days_to_recover: 1,
    },
  ])
  // The .05 quantile of seven returns lies .3 of the way from the worst to the next: -.5 + .3 * .3.
  const [net] = performance?.compared ?? []
  expect(net.value_at_risk).toBeCloseTo(0.41, 12)
  expect(net.expected_shortfall).toBeCloseTo(0.5, 12)
  expect(net.max_drawdown).toBeCloseTo(-0.5, 12)
})

test('rolling figures are those of the window alone, and null until it is full', () => {
  const rows: Row[] = []
  for (let t = 0; t < 40; t++)
    for (let i = 0; i < 4; i++)
      rows.push({
        day: dayNumber('2020-01-06') + 28 * t,
        asset: `A${i}`,
        market: 'US',
        score: i,
        forwardReturn: Math.sin(t * 3 + i) / 10,
      })
  const result = runPanelBacktest(datasetOf(rows), { config: { costBps: 0, borrowBps: 0 }, include }, costs)
  const { performance, periods_per_year: perYear, equity_curve: curve } = result
  const net = curve.slice(1).map((value, t) => (value ?? 0) / (curve[t] ?? 1) - 1)
  const window = performance?.rolling_window ?? 0
  expect(window).toBe(Math.round(perYear))
  performance?.rolling_volatility.forEach((value, t) => {
    const own = net.slice(t + 1 - window, t + 1)
    near(value, t + 1 < window ? null : simple.sampleStandardDeviation(own) * Math.sqrt(perYear), 1e-9)
    near(
      performance.rolling_sharpe[t],
      t + 1 < window ? null : (simple.mean(own) / simple.sampleStandardDeviation(own)) * Math.sqrt(perYear),
      1e-9,
    )
  })
})
