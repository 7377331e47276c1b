import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { addDays } from '../../../src/dates.ts'
import { importSymbols } from '../../../src/ingest/symbols/importSymbols.ts'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'

setDefaultTimeout(180_000)

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
    metrics: ['roe'],
    max_age_days: 550,
    ...more,
  })
  const panel = rows.map((row, i) => ({ ...row, score: joined.columns.roe[i] }))
  return { panel, version: joined.data_version }
}

let reads = 0
let reader = ''

async function get(query: Record<string, string>) {
  // A key may send 300 requests a minute.
  if (reads++ % 250 === 0) reader = await sellKey(server.sql)
  return fetch(`${server.url}/api/v1/fundamentals?${new URLSearchParams(query)}`, {
    headers: { Authorization: `Bearer ${reader}` },
  })
}

/** The point of the day's session, or the last close before a day without one, as far as the service knows sessions. */
async function lastSession(date: string, point: string): Promise<string> {
  for (let day = date; day > addDays(date, -9); day = addDays(day, -1)) {
    const at = `${day}@${day === date ? point : 'close'}`
    if ((await get({ ticker: 'AAPL', metric: 'roe', as_of: at })).ok) return at
  }
  throw new Error(`No session around ${date}.`)
}

/** What the fundamentals route says was known of a company's latest year on a day. */
async function roeAt(ticker: string, as_of: string, date: string): Promise<number | null> {
  const response = await get({ ticker, metric: 'roe', fp: 'FY', view: 'latest', as_of })
  if (!response.ok) return null
  const [row] = (await response.json()).data
  if (row === undefined || addDays(row.end, 550) < date) return null
  return row.v
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

  test('a line break in an ID gives no other name the figures of its neighbour', async () => {
    const score = { asOf: 'roe' }
    const named = (id: string) => rows.map(row => (row.asset === 'NOSUCH' ? { ...row, asset: id } : row))
    const plain = withoutEcho(await ok('backtest', { score, config, panel: named('A') }))
    expect(withoutEcho(await ok('backtest', { score, config, panel: named('A\nGE') }))).toEqual(plain)
  })

  test('with groups and a universe equals the panel with the groups and states of the join, and legs are formed within groups', async () => {
    // Half of the dates are more than 18 months after the last report on record of most of these companies.
    const later = [...dates.slice(0, 12), ...dates.slice(0, 12).map(date => addDays(date, 700))]
    const names = ['AAPL', 'MSFT', 'INTC', 'IBM', 'GE', 'PFE', 'ABT', 'CAT', 'AA', 'NOSUCH']
    const panel = later.flatMap((date, t) =>
      names.map((asset, i) => ({ date, asset, forward_return: Math.cos(78.233 * i + 2.3 * t) / 40 })),
    )
    const rowsOf = { date: panel.map(row => row.date), ticker: panel.map(row => row.asset) }
    const settings = { max_age_days: 3_000, group: 'sicDivision', universe: 'reporting' }
    const { columns } = await ok('as-of', { rows: rowsOf, metrics: ['roe'], ...settings })
    expect(new Set(columns.group).size).toBeGreaterThan(2)
    expect(new Set(columns.state).size).toBeGreaterThan(2)
    const byHand = panel.map((row, i) => ({
      ...row,
      score: columns.roe[i],
      ...(columns.group[i] === null ? {} : { market: `X${columns.group[i]}` }),
    }))
    const fixed = { quantile: 0.4, holdDays: 5, returnDays: 5, costBps: 10 }
    const expected = await ok('backtest', { panel: byHand, config: { ...fixed, neutral: 'market' } })
    const score = { asOf: 'roe', ...settings }
    const given = await ok('backtest', { panel, score, config: { ...fixed, neutral: 'group' } })
    expect([...Value.Errors(BacktestResult, given)]).toEqual([])
    expect([given.config.neutral, given.score.group, given.score.universe]).toEqual([
      'group',
      'sicDivision',
      'reporting',
    ])
    expect(given.equity_curve).toEqual(expected.equity_curve)
    expect(given.metrics).toEqual(expected.metrics)
    // Without neutral the groups only select names.
    const chosen = byHand.map(({ market: _, ...row }, i) => ({
      ...row,
      score: columns.group[i] === 'D' ? row.score : null,
    }))
    const some = await ok('backtest', { panel, score: { ...score, group: 'sicDivision:D' }, config: fixed })
    expect(some.equity_curve).toEqual((await ok('backtest', { panel: chosen, config: fixed })).equity_curve)
    const refused = await post('backtest', { panel: byHand, config: { ...fixed, neutral: 'group' } })
    expect([refused.status, (await refused.json()).error.param]).toEqual([422, 'config.neutral'])
    const unknown = await post('backtest', { panel, score: { asOf: 'roe', group: 'gics' }, config: fixed })
    expect([unknown.status, (await unknown.json()).error.param]).toEqual([400, 'score.group'])
  })

  test('groups and states alone choose among scores of the caller, as the join says, and neutralise them', async () => {
    const later = [...dates.slice(0, 12), ...dates.slice(0, 12).map(date => addDays(date, 700))]
    const names = ['AAPL', 'MSFT', 'INTC', 'IBM', 'GE', 'PFE', 'ABT', 'CAT', 'AA', 'NOSUCH']
    const panel = later.flatMap((date, t) =>
      names.map((asset, i) => ({
        date,
        asset,
        forward_return: Math.cos(78.233 * i + 2.3 * t) / 40,
        score: Math.sin(i * 3.1 + t),
        mine: Math.cos(i * 1.7 + t),
        dollar_volume: 1e6 * (1 + ((i * 7 + t) % 11)),
      })),
    )
    const { columns } = await ok('as-of', {
      rows: { date: panel.map(row => row.date), ticker: panel.map(row => row.asset) },
      metrics: ['roe'],
      group: 'sicDivision',
      universe: 'reporting',
    })
    const grouped = (isScored: (row: number) => boolean = () => true) =>
      panel.map(({ score, mine, ...row }, i) => ({
        ...row,
        score: isScored(i) ? score : null,
        mine: isScored(i) ? mine : null,
        ...(columns.group[i] === null ? {} : { group: columns.group[i] }),
      }))
    const isReporting = (row: number) => columns.state[row] === 'reporting'
    const isManufacturer = (row: number) => columns.group[row] === 'D'
    expect(panel.filter((_, row) => !isReporting(row)).length).toBeGreaterThan(20)
    const ofAll = { quantile: 0.4, holdDays: 5, returnDays: 5, costBps: 10 }
    const settings = [
      { ...ofAll, rankBy: { columns: ['mine'] } },
      { ...ofAll, rankBy: { columns: ['score', 'mine'], combine: 'ic_weighted' }, neutral: 'group' },
      { ...ofAll, rankBy: { columns: ['mine'] }, neutralise: { demean: ['group'] } },
    ]
    for (const config of settings)
      for (const [score, rows] of [
        [{ group: 'sicDivision' }, grouped()],
        [{ group: 'sicDivision', universe: 'reporting' }, grouped(isReporting)],
        [{ group: 'sicDivision:D' }, grouped(isManufacturer)],
      ] as const) {
        const expected = await ok('backtest', { panel: rows, config, include: ['positions', 'by_group'] })
        const given = await ok('backtest', { panel, score, config, include: ['positions', 'by_group'] })
        expect([...Value.Errors(BacktestResult, given)]).toEqual([])
        expect(withoutEcho(given)).toEqual(withoutEcho(expected))
        expect(given.score).toMatchObject({ ...score, market: 'US', n_names: names.length })
        expect(given.score.metric).toBeUndefined()
      }
    const byVolume = { ...ofAll, rankBy: { columns: ['dollar_volume', 'mine'], combine: 'rank_average' } }
    const volumes = grouped(isReporting).map((row, i) => ({
      ...row,
      size: isReporting(i) ? row.dollar_volume : null,
    }))
    const bySize = { ...byVolume, rankBy: { ...byVolume.rankBy, columns: ['size', 'mine'] } }
    const chosen = await ok('backtest', { panel, score: { universe: 'reporting' }, config: byVolume })
    expect(chosen.equity_curve).toEqual(
      (await ok('backtest', { panel: volumes, config: bySize })).equity_curve,
    )
    // Several scores, each neutral of the groups, as trials; and a batch of stored rows.
    const scores = ['score', 'mine']
    const neutral = { ...ofAll, neutralise: { demean: ['group'] } }
    const swept = await ok('backtest', { panel, score: { group: 'sicDivision' }, scores, config: neutral })
    expect(withoutEcho(swept)).toEqual(
      withoutEcho(await ok('backtest', { panel: grouped(), scores, config: neutral })),
    )
    const stored = await ok('panels', { panel: panel.map(({ mine: _, ...row }) => row) })
    const request = {
      panel: stored.id,
      score: { group: 'sicDivision' },
      config: { ...neutral, neutral: 'group' },
    }
    const alone = await ok('backtest', request)
    expect(await ok('backtest', alone.request)).toEqual(alone)
    const text = await (await post('backtests/batch', { items: [request] })).text()
    expect({ ...JSON.parse(text.split('\n')[0]).result, verdict: alone.verdict }).toEqual(alone)
    const page = await post('backtest', { ...request, include: [] }, '?format=html')
    expect(await page.text()).toContain('Groups are sicDivision, from the SIC codes')
  })

  test('groups alone are refused without scores, for a comparison, and with what only figures have', async () => {
    const scored = rows.map(row => ({ ...row, score: 1 }))
    const free = await sellKey(server.sql, { licence: 'free', quant: true })
    for (const [body, param, key] of [
      [{ panel: rows, score: { group: 'ff49' } }, 'panel[0].score', quant],
      [{ panel: scored, score: {} }, 'score', quant],
      [{ panel: scored, score: { group: 'ff49', at: 'close' } }, 'score.at', quant],
      [{ panel: scored, score: { universe: 'reporting', fp: 'TTM' } }, 'score.fp', quant],
      [{ panel: scored, score: { group: 'ff49' }, compare: ['as_known', 'final'] }, 'compare', quant],
      [{ panel: scored, score: { group: 'gics' } }, 'score.group', quant],
      [{ panel: scored, score: { group: 'ff49' } }, 'score.group', free],
      [
        { panel: scored.map(row => ({ ...row, asset: `X-${row.asset}` })), score: { universe: 'reporting' } },
        'score.universe',
        quant,
      ],
    ] as const) {
      const response = await post('backtest', { config, ...body }, '', undefined, key)
      const { error } = await response.json()
      expect([response.status < 500, error?.param]).toEqual([true, param])
    }
    const evaluation = await sellKey(server.sql, {
      licence: 'evaluation',
      quant: true,
      expires: '2099-01-01',
    })
    await ok('backtest', { panel: scored, score: { group: 'ff49' }, config })
    const body = { panel: scored, score: { group: 'ff49' }, config }
    expect((await post('backtest', body, '', undefined, evaluation)).status).toBe(200)
    const [{ seen }] = await server.sql<{ seen: number }[]>`
      select count(*)::int as seen from key_entity where key_id = (select max(key_id) from api_key)`
    expect(seen).toBeGreaterThan(3)
  })

  test.each(['open', 'close'] as const)('at the %s is the panel with what was public then', async point => {
    const early = await server.sql<{ ticker: string }[]>`
      select t.ticker from filing l join entity_ticker t on t.entity_id = l.entity_id
      where l.form = '10-K' and l.filed between '2010-02-01' and '2010-03-31'
        and (l.accepted_at at time zone 'America/New_York')::time < '09:30'
        and (l.accepted_at at time zone 'America/New_York')::date = l.filed
      order by l.accession limit 2`
    const names = [...tickers, ...early.map(({ ticker }) => ticker)]
    expect(names).toHaveLength(8)
    const filed = await server.sql<{ day: string }[]>`
      select distinct l.filed::text as day from filing l join entity_ticker t on t.entity_id = l.entity_id
      where t.ticker = any(${names}) and l.filed between '2009-10-14' and '2010-04-01'`
    // Christmas 2009 was a Friday, and the session of the 24th ended at 13:00.
    const days = ['2009-12-24', '2009-12-25', '2009-12-26', ...dates, ...filed.map(({ day }) => day)]
    const panel = [...new Set(days)]
      .sort()
      .flatMap((date, t) =>
        names.map((asset, i) => ({ date, asset, forward_return: Math.cos(78.233 * i + 2.3 * t) / 40 })),
      )
    const instants = new Map<string, string>()
    for (const { date } of panel) if (!instants.has(date)) instants.set(date, await lastSession(date, point))
    expect(instants.get('2009-12-26')).toBe('2009-12-24@close')
    const byHand: { asset: string; score: number | null }[] = []
    let atOnce = 0
    for (const row of panel) {
      const known = await roeAt(row.asset, instants.get(row.date) ?? '', row.date)
      byHand.push({ ...row, score: known })
      if (known !== (await roeAt(row.asset, addDays(row.date, -1), row.date))) atOnce++
    }
    expect(atOnce).toBeGreaterThan(0)
    const settings = { config: { ...config, holdDays: 1, returnDays: 1 }, include }
    const expected = withoutEcho(await ok('backtest', { ...settings, panel: byHand }))
    const given = await ok('backtest', { ...settings, panel, score: { asOf: 'roe', at: point } })
    expect([...Value.Errors(BacktestResult, given)]).toEqual([])
    expect(withoutEcho(given)).toEqual(expected)
    const scored = new Set(byHand.filter(({ score }) => score !== null).map(({ asset }) => asset))
    expect([given.score.known, given.score.n_assets]).toEqual([`public by the ${point}`, scored.size])
    expect(given.request.score).toEqual({ asOf: 'roe', at: point })
  })

  test('at a point of a session refuses other points, days to come and days before all known sessions', async () => {
    const answers = []
    for (const [at, date] of [
      ['noon', '2010-02-01'],
      ['close', addDays(new Date().toISOString().slice(0, 10), 1)],
      ['close', '1950-01-02'],
    ]) {
      const panel = rows.map(row => ({ ...row, date: row.date === dates[0] ? date : row.date }))
      const response = await post('backtest', { panel, score: { asOf: 'roe', at }, config })
      answers.push([response.status, (await response.json()).error.param])
    }
    expect(answers).toEqual([
      [400, 'score.at'],
      [400, 'panel'],
      [400, 'score.at'],
    ])
  })

  // sub.txt of 2009q3 and 2010q1: SIC codes 3571 and 3570 are computers in French's 49 industries, and those of the others are not.
  test('counts the names that have a score within the groups and states that it chooses', async () => {
    const names = ['AAPL', 'MSFT', 'INTC', 'IBM', 'GE', 'PFE', 'ABT', 'CAT']
    const panel = dates.flatMap((date, t) =>
      names.map((asset, i) => ({ date, asset, forward_return: Math.cos(78.233 * i + 2.3 * t) / 40 })),
    )
    const score = { asOf: 'roe', max_age_days: 3_000, universe: 'reporting' }
    const all = await ok('backtest', { panel, score, config })
    const some = await ok('backtest', { panel, score: { ...score, group: 'ff49:Hardw' }, config })
    expect(some.score.n_assets).toBe(2)
    expect(all.score.n_assets).toBeGreaterThan(5)
    const none = await post('backtest', { panel, score: { ...score, universe: 'delisted' }, config })
    expect([none.status, (await none.json()).error.message]).toEqual([
      422,
      expect.stringContaining('on a date on which it is in the group and the state that score chooses'),
    ])
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

  test('in a batch has the bytes of single requests, of rows in the body and of stored rows, each item by its own metric', async () => {
    const configs = [config, { ...config, quantile: 0.2 }, { ...config, neutralise: { demean: ['group'] } }]
    const score = { asOf: 'roe', group: 'sicDivision' }
    const stored = await ok('panels', { panel: rows.map(row => ({ ...row, score: 1 })) })
    const items = [
      { panel: stored.id, score, config },
      { panel: stored.id, score: { asOf: 'net_margin', fp: 'TTM', max_age_days: 400 }, config },
      { panel: stored.id, config: { ...config, weighting: 'rank' } },
      { panel: stored.id, score: { asOf: 'roe', at: 'close' }, config, include },
    ]
    const factors = {
      date: dates,
      returns: { up: dates.map((_, t) => Math.sin(t * 12.9898) / 50) },
    }
    for (const body of [
      { panel: rows, score, configs, include },
      { panel: stored.id, score, configs, factors },
      { items },
    ]) {
      const lines = (await (await post('backtests/batch', body)).text()).trim().split('\n')
      const results = lines.map(line => JSON.parse(line)).filter(({ object }) => object === 'batch_result')
      const alone =
        'items' in body ? items : configs.map(one => ({ ...body, configs: undefined, config: one }))
      expect(results).toHaveLength(alone.length)
      for (const { index, result, verdict } of results) {
        const expected = await ok('backtest', alone[index])
        // The verdicts count the batch.
        const residual = expected.factors?.residual
        for (const name of ['trials', 'dsr', 'dsr_serial', 'verdict'])
          if (residual !== undefined) residual[name] = result.factors.residual[name]
        expect(JSON.stringify({ ...result, verdict: 0 })).toBe(JSON.stringify({ ...expected, verdict: 0 }))
        expect(result.verdict).toEqual(verdict)
      }
    }
  })

  test('in a batch is refused where it means nothing, and whoever may not see figures gets none', async () => {
    const free = await sellKey(server.sql, { licence: 'free', quant: true })
    const score = { asOf: 'roe' }
    const { id } = await ok('panels', { panel: rows.map(row => ({ ...row, score: 1 })) })
    const ways = Array.from({ length: 9 }, (_, i) => ({
      panel: id,
      score: { ...score, max_age_days: 500 + i },
    }))
    const lengths = ways.map((_, i) => ({ quantile: 0.4, returnDays: i + 1 }))
    for (const [body, param, key] of [
      [{ configs: [config], score }, 'score', quant],
      [{ items: [{ config, score }] }, 'items[0].score', quant],
      [{ items: [{ panel: id, config, score: { asOf: 'roe', on: 1 } }] }, 'items[0].score.on', quant],
      [{ items: ways }, 'items[8].score', quant],
      [{ configs: lengths, panel: id, score, prices: { set: 'daily' } }, 'score', quant],
      [{ items: [{ panel: id, config }], score }, 'score', quant],
      [{ configs: [config], panel: rows }, 'panel[0].score', quant],
      [{ configs: [config], panel: rows, score }, 'score.asOf', free],
    ] as const) {
      const response = await post('backtests/batch', body, '', undefined, key)
      const { error } = await response.json()
      expect([response.status < 500, error.param]).toEqual([true, param])
    }
    const theirs = await post(
      'panels',
      { panel: rows.map(row => ({ ...row, score: 1 })) },
      '',
      undefined,
      free,
    )
    const body = { items: [{ panel: (await theirs.json()).id, score, config }] }
    const [line] = (await (await post('backtests/batch', body, '', undefined, free)).text()).split('\n')
    expect(JSON.parse(line)).toMatchObject({ object: 'batch_error', error: { code: 'licence_required' } })
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

// Google Inc. (CIK 1288776) states its figures of fiscal 2009 in 10-K 0001193125-10-030774 of 2010-02-12; GOOG is another registrant today.
test('a symbol is the company that had it on the date, as in the join', async () => {
  const googles = rows.map(row => (row.asset === 'NOSUCH' ? { ...row, asset: 'GOOG' } : row))
  const scoresOfGoogle = async () => {
    const joined = await ok('as-of', {
      rows: { date: googles.map(row => row.date), ticker: googles.map(row => row.asset) },
      metrics: ['roe'],
      max_age_days: 550,
    })
    const panel = googles.map((row, i) => ({ ...row, score: joined.columns.roe[i] }))
    const expected = withoutEcho(await ok('backtest', { config, include, panel }))
    const given = await ok('backtest', { score: { asOf: 'roe' }, config, include, panel: googles })
    expect(withoutEcho(given)).toEqual(expected)
    const known = panel.filter(({ asset, score }) => asset === 'GOOG' && score !== null)
    return { dates: known.map(({ date }) => date), n: given.score.n_assets }
  }
  const before = await scoresOfGoogle()
  expect(before.dates).toEqual([])
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-symbols-'))
  try {
    const path = join(folder, 'symbols.csv')
    writeFileSync(path, 'symbol,id,from,to\nGOOG,1288776,2004-08-19,2015-10-02\n')
    const lists = { paths: [path], today: '2026-11-20', replaces: false }
    const { dataVersion } = await importSymbols(server.sql, lists, () => {})
    const one = { rows: { date: ['2010-01-04'], ticker: ['AAPL'] }, metrics: ['roe'] }
    for (let tries = 0; tries < 200 && (await ok('as-of', one)).data_version !== dataVersion; tries++)
      await Bun.sleep(25)
  } finally {
    rmSync(folder, { recursive: true })
  }
  const { dates: known, n } = await scoresOfGoogle()
  expect([known[0], n]).toEqual(['2010-02-17', before.n + 1])
  expect(known).toEqual(dates.filter(date => date > '2010-02-12'))
})
