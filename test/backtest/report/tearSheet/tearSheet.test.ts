import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { tearSheet } from '../../../../src/backtest/report/tearSheet/page.ts'
import { BacktestResult } from '../../../../src/backtest/result.ts'
import { registerFormats } from '../../../../src/dates.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { madeResult, madeSweep, madeTrials } from '../fixtures.ts'

registerFormats()
const check = TypeCompiler.Compile(BacktestResult)
const net = Array.from({ length: 300 }, (_, i) => Math.sin(i * 12.9898) * 0.03 + 0.001)
const everything: Partial<BacktestResult> = {
  ic: { mean: 0.031, sd: 0.2, ir: 0.155, t_stat: 2.68, n_periods: 300 },
  quantiles: Array.from({ length: 10 }, (_, i) => ({
    bucket: i + 1,
    mean_return: i === 4 ? null : (i - 4) / 1e4,
    n_periods: 300,
  })),
  positions: [
    { asset: 'AAPL', market: 'US', weight: 0.05 },
    { asset: 'KO', market: null, weight: -0.05 },
  ],
  warnings: [{ code: 'default_costs', message: 'The default round trip stands in.' }],
}
const full = madeSweep(net, everything)
const page = tearSheet(full, 'A title')

const textOf = (html: string) =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<(?!\/?(strong|small|span|code|br)\b)[^>]*>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/[ \t]+/g, ' ')

describe('tear sheet', () => {
  test('the made-up results are of the model’s shape', () => {
    for (const result of [full, madeResult(net), madeResult([-1.5], { metrics: full.metrics })]) {
      expect(check.Errors(result).First()?.path).toBeUndefined()
    }
  })

  test('it is one document that loads, runs and sends nothing, and its policy forbids it', () => {
    expect(page).toStartWith('<!doctype html>')
    expect(page).not.toMatch(/<script|<link|<img|<iframe|<form|\bsrc=|url\(|@import/i)
    // Only to its own sections.
    const ids = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))
    for (const [, target] of nonEmpty(page.matchAll(/\bhref="([^"]*)"/g))) {
      expect(target[0]).toBe('#')
      expect(ids).toContain(target.slice(1))
    }
    expect(page).not.toMatch(/<[^>]*\s(on\w+|style)=/i)
    expect(page).not.toMatch(/https?:/)
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(page).toContain(
      `content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;"`,
    )
  })

  test('the unseen record of a sweep says which cost it leaves out, and that of one configuration leaves out none', () => {
    const omission = 'move from one configuration to the next is not charged'
    expect(page).toContain(omission)
    expect(tearSheet(madeResult(net), 'A title')).not.toContain(omission)
  })

  test('every element that is opened is closed, in order', () => {
    const open: string[] = []
    const empty = /^(meta|br)$/
    const bare = page.replace(/<style>[\s\S]*?<\/style>/, '')
    for (const [, close, name, self] of nonEmpty(bare.matchAll(/<(\/?)([a-z0-9]+)(?:\s[^>]*?)?(\/?)>/gi))) {
      if (self === '/' || empty.test(name)) continue
      if (close === '') open.push(name)
      else expect(open.pop()).toBe(name)
    }
    expect(open).toEqual([])
  })

  test('ids are unique, and every picture has a title and a description', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const pictures = [...page.matchAll(/<svg[^>]*>/g)].map(([tag]) => tag)
    expect(pictures.length).toBe(8)
    for (const tag of pictures) {
      expect(tag).toContain('role="img"')
      for (const id of /aria-labelledby="([^"]+)"/.exec(tag)?.[1].split(' ') ?? ['none'])
        expect(ids).toContain(id)
    }
    for (const [tag] of nonEmpty(page.matchAll(/<th[ >][^>]*/g))) expect(tag).toContain('scope=')
  })

  test('whatever a user sent appears as text', () => {
    const evil = '"><script>alert(1)</script><i onload=x>'
    const made = madeSweep(net, {
      ...everything,
      positions: [{ asset: evil, market: evil, weight: 1 }],
      warnings: [{ code: 'ruined', message: evil }],
      costs: {
        flat_bps: null,
        borrow_bps: 50,
        markets: [{ market: evil, round_trip_bps: 1, is_default: true, source: evil, date: evil }],
      },
      folds: [{ ...full.folds[0], label: evil, test_start: evil }],
      trials: [{ ...madeTrials()[0], label: evil, cagr: null, max_drawdown: null, avg_turnover: null }],
      best: { label: evil, config: full.config, metrics: full.metrics },
    })
    const written = tearSheet(made, evil)
    expect(written).not.toContain('<script')
    expect(written).not.toContain('<i onload')
    expect(written.split('&lt;script&gt;').length).toBeGreaterThan(10)
  })

  test('a figure that does not exist is a dash, never 0', () => {
    const nothing = Object.fromEntries(
      Object.entries(full.metrics).map(([name, value]) => [name, typeof value === 'number' ? null : value]),
    )
    const empty = textOf(tearSheet({ ...madeResult(net), metrics: { ...full.metrics, ...nothing } }, 'x'))
    const metrics = empty.slice(empty.indexOf('Compound growth') - 200, empty.indexOf('Growth of 1'))
    expect(metrics.match(/^\s*–\s*$/gm)).toHaveLength(11)
    expect(metrics).not.toMatch(/^\s*[−+]?0/m)
  })

  test('the sections come in the order in which a sceptic asks', () => {
    const order = ['verdict', 'growth', 'unseen', 'drawdowns', 'months', 'ranks', 'costs', 'trials']
    const ids = [...page.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids.filter(id => order.includes(id))).toEqual(order)
    expect(ids.slice(-2)).toEqual(['configuration', 'again'])
  })

  test('a cost that is older or newer than the trades is marked', () => {
    const ends = ['2024-01-01', '2025-02-24']
    const costs = (date: string) => ({
      ...full.costs,
      markets: [{ ...full.costs.markets[0], date }],
    })
    expect([full.equity_dates[0], full.equity_dates.at(-1)]).toEqual(ends)
    for (const [date, mark] of [
      ['2023-12-31', 'older than every trade'],
      ['2024-06-01', 'newer than the trades before it'],
      ['2025-02-25', 'newer than every trade'],
    ])
      expect(tearSheet({ ...full, costs: costs(date) }, 'x')).toContain(
        `<strong class="mark">${mark}</strong>`,
      )
  })

  test('a default is named, not a dash', () => {
    const source = { market: null, horizon: '1d', from: null, to: null, limit: null } as const
    const text = textOf(tearSheet(madeResult(net, { source, data_version: 3 }), 'x'))
    expect(text).toMatch(/costBps\s+Market default/)
    expect(text).toMatch(/source\.market\s+All markets/)
    expect(text.slice(text.lastIndexOf('Configuration'), text.lastIndexOf('Run it again'))).not.toContain('–')
  })

  test('warnings and exclusions come before the numbers', () => {
    const at = (text: string) => page.indexOf(text)
    expect(at('The default round trip stands in.')).toBeGreaterThan(0)
    expect(at('The default round trip stands in.')).toBeLessThan(at('id="verdict"'))
    expect(at('1,200 rows have no score')).toBeLessThan(at('id="verdict"'))
    expect(at('1 return of a held name was missing')).toBeGreaterThan(0)
    expect(page).not.toContain('neighbouring dates overlap')
  })

  test('it names the rows, the grid and the universe that the numbers are of, and the periods without positions', () => {
    const source = { market: 'US', horizon: '1d', from: null, to: '2017-06-30', limit: null } as const
    const sweep = {
      direction: ['long_short' as const],
      quantile: [0.1, 0.2],
      weighting: ['equal' as const],
      holdDays: [1, 5],
    }
    const universe = { definition: 'Every row with a known return.', names_per_period: 87.25 }
    const text = textOf(tearSheet(madeSweep(net, { source, sweep, universe, n_empty_periods: 12 }), 'x'))
    expect(text).toMatch(/source\.market\s+US\s/)
    expect(text).toMatch(/source\.to\s+2017-06-30\s/)
    expect(text).toMatch(/sweep\.quantile\s+0\.1, 0\.2\s/)
    expect(text).toMatch(/Periods without positions\s+12\s/)
    expect(text).toContain('on average 87.3 names a period. Every row with a known return.')
    expect(textOf(tearSheet(madeResult(net), 'x'))).not.toMatch(/source\.|sweep\.|without positions/)
  })

  test('the winner is marked on its surface only', () => {
    expect(page.match(/the winner<\/span>/g)).toHaveLength(1)
    expect(page.match(/<table class="heat surface">/g)).toHaveLength(3)
    expect(tearSheet(madeResult(net), 'x')).not.toContain('the winner')
  })

  test('the range of the trials in the picture does not include the luck threshold', () => {
    const { trials: made = [], deflated_sharpe: found, ...rest } = madeSweep(net)
    if (found === undefined) throw new Error('the sweep is not deflated')
    const trials = made.map(trial => {
      const sharpe = (trial.sharpe ?? 0) + 10
      return { ...trial, sharpe, judged_sharpe: sharpe }
    })
    const sharpes = trials.map(({ sharpe }) => sharpe)
    const min = Math.min(...sharpes).toFixed(2)
    const deflated_sharpe = { ...found, sharpe_per_period: Math.max(...sharpes) / Math.sqrt(252) }
    const drawn = tearSheet({ ...rest, trials, deflated_sharpe }, 'x')
    expect(drawn).toContain(`Sharpe ratios run from ${min} to`)
  })

  test('a section without data is left out, and none tells a reader to request something', () => {
    const plain = tearSheet(madeResult(net), 'x')
    expect(plain).not.toMatch(/[Nn]ot requested|Request them|adds it/)
    for (const id of ['rolling', 'legs', 'ranks', 'trials', 'evidence'])
      expect(plain).not.toContain(`id="${id}"`)
    expect(plain).not.toContain('chart bars')
  })

  test('the largest page stays below a megabyte: a century, a thousand configurations, a thousand markets', () => {
    const periods = 26_000
    const noise = Array.from({ length: periods }, (_, i) => Math.sin(i * 12.9898) * 0.01)
    const dates = madeResult(noise).equity_dates
    const curve = madeResult(noise).equity_curve
    const rest = { sharpe: 1, sharpe_per_period: 0.1, volatility: 0.1, hit_rate: 0.5, return_annual: 0.1 }
    const market = { ...full.costs.markets[0], source: 'A rule of the exchange. '.repeat(20) }
    const years = Array.from({ length: 100 }, (_, i) => 1924 + i)
    const bucket = { mean_return: 0.0001, standard_error: 0.00005, n_periods: 250 }
    const large = madeSweep(noise, {
      ...everything,
      curves: {
        dates,
        gross: curve,
        universe: curve,
        unseen: { dates, curve, n_periods: periods, ...rest, cagr: 0.1, max_drawdown: -0.1 },
      },
      performance: {
        compared: [],
        legs: [
          { leg: 'long', ...rest, returns: noise },
          { leg: 'short', ...rest, returns: noise },
        ],
        markets: [],
        drawdowns: [],
        turnover: noise,
        exposure_long: noise,
        exposure_short: noise,
        rolling_window: 252,
        rolling_sharpe: noise,
        rolling_volatility: noise,
      },
      quantile_returns: Array.from({ length: 10 }, (_, i) => ({
        bucket: i + 1,
        ...bucket,
        years: years.map(year => ({ year, ...bucket })),
      })),
      monthly: years.map(year => ({ year, months: new Array<number>(12).fill(0.0123), total: 0.1 })),
      positions: Array.from({ length: 5_000 }, (_, i) => ({
        asset: `${i}`.padStart(64, 'A'),
        market: 'US',
        weight: 0.01,
      })),
      trials: Array.from({ length: 1_000 }, (_, i) => ({
        ...(full.trials ?? [])[0],
        label: `long_short q${(Math.floor(i / 20) + 1) / 100} equal h${(i % 20) + 1}`,
      })),
      folds: Array.from({ length: 50 }, (_, i) => ({
        ...full.folds[0],
        fold: i + 1,
        test_start: dates[i * 500],
      })),
      costs: { ...full.costs, markets: new Array(1_000).fill(market) },
    })
    expect(Buffer.byteLength(tearSheet(large, 'x'))).toBeLessThan(1_000_000)
  })

  test('odd curves have no coordinate that is not a number', () => {
    const odd = [
      madeResult([0]),
      madeResult([]),
      madeResult([-1.5]),
      madeResult([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
      madeResult(net, { equity_curve: madeResult(net).equity_curve.map((v, i) => (i % 7 === 3 ? null : v)) }),
      madeResult(net, { quantiles: [{ bucket: 1, mean_return: null, n_periods: 0 }], positions: [] }),
    ]
    for (const result of odd) expect(tearSheet(result, 'x')).not.toMatch(/NaN|Infinity|undefined|\bnull\b/)
  })
})
