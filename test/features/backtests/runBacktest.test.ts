import { afterAll, expect, spyOn, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { addBusinessDays } from '../../../src/backtest/dataset/calendar.ts'
import { decodeResult } from '../../../src/backtest/pipeline/encodeResult.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { dayNumber, isoDate, registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import { loopReference } from '../../backtest/loopReference.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { asPanel, costs, openBench, signals } from './backtestBench.ts'

registerFormats()
const resultCheck = TypeCompiler.Compile(BacktestResult)
const bench = openBench()
afterAll(bench.close, 60_000)

async function run(body: unknown): Promise<BacktestResult> {
  const result = await bench.run(body)
  expect(resultCheck.Errors(result).First()?.path).toBeUndefined()
  expect(JSON.stringify(result)).not.toContain('NaN')
  return result
}

async function failure(body: unknown): Promise<Failure> {
  const error = await bench.run(body).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return error
  throw new Error(`expected a Failure, got ${error}`)
}

const panel = asPanel(signals(80))
const everything = ['ic', 'quantiles', 'monthly', 'positions']

test('the curve, turnover and costs of a panel are those of the loop reference', async () => {
  const config = { quantile: 0.2, weighting: 'score', holdDays: 4, borrowBps: 100, gross: 2, drift: true }
  const result = await run({ config, panel, include: everything })
  const truth = loopReference(
    panel.map(row => ({ ...row, day: dayNumber(row.date), forwardReturn: row.forward_return })),
    {
      longShort: true,
      quantile: 0.2,
      weighting: 'score',
      tranches: 4,
      gross: 2,
      neutralMarket: false,
      drift: true,
    },
    1,
    { US: 5, TW: 45 },
    100 / 1e4 / 252,
  )
  expect(result.n_periods).toBe(80)
  expect(result.equity_curve.length).toBe(81)
  let equity = 1
  nonEmpty(truth).forEach((period, t) => {
    equity *= 1 + period.net
    expect(result.equity_curve[t + 1]).toBeCloseTo(equity, 11)
  })
  const mean = (pick: (period: (typeof truth)[number]) => number) =>
    truth.reduce((sum, p) => sum + pick(p), 0) / 80
  expect(result.metrics.avg_turnover).toBeCloseTo(
    mean(p => p.turnover),
    11,
  )
  expect(result.metrics.cost_drag_annual).toBeCloseTo(mean(p => p.cost + p.borrow) * 252, 11)
  expect(result.dropped.held_without_return).toBe(truth.reduce((sum, p) => sum + p.heldWithoutReturn, 0))
  const last = truth[79].weights
  expect(result.positions?.length).toBe(last.size)
  for (const { asset, weight } of nonEmpty(result.positions))
    expect(weight).toBeCloseTo(last.get(asset) ?? 0, 11)
})

test('the archive and a panel of the same rows give the same result to the bit', async () => {
  const config = { quantile: 0.3, holdDays: 3, neutral: 'market' }
  const fromArchive = await run({ config, source: {}, include: everything })
  const fromPanel = await run({ config: { ...config, returnDays: 1 }, panel, include: everything })
  expect(fromArchive.data_version).toBe(7)
  expect(fromPanel.data_version).toBeUndefined()
  const { data_version: _, source, request: _sent, ...archive } = fromArchive
  const { request: _ofRows, ...rows } = fromPanel
  expect(source).toEqual({ market: null, horizon: '1d', from: null, to: null, limit: null })
  expect(archive).toEqual(rows)
})

test('neither source nor panel is the archive with defaults, all echoed', async () => {
  const result = await run({})
  expect(result.config).toEqual({
    direction: 'long_short',
    quantile: 0.1,
    weighting: 'equal',
    holdDays: 1,
    returnDays: 1,
    costBps: null,
    borrowBps: 50,
    gross: 1,
    neutral: null,
    drift: false,
    folds: 5,
  })
  expect(result.periods_per_year).toBe(252)
  expect(result.costs).toEqual({
    flat_bps: null,
    borrow_bps: 50,
    markets: [
      { market: 'TW', round_trip_bps: 45, is_default: false, source: 'the TW manifest', date: '2017-04-28' },
      { market: 'US', round_trip_bps: 5, is_default: false, source: 'the US manifest', date: '2024-05-22' },
    ],
  })
  expect(result.warnings).toEqual([])
  expect(result.folds.map(fold => fold.n_periods)).toEqual([13, 14, 13, 13, 14]) // cuts at floor(80 i / 6)
  expect(result.folds.every(fold => fold.label === 'long_short q0.1 equal h1')).toBe(true)
  expect(result.equity_dates[0]).toBe('2024-01-01')
  expect(result.equity_dates[80]).toBe('2024-04-22')
})

test('a 7d horizon uses every seventh date, so no day is counted twice', async () => {
  const result = await run({ source: { horizon: '7d' } })
  expect([result.step, result.n_dates, result.n_periods, result.periods_per_year]).toEqual([7, 80, 12, 36])
  expect(result.config.holdDays).toBe(7)
  const total = panel.length
  expect(result.n_rows + result.dropped.rows_off_step).toBe(total)
})

test('holdDays off the grid of returnDays is impossible, with the allowed values', async () => {
  const error = await failure({ config: { holdDays: 5 }, source: { horizon: '7d' } })
  expect(error.code).toBe('backtest_impossible')
  expect(error.details.param).toBe('config.holdDays')
  expect(error.message).toContain('Send one of 7, 14, 21, 28,')
  expect(error.message).toContain('245, 252.')
  expect((await failure({ config: { holdDays: 3, returnDays: 2 }, panel })).message).toContain(
    '2, 4, 6, 8, ... 252',
  )
})

test('a weekly panel has spacing 5, and its year has 52 periods', async () => {
  let day = dayNumber('2024-01-05')
  const rows = Array.from({ length: 30 }, (_, t) => {
    day += 7
    return ['A', 'B', 'C'].map((asset, i) => ({
      date: new Date(day * 86_400_000).toISOString().slice(0, 10),
      asset,
      score: Math.sin(t * 3 + i),
      forward_return: Math.cos(t * 5 + i * 7) / 50,
    }))
  }).flat()
  const result = await run({ panel: rows, config: { holdDays: 10 } })
  expect([result.spacing, result.step, result.config.returnDays, result.periods_per_year]).toEqual([
    5, 1, 5, 52,
  ])
  expect(result.equity_dates.at(-1)).toBe(isoDate(day + 7))
  expect(result.warnings).toEqual([
    {
      code: 'default_costs',
      message:
        'The default round trip of 20 bps is used for 90 rows without a market. Send config.costBps to use your own.',
    },
    {
      code: 'costs_after_trading',
      message:
        'The costs date from after the traded years, which end on 2024-08-02: rows without a market (2026-01-01). Trading usually cost more in those years. Send config.costBps with the costs of that time.',
    },
    {
      code: 'few_names',
      message:
        'The score ranks 3 of 3 names on a typical date. With so few names, the result says more about the names than about the score.',
    },
  ])
  expect(result.costs.markets).toEqual([
    { market: null, round_trip_bps: 20, is_default: true, source: costs.standard.source, date: '2026-01-01' },
  ])
  const flat = await run({ panel: rows, config: { costBps: 0, neutral: 'market' } })
  expect(flat.costs).toEqual({ flat_bps: 0, borrow_bps: 50, markets: [] })
  expect(flat.warnings.map(w => w.code)).toEqual(['neutral_without_market', 'few_names'])
})

test('borrow is an annual rate, whatever the length of a period', async () => {
  const config = { costBps: 0, borrowBps: 200, quantile: 0.5 }
  for (const gap of [1, 7, 28]) {
    const rows = Array.from({ length: 24 }, (_, j) => {
      const [t, i] = [j >> 1, j % 2]
      return cell(isoDate(dayNumber('2024-01-01') + gap * t), `A${i}`, i, Math.sin(j) / 50)
    })
    const { metrics } = await run({ panel: rows, config: gap === 1 ? { ...config, returnDays: 1 } : config })
    expect(metrics.cost_drag_annual).toBeCloseTo(0.5 * 0.02, 12) // half the book is short
  }
})

test('dates one and two business days apart by turns are 1.5 apart: a return is taken to span 2', async () => {
  let day = dayNumber('2024-01-01')
  const rows = Array.from({ length: 31 }, (_, t) => {
    day = addBusinessDays(day, 1 + (t % 2))
    return ['A', 'B'].map((asset, i) => cell(isoDate(day), asset, i, Math.sin(t + i) / 50))
  })
  const { spacing, step, config, periods_per_year } = await run({ panel: rows.flat() })
  expect([spacing, step, config.returnDays, periods_per_year]).toEqual([1.5, 1, 2, 365.25 / 2.1])
})

// A return that keeps a share s of the one before correlates with it by s / (1 + s^2): .44 for .6 and .19 for .2.
test('warns of overlap from a correlation of .3 on', async () => {
  const shock = (t: number, i: number) => (((t + 3) * 48_271 * (i + 11) * (t + i + 7)) % 7919) / 7919 - 0.5
  const codes = async (share: number) => {
    const rows = Array.from({ length: 1_200 }, (_, j) => {
      const [t, i] = [Math.floor(j / 20), j % 20]
      const r = (shock(t, i) + share * shock(t - 1, i)) / 50
      return cell(isoDate(addBusinessDays(dayNumber('2024-01-01'), t + 1)), `A${i}`, i, r)
    })
    return (await run({ panel: rows })).warnings.map(w => w.code)
  }
  expect(await codes(0.6)).toContain('overlapping_returns')
  expect(await codes(0.2)).not.toContain('overlapping_returns')
})

test('warns where returns of a panel overlap, unless returnDays says so and only every fifth date is used', async () => {
  let state = 11
  const noise = () => {
    state = (state * 48_271) % 2_147_483_647
    return (state / 2_147_483_647 - 0.5) / 50
  }
  const daily = Array.from({ length: 90 }, () => Array.from({ length: 8 }, noise))
  let day = dayNumber('2024-01-01')
  const rows = Array.from({ length: 80 }, (_, t) => {
    day = addBusinessDays(day, 1)
    const date = new Date(day * 86_400_000).toISOString().slice(0, 10)
    return daily[t].map((_, i) => ({
      date,
      asset: `A${i}`,
      market: 'US',
      score: ((t * 7 + i * 3) % 11) / 11,
      forward_return: [0, 1, 2, 3, 4].reduce((sum, s) => sum + daily[t + s][i], 0),
    }))
  }).flat()
  expect((await run({ panel: rows })).warnings.map(w => w.code)).toEqual(['overlapping_returns', 'few_names'])
  const denied = await run({ panel: rows, config: { returnDays: 1 } })
  expect(denied.warnings.map(w => w.code)).toEqual(['overlapping_returns', 'few_names'])
  const stated = await run({ panel: rows, config: { returnDays: 5 } })
  expect(stated.warnings.map(w => w.code)).toEqual(['few_names', 'few_dates'])
  expect([stated.step, stated.n_periods]).toEqual([5, 16])
})

test('from, to, limit and market are views of the archive, and what they leave out is counted', async () => {
  const rows = signals(80)
  const days = [...new Set(rows.map(row => row.day))]
  const span = await run({ source: { from: '2024-02-01', to: '2024-02-29' } })
  expect([span.equity_dates[0], span.n_dates]).toEqual(['2024-02-01', 21])
  const perDate = (day: number) => rows.filter(row => row.day === day).length
  const limit = perDate(days[79]) + perDate(days[78]) + 1
  const limited = await run({ source: { limit } })
  expect([limited.n_dates, limited.n_rows]).toEqual([2, limit - 1])
  expect(limited.dropped.rows_over_limit).toBe(rows.length - limit + 1)
  expect(limited.warnings.map(w => w.code)).toEqual(['fewer_folds', 'few_dates'])
  const tw = await run({ source: { market: 'TW' }, include: ['positions'], config: { quantile: 0.5 } })
  expect(tw.n_rows).toBe(rows.filter(row => row.market === 'TW').length)
  expect(new Set(tw.positions?.map(p => p.market))).toEqual(new Set(['TW']))
})

test('says why there is nothing to run on', async () => {
  const cases: [unknown, string][] = [
    [{ source: { market: 'JP' } }, 'no rows of market JP. Its markets: TW, US'],
    [{ source: { from: '2030-01-01' } }, 'Its dates run from 2024-01-01 to 2024-04-19'],
    [{ source: { limit: 3 } }, 'source.limit is too small even for the most recent date'],
    [{ panel: [] }, 'panel has no rows'],
    [{ panel, source: {} }, 'source and panel are both given'],
  ]
  for (const [body, message] of cases) {
    const error = await failure(body)
    expect(error.code).toBe('backtest_impossible')
    expect(error.message).toContain(message)
  }
})

test('a repeated cell names both rows', async () => {
  const error = await failure({ panel: [...panel.slice(0, 20), panel[4]] })
  expect([error.code, error.details.param]).toEqual(['body_invalid', 'panel[20]'])
  expect(error.message).toContain(`panel[4] and panel[20] are both rows of asset "${panel[4].asset}"`)
})

const cell = (date: string, asset: string, score: number | null, forward_return: number | null) => ({
  date,
  asset,
  market: 'US',
  score,
  forward_return,
})

test('one date is a result with nulls, not an error', async () => {
  const result = await run({
    panel: [cell('2024-01-06', 'A', 1, 0.1), cell('2024-01-06', 'B', 2, 0.2)],
    include: everything,
  })
  expect(result.metrics.sharpe).toBeNull()
  expect(result.folds).toEqual([])
  expect(result.warnings.map(w => w.code)).toEqual(['fewer_folds', 'few_names', 'few_dates'])
  expect(result.equity_dates).toEqual(['2024-01-06', '2024-01-08'])
  expect(result.ic).toEqual({
    mean: 1,
    sd: null,
    ir: null,
    t_stat: null,
    n_periods: 1,
    note: 't_stat is null: the correlation exists in one period only.',
  })
})

test('ruin ends the curve, and the result says so', async () => {
  const rows = ['2024-01-01', '2024-01-02', '2024-01-03'].flatMap((date, t) => [
    cell(date, 'A', 1, t === 1 ? 4 : 0.01),
    cell(date, 'B', 2, 0),
  ])
  const result = await run({ panel: rows })
  expect(result.metrics.ruined).toBe(true)
  expect(result.metrics.cagr).toBe(-1)
  expect(result.equity_curve.length).toBe(3)
  expect(result.equity_dates).toEqual(['2024-01-01', '2024-01-02', '2024-01-03'])
  expect(result.equity_curve[2]).toBeLessThanOrEqual(0)
  expect(result.warnings.map(w => w.code)).toContain('ruined')
})

test('quantiles are ten buckets; a name whose tranches cancel is no position', async () => {
  // Each of six names takes each place in turn, so over six tranches its rank weights sum to 0.
  const rows = Array.from({ length: 40 * 6 }, (_, j) => {
    const [t, i] = [Math.floor(j / 6), j % 6]
    return cell(isoDate(addBusinessDays(dayNumber('2024-01-01'), t + 1)), `A${i}`, (t + i) % 6, 0.01 * i)
  })
  const config = { returnDays: 1, holdDays: 6, quantile: 0.5, weighting: 'rank', gross: 0.7 }
  const { quantiles, positions } = await run({ panel: rows, config, include: ['quantiles', 'positions'] })
  expect(quantiles?.map(({ bucket }) => bucket)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(positions).toEqual([])
})

test('months end with the money: after ruin no loss compounds to a gain', async () => {
  // Long and short lose 1.5 together on three days, two of them in the same month.
  const rows = ['2024-01-01', '2024-01-02', '2024-01-31', '2024-02-01'].flatMap((date, t) => [
    cell(date, 'A', 1, t === 0 ? 0 : 3),
    cell(date, 'B', 2, 0),
  ])
  const config = { returnDays: 1, costBps: 0, borrowBps: 0 }
  const { equity_curve, monthly } = await run({ panel: rows, config, include: ['monthly'] })
  expect(equity_curve).toEqual([1, 1, -0.5])
  expect(monthly).toEqual([{ year: 2024, months: [-1.5, ...new Array(11).fill(null)], total: -1.5 }])
})

test('rows without a score or return are counted, and an empty book is said to be empty', async () => {
  const rows = [
    cell('2024-01-01', 'A', null, 0.1),
    cell('2024-01-01', 'B', 1, null),
    cell('2024-01-02', 'A', null, null),
  ]
  const result = await run({ panel: rows })
  expect([result.n_rows, result.dropped.rows_without_score, result.dropped.rows_without_return]).toEqual([
    1, 2, 1,
  ])
  expect(result.warnings.map(w => w.code)).toContain('no_positions')
  expect(result.metrics.break_even_cost_bps).toBeNull()
})

test('what overflows is null', async () => {
  const rows = Array.from({ length: 80 }, (_, t) =>
    ['A', 'B'].map((asset, i) =>
      cell(new Date(86_400_000 * (19_000 + t)).toISOString().slice(0, 10), asset, i, i * 1e6),
    ),
  ).flat()
  const result = await run({ panel: rows, include: everything })
  expect(result.equity_curve[80]).toBeNull()
  expect(result.metrics.cagr).toBeNull()
})

test('no order of rows and no number of runs at once changes a bit of the result', async () => {
  const reversed = await Promise.all(
    [panel, [...panel].reverse(), panel].map(rows => run({ panel: rows, include: everything })),
  )
  expect(reversed[1]).toEqual(reversed[0])
  expect(reversed[2]).toEqual(reversed[0])
})

test('a part of a larger buffer is copied, not taken', async () => {
  const text = new TextEncoder().encode(`xx${JSON.stringify({ panel })}`)
  const result = decodeResult(
    await runBacktest(bench.deps, text.subarray(2), undefined, { caller: operator }),
  )
  expect(result.n_dates).toBe(80)
  expect(text.length).toBeGreaterThan(2)
})

test('a small body is copied, so that its backtest is tried again where a thread dies; a large one moves', async () => {
  const run = spyOn(bench.deps.pool.tasks, 'runBodyRequest')
  const given = async (rows: typeof panel) => {
    const body = new TextEncoder().encode(JSON.stringify({ panel: rows }))
    run.mockClear()
    await runBacktest(bench.deps, body, undefined, { caller: operator })
    return { bytes: body.length, moved: run.mock.calls[0]?.[1]?.transfer?.length }
  }
  try {
    const small = await given(panel.slice(0, 100))
    expect(small).toEqual({ bytes: expect.any(Number), moved: 0 })
    expect(small.bytes).toBeGreaterThan(0)
    const large = await given(asPanel(signals(200, 24)))
    expect(large).toEqual({ bytes: 0, moved: 1 })
  } finally {
    run.mockRestore()
  }
})
