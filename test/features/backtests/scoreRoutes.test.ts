import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { Value } from '@sinclair/typebox/value'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { callers, sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'

let server: RealServer
let quant: string
beforeAll(async () => {
  server = await realServer()
  quant = await sellKey(server.sql, { quant: true })
}, 180_000)
afterAll(() => server.stop(), 60_000)

const source = { market: 'US', horizon: '1d', score: 'roe' }

async function post(body: unknown, key = quant, query = '') {
  const response = await fetch(`${server.url}/api/v1/backtest${query}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
  })
  return response
}

async function run(body: unknown, key = quant) {
  const response = await post(body, key)
  const answer = await response.json()
  return { status: response.status, answer }
}

/** The archive's rows of the horizon, as the shipped file states them. */
const archive = gunzipSync(await Bun.file(new URL('../../../sample/signals.csv.gz', import.meta.url)).bytes())
  .toString('utf8')
  .trimEnd()
  .split(/\r?\n/)
  .slice(1)
  .map(line => line.split(','))
  .filter(([, , market, horizon]) => market === 'US' && horizon === '1d')
  .map(([date, ticker, , , , actual]) => ({ date, ticker, actual: Number(actual) }))

// Alphabet's first annual report was filed on 2016-02-11; Apple's were filed before the archive begins, each within 550
// days of the end of the year before it.
const ranked = archive.filter(
  ({ date, ticker }) => ticker === 'AAPL' || (ticker === 'GOOG' && date > '2016-02-11'),
)

describe('a backtest by a figure', () => {
  test('ranks who has one, counts who has none, and says what the score is', async () => {
    const { answer } = await run({ source, config: { quantile: 0.5 }, include: ['positions', 'ic'] })
    expect([...Value.Errors(BacktestResult, answer)]).toEqual([])
    expect(answer.n_rows).toBe(ranked.length)
    expect(answer.dropped.rows_without_score).toBe(archive.length - ranked.length)
    expect(answer.score).toEqual({
      metric: 'roe',
      definition: 'net_income / equity at the end of the year. Full years only.',
      unit: 'pure',
      market: 'US',
      fiscal_period: 'FY',
      known: 'filed before the date',
      max_age_days: 550,
      // The names of the sample's archive. Of 44 the sample has filings, of 42 of them none after April 2010: too old by the
      // archive's first day, 2012-11-01.
      n_names: 88,
      n_assets: 2,
      attribution: expect.stringContaining('SEC'),
    })
    // Fiscal 2016: Apple 45,687 / 128,249, Alphabet 19,478 / 139,036.
    expect(answer.positions).toEqual([
      { asset: 'AAPL', market: 'US', weight: 0.5 },
      { asset: 'GOOG', market: 'US', weight: -0.5 },
    ])
  })

  // Two ranked names a day: half long Apple, half short Alphabet, from the day after Alphabet's report.
  test('earns what the archive’s outcomes say, from the day after a report on', async () => {
    const config = { quantile: 0.5, costBps: 0, borrowBps: 0 }
    const { answer } = await run({ source: { ...source, from: '2016-02-08' }, config })
    const days = [...new Set(archive.map(({ date }) => date))].filter(date => date >= '2016-02-08')
    const earned = new Map(archive.map(({ date, ticker, actual }) => [`${date} ${ticker}`, actual]))
    let equity = 1
    nonEmpty(days).forEach((date, i) => {
      if (date > '2016-02-11')
        equity *= 1 + ((earned.get(`${date} AAPL`) ?? 0) - (earned.get(`${date} GOOG`) ?? 0)) / 2
      expect(answer.equity_curve[i + 1]).toBeCloseTo(equity, 10)
    })
  })

  test('sweeps, and the winner is its single backtest', async () => {
    const sweep = { quantile: [0.1, 0.5], holdDays: [1, 5] }
    const { answer } = await run({ source, sweep })
    expect([...Value.Errors(BacktestResult, answer)]).toEqual([])
    expect(answer.trials.length).toBe(4)
    expect(answer.score.metric).toBe('roe')
    const { holdDays, quantile } = answer.best.config
    const single = await run({ source, config: { holdDays, quantile } })
    expect(single.answer.metrics).toEqual(answer.best.metrics)
  })

  test('says on its page what the score is', async () => {
    for (const sweep of [false, true]) {
      const page = await (await post({ source, sweep }, quant, '?format=html')).text()
      expect(page).toContain('<h1>The archive of US by roe, data version')
      expect(page).toContain(
        'The score is roe: each company&#39;s latest full fiscal year, as filed before the date',
      )
      expect(page).toContain('550 days')
    }
  })

  test('leaves the backtest by forecasts as it was', async () => {
    const forecasts = { market: 'US', horizon: '1d' }
    const before = await run({ source: forecasts })
    await run({ source: { ...source, score: 'assets' } })
    const after = await run({ source: forecasts })
    expect(after.answer).toEqual(before.answer)
    expect(after.answer.score).toBeUndefined()
  })

  test('is made anew where the figures changed', async () => {
    const { answer: before } = await run({ source: { ...source, score: 'cash' } })
    await server.sql`update data_version set version = version + 1`
    await server.sql`select pg_notify('asfiled_data', (select version::text from data_version))`
    for (let tries = 0; tries < 100 && server.resources.dataVersion() === before.data_version; tries++)
      await Bun.sleep(50)
    const { answer: after } = await run({ source: { ...source, score: 'cash' } })
    expect(after.data_version).toBe(before.data_version + 1)
    expect(after.request).toEqual({ ...before.request, data_version: after.data_version })
    expect({ ...after, data_version: 0, request: null }).toEqual({
      ...before,
      data_version: 0,
      request: null,
    })
  }, 20_000)
})

describe('what is no score', () => {
  const refused: [string, object, string, string, string][] = [
    [
      'an unknown metric',
      { ...source, score: 'ro' },
      'parameter_invalid',
      'source.score',
      'Did you mean roa, roe?',
    ],
    [
      'no name',
      { ...source, score: 'ROE; drop table fact' },
      'parameter_invalid',
      'source.score',
      'the name of a metric, in lower case',
    ],
    [
      'part of a year',
      { ...source, score: 'revenue_ytd' },
      'parameter_invalid',
      'source.score',
      'send revenue',
    ],
    ['all markets', { score: 'roe' }, 'parameter_invalid', 'source.market', 'Send source.market'],
    ['no market', { ...source, market: 'XX' }, 'parameter_invalid', 'source.market', 'US'],
    ['an age without score', { maxAgeDays: 5 }, 'parameter_invalid', 'source.maxAgeDays', 'source.score'],
    ['no age', { ...source, maxAgeDays: 0 }, 'parameter_invalid', 'source.maxAgeDays', 'from 1 to 3660'],
    ['a market without rows', { ...source, market: 'TW' }, 'backtest_impossible', 'source.market', 'US'],
  ]
  test.each(refused)('%s', async (_, sent, code, param, hint) => {
    const { answer } = await run({ source: sent })
    expect([answer.error.code, answer.error.param]).toEqual([code, param])
    expect(answer.error.message).toContain(hint)
  })

  test('a metric that no company has on file, stated as such', async () => {
    await server.sql`delete from fact where metric_id = (select metric_id from metric where name = 'current_ratio')`
    const { answer } = await run({ source: { ...source, score: 'current_ratio' } })
    expect([answer.error.code, answer.error.param]).toEqual(['backtest_impossible', 'source.score'])
  })
})

describe('who may rank by a figure', () => {
  test('with the quant plan, who may ask for as_of of every company', async () => {
    const sold = await callers(server.sql)
    expect((await run({ source }, sold.personal?.slice(7))).answer.error.code).toBe('quant_required')
    for (const licence of ['personal', 'commercial', 'redistribution', 'oem'] as const) {
      const key = await sellKey(server.sql, { licence, quant: true })
      expect((await run({ source }, key)).status).toBe(200)
    }
    const free = await sellKey(server.sql, { licence: 'free', quant: true })
    const { status, answer } = await run({ source }, free)
    expect([status, answer.error.code, answer.error.param]).toEqual([403, 'licence_required', 'source.score'])
    expect((await run({ source: { market: 'US' } }, free)).status).toBe(200)
  })

  test('with an evaluation key every company that could be ranked counts, before a figure is read', async () => {
    const key = await sellKey(server.sql, { licence: 'evaluation', quant: false, expires: '2099-01-01' })
    const prefix = key.slice(0, 17)
    const seen = async () => {
      const rows = await server.sql`
        select e.ticker from key_entity join entity e using (entity_id) join api_key k using (key_id)
        where k.prefix = ${prefix} order by 1`
      return rows.map(({ ticker }) => ticker)
    }
    const raiseCap = (cap: number) =>
      server.sql`
        update key_grant set entity_cap = ${cap}, quant = true
        where key_id = (select key_id from api_key where prefix = ${prefix})`
    // The shipped archive has 50 companies of the market. Two of them have a roe, and none this metric: the refusal tells neither.
    await raiseCap(49)
    const refusals = []
    for (const score of ['roe', 'assets', 'research_and_development']) {
      const { status, answer } = await run({ source: { ...source, score } }, key)
      refusals.push([status, answer.error.code, answer.error.message])
    }
    expect(new Set(refusals.map(refusal => JSON.stringify(refusal))).size).toBe(1)
    expect(refusals[0].slice(0, 2)).toEqual([403, 'entity_cap_reached'])
    expect(refusals[0][2]).toContain('the 50 companies of market US in the archive')
    expect(await seen()).toEqual([])
    await raiseCap(50)
    for (const score of ['roe', 'assets']) {
      expect((await run({ source: { ...source, score } }, key)).status).toBe(200)
      const counted = await seen()
      expect(counted.length).toBe(50)
      expect(counted).toContain('AAPL')
    }
  })
})
