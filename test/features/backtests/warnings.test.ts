import { afterAll, describe, expect, test } from 'bun:test'
import { addBusinessDays } from '../../../src/backtest/dataset/calendar.ts'
import type { BacktestResult } from '../../../src/backtest/result.ts'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { type Bench, costs, openBench } from './backtestBench.ts'

/** A result contains everything that a reader must know before believing it. */

const bench: Bench = openBench()
afterAll(bench.close, 60_000)

const codes = ({ warnings }: BacktestResult) => warnings.map(({ code }) => code)
const warning = ({ warnings }: BacktestResult, code: string) =>
  warnings.find(found => found.code === code)?.message

/** A panel of 2026, when the default costs of the bench were dated. */
function panelOf(
  dates: number,
  names: number,
  score: (t: number, i: number) => number | null,
  scale = 0.02,
  first = '2026-01-05',
) {
  return Array.from({ length: dates * names }, (_, j) => {
    const [t, i] = [Math.floor(j / names), j % names]
    const date = isoDate(t === 0 ? dayNumber(first) : addBusinessDays(dayNumber(first), t))
    return { date, asset: `A${i}`, score: score(t, i), forward_return: scale * shock(t, i) }
  })
}
/** Between -1 and 1, without memory from date to date. */
const shock = (t: number, i: number) => ((((t + 3) * 48_271 + (i + 7) * 30_269) ** 2 % 7_919) / 7_919) * 2 - 1
const anyScore = (t: number, i: number) => Math.cos(t * 5 + i * 3)
const config = { costBps: 10, returnDays: 1 }
const run = (panel: object, more: object = {}) => bench.run({ panel, config, ...more })

describe('returns', () => {
  test('below -1 are refused with their place', async () => {
    const panel = panelOf(30, 12, anyScore)
    panel[7].forward_return = -1.25
    const error = await run(panel).catch(failure => failure)
    expect(error.message).toBe(
      'panel[7].forward_return is -1.25; it must be a number from -1 to 1000000 (a fraction: 0.025 is +2.5%, and -1 loses everything) or null.',
    )
  })

  test('that look like percent are warned of, and those of fractions are not', async () => {
    const percent = panelOf(30, 12, anyScore).map(row => ({
      ...row,
      forward_return: Math.max(-1, row.forward_return * 100),
    }))
    expect(warning(await run(percent), 'returns_like_percent')).toMatch(
      /^\d+ of 360 returns are above \.5 or below -\.5\. Are they percent/,
    )
    expect(codes(await run(panelOf(30, 12, anyScore)))).toEqual([])
  })
})

describe('a score that ranks', () => {
  test('2 of 88 names is warned of, however good its Sharpe ratio', async () => {
    const panel = panelOf(60, 88, (t, i) => (i < 2 ? anyScore(t, i) : null))
    expect(warning(await run(panel), 'few_names')).toBe(
      'The score ranks 2 of 88 names on a typical date. With so few names, the result says more about the names than about the score.',
    )
  })

  test('less than a quarter of the names is warned of, a quarter is not', async () => {
    const ranked = (names: number) => panelOf(30, 80, (t, i) => (i < names ? anyScore(t, i) : null))
    expect(codes(await run(ranked(19)))).toEqual(['few_names'])
    expect(codes(await run(ranked(20)))).toEqual([])
  })

  test('few dates is warned of: fewer than 20, or than half', async () => {
    const upTo = (scored: number, dates: number) =>
      panelOf(dates, 12, (t, i) => (t < scored ? anyScore(t, i) : null))
    expect(codes(await run(upTo(19, 19)))).toEqual(['few_dates'])
    expect(codes(await run(upTo(20, 20)))).toEqual([])
    expect(warning(await run(upTo(24, 50)), 'few_dates')).toBe(
      'The score ranks names in 24 of 50 periods. So few periods prove little.',
    )
  })
})

describe('periods in which nothing is held', () => {
  const gap = panelOf(60, 12, (t, i) => (t >= 20 && t < 30 ? null : anyScore(t, i)))

  test('are counted and warned of, and count in neither information ratio nor hit rate', async () => {
    const result = await run(gap)
    expect(result.n_empty_periods).toBe(10)
    expect(codes(result)).toEqual(['empty_periods'])
    // The same days without the gap: what is bought and sold at its edges costs the same.
    const without = await run(
      gap.filter(({ score }) => score !== null),
      { config: { costBps: 0, borrowBps: 0, returnDays: 1 } },
    )
    const free = await run(gap, { config: { costBps: 0, borrowBps: 0, returnDays: 1 } })
    expect(free.metrics.hit_rate).toBe(without.metrics.hit_rate)
    expect(free.metrics.information_ratio).toBeCloseTo(without.metrics.information_ratio ?? Number.NaN, 10)
    expect(without.n_empty_periods).toBe(0)
  })

  test('last until the tranches of the last score have expired', async () => {
    const held = { ...config, holdDays: 4, returnDays: 1 }
    expect((await bench.run({ panel: gap, config: held })).n_empty_periods).toBe(7)
    const late = panelOf(60, 12, (t, i) => (t < 5 ? null : anyScore(t, i)))
    expect((await bench.run({ panel: late, config: held })).n_empty_periods).toBe(5)
  })

  test('and rows without any score have no information ratio and no hit rate', async () => {
    const result = await run(panelOf(40, 12, () => null))
    expect([result.n_rows, result.n_empty_periods]).toEqual([0, 40])
    expect([result.metrics.information_ratio, result.metrics.hit_rate]).toEqual([null, null])
    expect(codes(result)).toEqual(['no_positions'])
  })
})

describe('a result names', () => {
  test('its source with every default, and for a panel none', async () => {
    const { source } = await bench.run({
      source: { market: 'us', horizon: '3d', from: '2024-02-01', limit: 500 },
    })
    expect(source).toEqual({ market: 'US', horizon: '3d', from: '2024-02-01', to: null, limit: 500 })
    expect('source' in (await run(panelOf(30, 12, anyScore)))).toBe(false)
  })

  test('the grid of a sweep, the standard one too', async () => {
    const { sweep } = await bench.run({ sweep: true, source: {} })
    expect(sweep).toEqual({
      direction: ['long_short'],
      quantile: [0.05, 0.1, 0.2, 0.3],
      weighting: ['equal', 'rank', 'score'],
      holdDays: [1, 5, 10, 21],
    })
    const own = await bench.run({ sweep: { holdDays: [2, 1] }, config: { quantile: 0.3 }, source: {} })
    expect(own.sweep).toEqual({
      direction: ['long_short'],
      quantile: [0.3],
      weighting: ['equal'],
      holdDays: [2, 1],
    })
    expect(own.source?.horizon).toBe('1d')
  })

  test('the universe that the information ratio compares with: names with a score and without', async () => {
    const { universe } = await run(panelOf(30, 40, (t, i) => (i < 20 ? anyScore(t, i) : null)))
    expect(universe).toEqual({
      definition:
        'All rows of a date with a known return, at equal weight: those with a score and those without.',
      names_per_period: 40,
    })
  })
})

describe('costs', () => {
  const traded = (first: string) =>
    bench.run({
      panel: panelOf(30, 12, anyScore, 0.02, first).map(row => ({ ...row, market: 'US' })),
      config: { returnDays: 1 },
    })

  test('dated after the traded years are warned of, by market and date', async () => {
    expect(costs.markets.US.date).toBe('2024-05-22')
    expect(warning(await traded('2022-01-03'), 'costs_after_trading')).toBe(
      'The costs date from after the traded years, which end on 2022-02-11: US (2024-05-22). Trading usually cost more in those years. Send config.costBps with the costs of that time.',
    )
    expect(codes(await traded('2024-01-01'))).toEqual([])
  })

  test('of the caller have no date', async () => {
    const panel = panelOf(30, 12, anyScore, 0.02, '1999-01-04')
    expect(codes(await run(panel))).toEqual([])
  })
})
