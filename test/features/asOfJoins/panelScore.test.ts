import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { addDays } from '../../../src/dates.ts'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'

setDefaultTimeout(60_000)

let server: RealServer
let quant: string
beforeAll(async () => {
  server = await realServer()
  quant = await sellKey(server.sql, { quant: true })
})
afterAll(() => server.stop())

/** Companies of the shipped sample, weekly around the restatement of Apple's fiscal 2009. */
const tickers = ['AAPL', 'MSFT', 'INTC', 'IBM', 'GE', 'NOSUCH']
const dates = Array.from({ length: 24 }, (_, i) => addDays('2009-10-14', 7 * i))
const rows = dates.flatMap((date, t) =>
  tickers.map((asset, i) => ({ date, asset, forward_return: Math.cos(78.233 * i + 2.3 * t) / 40 })),
)

async function post(route: string, body: unknown, query = '', type = 'application/json', key = quant) {
  return fetch(`${server.url}/api/v1/${route}${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function ok(route: string, body: unknown, query = '', type?: string) {
  const response = await post(route, body, query, type)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

const config = { quantile: 0.4, holdDays: 5, returnDays: 5 }
const include = ['ic', 'positions']

/** The same backtest with the answer of the join as the scores. */
async function byHand(more: object = {}) {
  const joined = await ok('as-of', {
    rows: { date: rows.map(row => row.date), ticker: rows.map(row => row.asset) },
    ...{ metrics: ['roe'], max_age_days: 550 },
    ...more,
  })
  const panel = rows.map((row, i) => ({ ...row, score: joined.columns.roe[i] }))
  return { panel, version: joined.data_version }
}

const withoutEcho = ({ score: _, request: __, data_version: ___, ...result }: Record<string, unknown>) =>
  result

describe('a panel whose score is a metric', () => {
  test('is the panel with the scores of the join, to the bit, as JSON rows, columns, CSV, NDJSON, and stored', async () => {
    const { panel, version } = await byHand()
    expect(panel.some(row => typeof row.score === 'number')).toBe(true)
    const expected = withoutEcho(await ok('backtest', { config, include, panel }))
    const score = { asOf: 'roe' }
    const given = await ok('backtest', { score, config, include, panel: rows })
    expect([...Value.Errors(BacktestResult, given)]).toEqual([])
    expect(withoutEcho(given)).toEqual(expected)
    expect(given.score).toMatchObject({
      metric: 'roe',
      unit: 'pure',
      market: 'US',
      fiscal_period: 'FY',
      known: 'filed before the date',
      max_age_days: 550,
      n_names: tickers.length,
    })
    expect([given.data_version, given.request.score]).toEqual([version, score])
    const columns = Object.fromEntries(
      (['date', 'asset', 'forward_return'] as const).map(name => [name, rows.map(row => row[name])]),
    )
    expect(withoutEcho(await ok('backtest', { panel: columns, score, config, include }))).toEqual(expected)
    const lines = rows.map(row => `${row.date},${row.asset},${row.forward_return}`)
    const query = new URLSearchParams({
      score: JSON.stringify(score),
      config: JSON.stringify(config),
      include: include.join(),
    })
    const csv = `date,asset,forward_return\n${lines.join('\n')}\n`
    expect(withoutEcho(await ok('backtest', csv, `?${query}`, 'text/csv'))).toEqual(expected)
    const ndjson = [{ score, config, include }, ...rows].map(line => JSON.stringify(line)).join('\n')
    expect(withoutEcho(await ok('backtest', ndjson, '', 'application/x-ndjson'))).toEqual(expected)
    const stored = await ok('panels', { panel: rows.map(row => ({ ...row, score: 1 })) })
    const again = await ok('backtest', { panel: stored.id, score, config, include })
    expect(withoutEcho(again)).toEqual(expected)
    // What it says of itself gives it again.
    expect(await ok('backtest', again.request)).toEqual(again)
  })

  test('sweeps with the same numbers', async () => {
    const { panel } = await byHand({ fp: 'TTM', max_age_days: 400 })
    const score = { asOf: 'roe', fp: 'TTM', max_age_days: 400 }
    const sweep = { quantile: [0.2, 0.4], holdDays: [5, 10] }
    const expected = await ok('backtest', { panel, config, sweep })
    const swept = await ok('backtest', { panel: rows, score, config, sweep })
    expect(swept.trials).toEqual(expected.trials)
    expect(swept.score.fiscal_period).toBe('TTM')
  })

  test('without the setting, rows without a score are refused as before', async () => {
    const refused = await post('backtest', { config, panel: rows })
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, 'panel[0].score'])
    const csv = await post('backtest', 'date,asset,forward_return\n2020-01-01,A,0\n', '', 'text/csv')
    expect((await csv.json()).error.message).toContain('The header (line 1) does not have score.')
    const panels = await post('panels', { panel: rows })
    expect(panels.status).toBe(400)
  })

  test('is refused where it means nothing: no panel, no metric, no company, a later date, money of several currencies', async () => {
    const score = { asOf: 'roe' }
    const codes = async (body: object) => {
      const response = await post('backtest', body)
      const { error } = await response.json()
      return [response.status, error.code, error.param]
    }
    expect(await codes({ score })).toEqual([400, 'parameter_invalid', 'score'])
    expect(await codes({ score: { asOf: 'ro' }, panel: rows })).toEqual([
      400,
      'parameter_invalid',
      'score.asOf',
    ])
    const strangers = rows.map(row => ({ ...row, asset: `X-${row.asset}` }))
    expect(await codes({ score, panel: strangers })).toEqual([422, 'backtest_impossible', 'score.asOf'])
    const late = [...rows, { ...rows[0], date: '2026-07-03' }]
    expect(await codes({ score, panel: late })).toEqual([400, 'parameter_invalid', 'panel'])
  })

  test('requires a licence with as_of, and counts every company of the rows', async () => {
    const free = await sellKey(server.sql, { licence: 'free', quant: true })
    const body = { score: { asOf: 'roe' }, config, panel: rows }
    const refused = await post('backtest', body, '', undefined, free)
    expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'licence_required'])
    const evaluation = await sellKey(server.sql, {
      licence: 'evaluation',
      quant: true,
      expires: '2099-01-01',
    })
    expect((await post('backtest', body, '', undefined, evaluation)).status).toBe(200)
    const [{ seen }] = await server.sql<{ seen: number }[]>`
      select count(*)::int as seen from key_entity where key_id = (select max(key_id) from api_key)`
    const [{ known }] = await server.sql<{ known: number }[]>`
      select count(*)::int as known from entity_ticker where ticker = any(${tickers})`
    expect(seen).toBe(known)
  })
})
