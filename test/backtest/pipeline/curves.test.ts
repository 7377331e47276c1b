import { afterAll, expect, test } from 'bun:test'
import type { BacktestResult } from '../../../src/backtest/result.ts'
import { asPanel, openBench, signals } from '../../features/backtests/backtestBench.ts'
import { nonEmpty } from '../../nonEmpty.ts'

const bench = openBench()
afterAll(bench.close, 60_000)
const panel = asPanel(signals(90))
const include = ['curves']

/** The value of 1 after all folds, given the growth rate of each. */
const grownOver = ({ folds, periods_per_year }: BacktestResult) =>
  folds.reduce((value, { cagr, n_periods }) => value * (1 + (cagr ?? 0)) ** (n_periods / periods_per_year), 1)

test('the unseen periods of one configuration are its net curve from the first fold on', async () => {
  const result = await bench.run({ panel, include })
  const { curves, equity_curve: net, equity_dates: dates, folds } = result
  const start = dates.indexOf(folds[0].test_start)
  expect(curves?.unseen?.dates).toEqual(dates.slice(start))
  expect(curves?.unseen?.n_periods).toBe(folds.reduce((sum, fold) => sum + fold.n_periods, 0))
  nonEmpty(curves?.unseen?.curve).forEach((value, i) => {
    expect(value).toBeCloseTo((net[start + i] ?? Number.NaN) / (net[start] ?? Number.NaN), 12)
  })
})

test('the unseen periods of a sweep join what each fold’s own choice earned', async () => {
  const sweep = { holdDays: [1, 5], quantile: [0.1, 0.2, 0.4], weighting: ['equal', 'rank'] }
  const result = await bench.run({ panel, include, sweep })
  expect(new Set(result.folds.map(fold => fold.label)).size).toBeGreaterThan(1)
  expect(result.curves?.unseen?.curve.at(-1)).toBeCloseTo(grownOver(result), 12)
  const years = (result.curves?.unseen?.n_periods ?? 0) / result.periods_per_year
  expect(result.curves?.unseen?.cagr).toBeCloseTo(grownOver(result) ** (1 / years) - 1, 12)
})

test('gross is net where nothing costs anything, and above it elsewhere', async () => {
  const free = await bench.run({ panel, include, config: { costBps: 0, borrowBps: 0 } })
  expect(free.curves?.gross).toEqual(free.equity_curve)
  expect(free.curves?.dates).toEqual(free.equity_dates)
  const costly = await bench.run({ panel, include })
  expect(costly.curves?.gross).toEqual(free.curves?.gross ?? [])
  expect(costly.equity_curve.at(-1)).toBeLessThan(costly.curves?.gross.at(-1) ?? 0)
})

test('the universe compounds the mean return of all rows of each date', async () => {
  const { curves } = await bench.run({ panel, include })
  let value = 1
  const days = [...new Set(panel.map(row => row.date))]
  nonEmpty(days).forEach((day, t) => {
    const returns = panel.filter(row => row.date === day).map(row => row.forward_return)
    value *= 1 + returns.reduce((a, b) => a + b, 0) / returns.length
    expect(curves?.universe[t + 1]).toBeCloseTo(value, 12)
  })
})

test('one period has no unseen ones, and a ruined portfolio leaves the universe to go on', async () => {
  const one = await bench.run({ panel: panel.filter(row => row.date === panel[0].date), include })
  expect(one.curves?.unseen).toBeNull()
  const last = panel.at(-1)?.date
  const doomed = panel.map(row => ({
    ...row,
    forward_return: row.date === '2024-01-10' ? -0.99 : row.forward_return,
  }))
  const config = { direction: 'long_only', gross: 10 }
  const { equity_curve, curves } = await bench.run({ panel: doomed, include, config })
  expect(equity_curve.length).toBeLessThan(15)
  expect(curves?.gross.length).toBe(equity_curve.length)
  expect(curves?.universe.length).toBe(91)
  expect(curves?.dates.at(-2)).toBe(last ?? '')
})
