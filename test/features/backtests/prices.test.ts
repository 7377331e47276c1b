import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { startJobs } from '../../../src/boot/jobs.ts'
import { dayNumber, isoDate, registerFormats } from '../../../src/dates.ts'
import { readJob } from '../../../src/features/backtests/submitted/keyJobs.ts'
import { submitBacktest } from '../../../src/features/backtests/submitted/kind.ts'
import { backtestTasks } from '../../../src/features/backtests/submitted/tasks.ts'
import { importPrices } from '../../../src/features/prices/import/importPrices.ts'
import type { PriceImportOptions } from '../../../src/features/prices/import/priceImport.ts'
import { changeAccess } from '../../../src/features/prices/setQueries.ts'
import { shareReport } from '../../../src/features/sharedReports/share.ts'
import { JobNotifier } from '../../../src/jobs/events.ts'
import { migrateQueue } from '../../../src/jobs/queue.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { explainDatabaseError } from '../../../src/postgres/errors.ts'
import { StorageWatch } from '../../../src/postgres/storage.ts'
import { findPriceSet } from '../../../src/prices/priceQueries.ts'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { insertEntity } from '../companies/fixtures.ts'

setDefaultTimeout(180_000)
registerFormats()

interface Price {
  readonly day: number
  readonly close: number | null
  readonly split: number
  readonly dividend: number
  readonly delisting: number | null
}

const markets = await loadMarkets()
const tradingDays: number[] = []
for (let day = dayNumber('2020-01-01'); tradingDays.length < 150; day++)
  if ((day + 3) % 7 < 5) tradingDays.push(day)
let seed = 7
const random = () => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
  return seed / 4_294_967_296
}

/* Twenty securities: T3 begins late, T4 ends without a word, T5 is delisted with a stated return, T6 pauses for 15 days, and T7 ends 4
   trading days before the last, too early to know whether it goes on. */
const names = Array.from({ length: 20 }, (_, at) => `T${at}`)
const prices = new Map<string, Price[]>()
for (const [at, name] of names.entries()) {
  const rows: Price[] = []
  let close = 20 + at
  for (const [index, day] of tradingDays.entries()) {
    if (at === 3 && index < 40) continue
    if (at === 4 && index > 90) continue
    if (at === 5 && index > 70) continue
    if (at === 6 && index >= 50 && index < 65) continue
    if (at === 7 && index > 145) continue
    const split = index > 0 && random() < 0.01 ? 2 : 1
    close = Math.max(1, Math.round(((close * (0.97 + random() * 0.06)) / split) * 100) / 100)
    const isAbsent = at > 7 && random() < 0.03
    rows.push({
      day,
      close: isAbsent ? null : close,
      split,
      dividend: random() < 0.02 ? 0.25 : 0,
      delisting: at === 5 && index === 70 ? -0.6 : null,
    })
  }
  prices.set(name, rows)
}

const textOf = (list: ReadonlyMap<string, readonly Price[]>) =>
  [
    'date,symbol,close,split_factor,dividend,delisting_return',
    ...[...list].flatMap(([name, rows]) =>
      rows.map(
        ({ day, close, split, dividend, delisting }) =>
          `${isoDate(day)},${name},${close ?? ''},${split},${dividend},${delisting ?? ''}`,
      ),
    ),
    '',
  ].join('\n')

/** One row as a plain loop finds it: the day-by-day growth of a share, with dividends reinvested at the close. */
function reference(name: string, date: number, horizon: number, lag: number, assumed: number) {
  const rows = prices.get(name) ?? []
  const first = tradingDays.findIndex(day => day >= date)
  const entry = first + lag
  const exit = entry + horizon
  if (first === -1 || exit >= tradingDays.length) return { state: 'not_ended' }
  const closeOn = (day: number) => rows.find(row => row.day === day)?.close ?? null
  const seen = tradingDays.filter(day => (lag === 0 ? day < date : day <= date)).slice(-10)
  if (!seen.some(day => closeOn(day) !== null)) return { state: 'not_traded' }
  const start = closeOn(tradingDays[entry])
  if (start === null) return { state: 'no_entry' }
  let shares = 1
  let cash = 0
  let value = start
  let isDelisted = false
  for (const { day, close, split, dividend, delisting } of rows) {
    if (day < tradingDays[entry] || day > tradingDays[exit]) continue
    if (day > tradingDays[entry]) {
      shares *= split
      cash += shares * dividend
      if (close !== null) {
        shares += cash / close
        cash = 0
        value = shares * close
      }
    }
    if (delisting !== null) {
      value = (value + cash) * (1 + delisting)
      cash = 0
      isDelisted = true
    }
  }
  value += cash
  const last = Math.max(...rows.filter(({ close }) => close !== null).map(({ day }) => day))
  const growth = value / start - 1
  if (isDelisted) return { state: 'stated_delistings', value: growth }
  if (last >= tradingDays[exit])
    return { state: closeOn(tradingDays[exit]) === null ? 'carried' : 'closes', value: growth }
  if (tradingDays.filter(day => day > last).length < 10) return { state: 'undecided' }
  return { state: 'assumed_delistings', value: (1 + growth) * (1 + assumed) - 1 }
}

let server: RealServer
let quant: string
let stranger: string

const options = (change: Partial<PriceImportOptions> = {}): PriceImportOptions => ({
  name: 'daily',
  currency: 'USD',
  basis: 'raw',
  known: 'date',
  adjustedOn: null,
  markets,
  now: () => new Date('2026-07-01T12:00:00Z'),
  ...change,
})
const load = (text: string, change: Partial<PriceImportOptions> = {}) =>
  importPrices(server.sql, { name: 'prices.csv', body: new TextEncoder().encode(text) }, options(change))

beforeAll(async () => {
  server = await realServer()
  for (const [at, ticker] of names.entries())
    await insertEntity(server.sql, {
      market: 'US',
      issuerId: String(8_000_000_001 + at),
      ticker,
      name: ticker,
    })
  await load(textOf(prices))
  quant = await sellKey(server.sql, { quant: true })
  stranger = await sellKey(server.sql, { quant: true, licence: 'commercial' })
  const set = await findPriceSet(server.sql, 'daily')
  if (set === null) throw new Error('The set is missing.')
  await changeAccess(server.sql, set, { licences: ['personal'], allowed: [], denied: [] })
})
afterAll(() => server.stop(), 60_000)

async function post(
  body: unknown,
  { key = quant, path = '/api/v1/backtest', type = 'application/json' } = {},
) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: body instanceof ArrayBuffer || typeof body === 'string' ? body : JSON.stringify(body),
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': type },
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    answer:
      text.startsWith('{"object"') || text.startsWith('{"error') ? JSON.parse(text.split('\n')[0]) : null,
  }
}

const scores = new Map<string, number>()
const rows = tradingDays.flatMap(day =>
  names.map(asset => {
    const score = Math.round(random() * 1e6) / 1e6
    scores.set(`${day} ${asset}`, score)
    return { date: isoDate(day), asset, score }
  }),
)
rows.push({ date: isoDate(tradingDays[5]), asset: 'NOSUCH', score: 0.5 })

/** The rows that a backtest should have, with the returns of the plain loop. */
function expected(horizon: number, lag: number, assumed = -0.3) {
  const counts: Record<string, number> = {}
  const kept = rows.flatMap(row => {
    if (row.asset === 'NOSUCH') return []
    const { state, value } = reference(row.asset, dayNumber(row.date), horizon, lag, assumed)
    counts[state] = (counts[state] ?? 0) + 1
    return state === 'not_ended' || state === 'not_traded' ? [] : [{ ...row, forward_return: value ?? null }]
  })
  return { kept, counts }
}

describe('a backtest with the returns of a price set', () => {
  for (const [horizon, entry_lag] of [
    [1, 1],
    [5, 1],
    [3, 0],
    [2, 2],
  ] as const)
    test(`equals rows with the returns of a plain loop: horizon ${horizon}, lag ${entry_lag}`, async () => {
      const { kept, counts } = expected(horizon, entry_lag)
      const own = await post({ panel: kept, config: { returnDays: horizon, quantile: 0.2 } })
      const priced = await post({
        panel: rows,
        config: { quantile: 0.2 },
        prices: { set: 'daily', horizon, entry_lag },
      })
      expect([priced.status, priced.answer.error]).toEqual([200, undefined])
      expect([...Value.Errors(BacktestResult, priced.answer)]).toEqual([])
      const { answer } = priced
      expect(answer.prices.rows).toEqual({
        sent: rows.length,
        used: kept.length,
        with_return: kept.filter(({ forward_return }) => forward_return !== null).length,
        carried: counts.carried ?? 0,
        stated_delistings: counts.stated_delistings ?? 0,
        assumed_delistings: counts.assumed_delistings ?? 0,
        no_entry: counts.no_entry ?? 0,
        undecided: counts.undecided ?? 0,
        not_ended: counts.not_ended ?? 0,
        not_traded: counts.not_traded ?? 0,
        unknown_company: 1,
        no_prices: 0,
        several_securities: 0,
      })
      expect(
        Math.min(counts.carried, counts.stated_delistings, counts.assumed_delistings, counts.no_entry),
      ).toBeGreaterThan(0)
      for (const [at, point] of own.answer.equity_curve.entries())
        expect(answer.equity_curve[at]).toBeCloseTo(point, 10)
      expect(answer.equity_curve.length).toBe(own.answer.equity_curve.length)
      for (const [metric, value] of Object.entries(own.answer.metrics)) {
        if (typeof value === 'number' && metric !== 'oos_sharpe_mean')
          expect(answer.metrics[metric]).toBeCloseTo(value, 8)
      }
      // The assumption and what else it might have been.
      for (const one of answer.prices.sensitivity) {
        const other = await post({
          panel: rows,
          config: { quantile: 0.2 },
          prices: { set: 'daily', horizon, entry_lag, delisting: one.delisting },
        })
        expect([one.sharpe, one.cagr, one.mean_return]).toEqual([
          other.answer.metrics.sharpe,
          other.answer.metrics.cagr,
          other.answer.prices.mean_return,
        ])
      }
      expect(answer.prices.sensitivity.map(({ delisting }: { delisting: number }) => delisting)).toEqual([
        0, -1,
      ])
    })

  test('says what it used, and its request gives the same bytes after later imports', async () => {
    const known = isoDate(tradingDays[120])
    const body = { panel: rows, config: { quantile: 0.2 }, prices: { set: 'daily', known } }
    const first = await post(body)
    const version = await readDataVersion(server.sql)
    expect(first.answer.prices).toMatchObject({
      set: 'daily',
      currency: 'USD',
      basis: 'raw',
      known,
      horizon: 1,
      entry_lag: 1,
    })
    expect([first.answer.data_version, first.answer.prices.data_version]).toEqual([version, version])
    expect(first.answer.request.prices).toEqual({
      set: 'daily',
      horizon: 1,
      entry_lag: 1,
      delisting: -0.3,
      known,
    })
    // Corrections that became known after that day, a close on a holiday, and a new security.
    const holiday = isoDate(tradingDays[4] + 1)
    await load(
      `date,symbol,close,known\n${isoDate(tradingDays[30])},T1,999,${isoDate(tradingDays[121])}\n${holiday},T1,5,${isoDate(tradingDays[125])}\n${holiday},T2,5,${isoDate(tradingDays[125])}\n`,
      { known: null },
    )
    const later = await post(body)
    expect(later.answer.data_version).toBe(version + 1)
    expect([later.answer.equity_curve, later.answer.metrics, later.answer.prices.rows]).toEqual([
      first.answer.equity_curve,
      first.answer.metrics,
      first.answer.prices.rows,
    ])
    // A statement about what was known earlier changes the day's answer, but not that of the data version.
    await load(`date,symbol,close,known\n${isoDate(tradingDays[31])},T1,999,${isoDate(tradingDays[31])}\n`, {
      known: null,
    })
    const changed = await post(body)
    expect(changed.answer.metrics).not.toEqual(first.answer.metrics)
    const again = await post({ ...first.answer.request, panel: rows })
    expect(again.text).toBe(first.text)
  })

  test('every format and door gives the same result', async () => {
    const known = isoDate(tradingDays[120])
    const wanted = { set: 'daily', horizon: 5, known }
    const config = { quantile: 0.2 }
    const json = await post({ panel: rows, config, prices: wanted })
    const query = `?config=${encodeURIComponent(JSON.stringify(config))}&prices=${encodeURIComponent(JSON.stringify(wanted))}`
    const csv = `date,asset,score\n${rows.map(({ date, asset, score }) => `${date},${asset},${score}`).join('\n')}\n`
    const column = (name: 'date' | 'asset' | 'score') => rows.map(row => row[name])
    const columns = { date: column('date'), asset: column('asset'), score: column('score') }
    const parquet = parquetWriteBuffer({
      columnData: [
        { name: 'date', data: columns.date, type: 'STRING' },
        { name: 'asset', data: columns.asset, type: 'STRING' },
        { name: 'score', data: columns.score, type: 'DOUBLE' },
      ],
    })
    const path = `/api/v1/backtest${query}`
    const others = [
      await post({ prices: wanted, config, panel: columns }),
      await post(csv, { path, type: 'text/csv' }),
      await post(parquet, { path, type: 'application/vnd.apache.parquet' }),
      await post(
        [JSON.stringify({ config, prices: wanted }), ...rows.map(row => JSON.stringify(row)), ''].join('\n'),
        {
          type: 'application/x-ndjson',
        },
      ),
    ]
    for (const { status, text } of others) expect([status, text]).toEqual([200, json.text])
    // Stored rows have returns, which the prices replace.
    const stored = await post(
      { panel: rows.map(row => ({ ...row, forward_return: 0.5 })) },
      { path: '/api/v1/panels' },
    )
    const named = await post({ panel: stored.answer.id, config, prices: wanted })
    expect(named.answer.metrics).toEqual(json.answer.metrics)
    // A batch, a sweep and a job.
    const batch = await post(
      { configs: [config, { quantile: 0.3 }], panel: rows, prices: wanted },
      { path: '/api/v1/backtests/batch' },
    )
    const lines = batch.text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const { verdict: _, ...whole } = json.answer
    const { verdict: __, ...line } = lines.find(({ index }) => index === 0).result
    expect(line).toEqual(whole)
    const sweep = await post({ panel: rows, prices: wanted, sweep: { quantile: [0.2] } })
    expect([...Value.Errors(BacktestResult, sweep.answer)]).toEqual([])
    expect(sweep.answer.best.metrics).toEqual(json.answer.metrics)
    expect(sweep.answer.prices.rows).toEqual(json.answer.prices.rows)
    const items = await post(
      {
        items: [
          { panel: stored.answer.id, config, prices: wanted },
          { panel: stored.answer.id, config },
        ],
      },
      { path: '/api/v1/backtests/batch' },
    )
    const [withPrices, without] = items.text
      .trim()
      .split('\n')
      .map(text => JSON.parse(text))
      .toSorted((a, b) => (a.index ?? 9) - (b.index ?? 9))
    expect(withPrices.result.metrics).toEqual(json.answer.metrics)
    expect(without.result.prices).toBeUndefined()
    const page = await fetch(`${server.url}/api/v1/backtest?format=html`, {
      method: 'POST',
      body: JSON.stringify({ panel: rows, config, prices: wanted }),
      headers: { Authorization: `Bearer ${quant}`, 'Content-Type': 'application/json' },
    })
    const html = await page.text()
    expect(html).toContain('the price set daily')
  })

  test('the first date of a request does not decide which security of a company an ID names', async () => {
    // Two classes of Alphabet: prices of GOOGL end long before those of GOOG begin.
    const years = (symbol: string, year: number) =>
      tradingDays.slice(0, 60).map((day, at) => {
        const date = `${year}${isoDate(day).slice(4)}`
        return `${date},${symbol},${20 + at},1`
      })
    const lines = [...years('GOOGL', 2015), ...years('GOOG', 2024)]
    await load(['date,symbol,close,split_factor', ...lines, ''].join('\n'), { name: 'two' })
    const set = await findPriceSet(server.sql, 'two')
    if (set === null) throw new Error('The set is missing.')
    await changeAccess(server.sql, set, { licences: ['personal'], allowed: [], denied: [] })
    const dated = (year: number, id: string) =>
      tradingDays.slice(12, 50).map((day, at) => ({
        date: `${year}${isoDate(day).slice(4)}`,
        asset: id,
        score: at,
      }))
    const counts = async (sent: readonly { readonly date: string }[]) => {
      const { answer } = await post({
        panel: sent,
        config: { quantile: 0.5 },
        prices: { set: 'two', horizon: 1 },
      })
      expect(answer.error).toBeUndefined()
      return answer.prices.rows
    }
    const late = [...dated(2024, 'GOOGL'), ...dated(2024, 'GOOG')]
    const alone = await counts(late)
    expect([alone.with_return, alone.not_traded]).toEqual([38, 38])
    const withEarly = await counts([...dated(2015, 'GOOGL'), ...late])
    expect([withEarly.with_return, withEarly.not_traded]).toEqual([76, 38])
    // An ID that names neither has the one that was traded on the date.
    const other = await counts([
      ...dated(2015, '0001652044'),
      ...dated(2024, '0001652044'),
      ...dated(2019, '0001652044'),
    ])
    expect([other.with_return, other.several_securities]).toEqual([76, 0])
  })

  test('an ID with a line break is no company, and gives no other name the prices of its neighbour', async () => {
    const prices = { set: 'daily', horizon: 5 }
    const named = (id: string) => rows.map(row => (row.asset === 'NOSUCH' ? { ...row, asset: id } : row))
    const { answer: plain } = await post({ panel: rows, prices })
    // Both sort before all others, and name two companies if they are read as two lines.
    for (const id of ['A\nT9', 'A\r\nT9', 'T9\n']) {
      const { status, answer } = await post({ panel: named(id), prices })
      expect([id, status, answer.prices]).toEqual([id, 200, plain.prices])
      expect([id, answer.metrics]).toEqual([id, plain.metrics])
    }
  })

  test('factors begin with the returns of the prices, in single backtests, sweeps and batches', async () => {
    const sent = {
      date: tradingDays.map(day => isoDate(day)),
      returns: { F: tradingDays.map((_, at) => ((at * 37) % 101) / 1e4 - 0.005) },
    }
    const wanted = { panel: rows, config: { quantile: 0.2 }, prices: { set: 'daily', horizon: 1 } }
    const alone = await post({ ...wanted, factors: sent })
    expect([alone.status, alone.answer.error]).toEqual([200, undefined])
    expect(alone.answer.factors.n_periods).toBe(alone.answer.n_periods)
    const stated = await post({ ...wanted, factors: { ...sent, entryLag: 1 } })
    expect(stated.answer.factors).toEqual(alone.answer.factors)
    const sweep = await post({ ...wanted, factors: sent, sweep: { quantile: [0.2] } })
    expect(sweep.answer.factors.betas).toEqual(alone.answer.factors.betas)
    const { config, ...rest } = wanted
    const batch = await post(
      { ...rest, configs: [config], factors: sent },
      { path: '/api/v1/backtests/batch' },
    )
    expect(JSON.parse(batch.text.split('\n')[0]).result.factors.betas).toEqual(alone.answer.factors.betas)
    for (const body of [
      { ...wanted, factors: { ...sent, entryLag: 0 } },
      { ...wanted, factors: { ...sent, entryLag: 2 }, sweep: true },
    ]) {
      const { status, answer } = await post(body)
      expect([status, answer.error.param]).toEqual([400, 'factors.entryLag'])
    }
  })

  test('the archive and a metric as the score take returns from prices, too', async () => {
    const days: number[] = []
    for (let day = dayNumber('2013-01-01'); day < dayNumber('2013-07-01'); day++)
      if ((day + 3) % 7 < 5) days.push(day)
    const list = ['AAPL', 'GOOG'].flatMap((name, at) =>
      days.map(
        (day, index) => `${isoDate(day)},${name},${(100 + at + ((index * (7 + at)) % 13)).toFixed(2)}`,
      ),
    )
    await load(`date,symbol,close\n${list.join('\n')}\n`)
    const source = { market: 'US', horizon: '1d', from: '2013-01-10', to: '2013-06-01' } as const
    const archive = await post({ source, prices: { set: 'daily' }, config: { quantile: 0.5 } })
    expect([archive.status, archive.answer.error]).toEqual([200, undefined])
    expect(archive.answer.prices.rows.with_return).toBeGreaterThan(150)
    const scored = await post({
      source: { ...source, score: 'roe' },
      prices: { set: 'daily' },
      config: { quantile: 0.5 },
    })
    expect([scored.status, scored.answer.error]).toEqual([200, undefined])
    expect(scored.answer.score.metric).toBe('roe')
    const panel = days.flatMap(day => ['AAPL', 'GOOG'].map(asset => ({ date: isoDate(day), asset })))
    const asOf = await post({
      panel,
      score: { asOf: 'roe' },
      prices: { set: 'daily' },
      config: { quantile: 0.5 },
    })
    expect([asOf.status, asOf.answer.error]).toEqual([200, undefined])
    expect([...Value.Errors(BacktestResult, asOf.answer)]).toEqual([])
    expect([asOf.answer.score.metric, asOf.answer.prices.set]).toEqual(['roe', 'daily'])
  })

  /** Each backtest of a batch, next to the result of a request of its own. The verdict counts the batch. */
  async function batchAndAlone(body: object, alone: readonly object[]) {
    const { text } = await post(body, { path: '/api/v1/backtests/batch' })
    const lines = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const found: [unknown, unknown][] = []
    for (const [index, request] of alone.entries()) {
      const line = lines.find(one => one.index === index)
      const { status, answer } = await post(request)
      expect([status, answer.error]).toEqual([200, undefined])
      found.push([
        line?.result === undefined ? line : JSON.stringify({ ...line.result, verdict: 0 }),
        JSON.stringify({ ...answer, verdict: 0 }),
      ])
    }
    return found
  }

  test('backtests of a batch with their own dates or lengths of a return are the same as alone', async () => {
    const source = { market: 'US', horizon: '1d' } as const
    const config = { quantile: 0.5 }
    const wanted = { set: 'daily' }
    const ofArchive = [
      { source: { ...source, from: '2013-02-01', to: '2013-03-01' }, prices: wanted, config },
      { source: { ...source, from: '2013-01-10', to: '2013-06-01' }, prices: wanted, config },
      { source: { ...source, from: '2013-01-10' }, prices: wanted, config },
    ]
    for (const [given, expected] of await batchAndAlone({ items: ofArchive }, ofArchive))
      expect(given).toBe(expected)
    const some = rows.slice(0, 60 * names.length)
    const stored = await post(
      { panel: some.map(row => ({ ...row, forward_return: 0.5 })) },
      { path: '/api/v1/panels' },
    )
    const lengths = [{}, { returnDays: 5 }, { returnDays: 3, holdDays: 6 }, { returnDays: 5, quantile: 0.3 }]
    const items = lengths.map(one => ({ panel: stored.answer.id, prices: wanted, config: one }))
    for (const [given, expected] of await batchAndAlone({ items }, items)) expect(given).toBe(expected)
    const sent = { panel: some, prices: wanted }
    const alone = lengths.map(one => ({ ...sent, config: one }))
    for (const [given, expected] of await batchAndAlone({ ...sent, configs: lengths }, alone))
      expect(given).toBe(expected)
  })
})

test('the report of a submitted backtest with prices cannot be made public', async () => {
  const { sql, databaseUrl, resources } = server
  await migrateQueue(databaseUrl)
  const processId = crypto.randomUUID()
  const stopJobs = await startJobs(
    { url: databaseUrl, concurrency: 1, drainTimeoutMs: 5_000 },
    {
      sql,
      tasks: backtestTasks({ sql, processId, backtests: resources.backtests }),
      processId,
      explain: explainDatabaseError,
      storage: new StorageWatch(sql, null),
      report: () => {},
      notifier: new JobNotifier(),
    },
  )
  const [{ keyId }] = await sql<[{ keyId: number }]>`
    select key_id as "keyId" from api_key where last_four = ${quant.slice(-4)}`
  const sent = new TextEncoder().encode(JSON.stringify({ panel: rows, prices: { set: 'daily', horizon: 5 } }))
  const { job } = await submitBacktest(
    { sql, processId, newId: () => Bun.randomUUIDv7(), dataVersion: () => 1 },
    { keyId, requestId: 'test', body: sent, format: 'json', query: {}, idempotencyKey: null },
  )
  let found = await readJob(sql, keyId, job.id)
  for (let left = 1_200; left > 0 && found.finishedAt === null; left--) {
    await Bun.sleep(50)
    found = await readJob(sql, keyId, job.id)
  }
  await stopJobs()
  expect(found.state).toBe('succeeded')
  const shared = shareReport(
    { sql, pool: resources.pool, markets, settings: { baseUrl: server.url, allowUnverifiedMarkets: [] } },
    found,
    30,
    '127.0.0.1',
  )
  await expect(shared).rejects.toMatchObject({ code: 'licence_required' })
})

describe('refusals', () => {
  const first = rows.slice(0, 400)
  test('a set that a key may not see is like one that does not exist, in every door', async () => {
    const doors = (set: string) => [
      { body: { panel: first, prices: { set } } },
      { body: { panel: first, prices: { set }, sweep: true } },
      { body: { prices: { set } } },
      { body: { configs: [{}], panel: first, prices: { set } }, path: '/api/v1/backtests/batch' },
    ]
    for (const [at, { body, path }] of doors('daily').entries()) {
      const refused = await post(body, { key: stranger, path })
      const unknown = await post(doors('nosuch')[at].body, { key: stranger, path })
      const said = ({ status, answer }: typeof refused) => [
        status,
        answer.error.code,
        answer.error.param,
        answer.error.message,
      ]
      expect(said(refused).join().replaceAll('daily', 'nosuch')).toBe(said(unknown).join())
      expect(refused.answer.error.param).toBe('prices.set')
    }
  })

  test('bad input is explained', async () => {
    for (const [body, param] of [
      [{ panel: first, prices: { set: 'daily', horizons: [1, 5] } }, 'prices.horizons'],
      [{ panel: first, prices: { set: 'daily', horizon: 0 } }, 'prices.horizon'],
      [{ panel: first, prices: { set: 'daily', entry_lag: 3 } }, 'prices.entry_lag'],
      [{ panel: first, prices: { set: 'daily', known: '2999-01-01' } }, 'prices.known'],
      [{ panel: first, prices: { set: 'UPPER' } }, 'prices.set'],
      [{ panel: first, prices: {} }, 'prices.set'],
      [{ panel: first, prices: 'daily' }, 'prices'],
      [
        { panel: first, config: { returnDays: 2 }, prices: { set: 'daily', horizon: 1 } },
        'config.returnDays',
      ],
      [{ panel: first, config: { rebalance: 'month_end' }, prices: { set: 'daily' } }, 'config.rebalance'],
      [{ panel: first, config: { horizons: [1, 5] }, prices: { set: 'daily' } }, 'config.horizons'],
      [{ panel: first, config: { entryDates: 0 }, prices: { set: 'daily' } }, 'config.entryDates'],
      [{ panel: first }, 'panel[0].forward_return'],
      [{ panel: { date: ['2020-01-02'], asset: ['T1'], score: [1] } }, 'panel.forward_return'],
    ] as const) {
      const { status, answer } = await post(body)
      expect([JSON.stringify(body).slice(-90), status, answer.error.param]).toEqual([
        JSON.stringify(body).slice(-90),
        400,
        param,
      ])
    }
    const old = [{ date: '1999-01-04', asset: 'T1', score: 1 }]
    const nothing = await post({ panel: old, prices: { set: 'daily' } })
    expect([nothing.status, nothing.answer.error.code]).toEqual([422, 'backtest_impossible'])
    expect(nothing.answer.error.message).toContain('1 not_traded')
    const closes = first.map(({ date, asset, score }) => ({ date, asset, score, close: 10 }))
    for (const more of [{}, { sweep: true }]) {
      const both = await post({ panel: closes, prices: { set: 'daily' }, ...more })
      expect([both.status, both.answer.error.param]).toEqual([422, 'prices'])
      expect(both.answer.error.message).toContain('a column close')
    }
    const batch = await post(
      { configs: [{}, { rebalance: 'month_end' }], panel: first, prices: { set: 'daily' } },
      { path: '/api/v1/backtests/batch' },
    )
    expect([batch.status, batch.answer.error.param]).toEqual([400, 'configs[1].rebalance'])
  })

  test('more prices than one backtest reads are refused before any is read', async () => {
    const first = rows.slice(0, 40)
    const claim = (prices: number) =>
      server.sql`update price_asset set price_count = ${prices} where symbols && ${names}::text[]`
    const counts = await server.sql<{ id: number; prices: number }[]>`
      select asset_id as id, price_count as prices from price_asset`
    try {
      await claim(2_000_001)
      const one = await post({ panel: first, prices: { set: 'daily' } })
      expect([one.status, one.answer.error.param]).toEqual([422, 'prices.set'])
      expect(one.answer.error.message).toContain('at most 2,000,000 of one asset')
      await claim(1_900_000)
      // 20 assets have 38 million prices, which is allowed.
      expect((await post({ panel: first, prices: { set: 'daily' } })).status).toBe(200)
    } finally {
      for (const { id, prices } of counts)
        await server.sql`update price_asset set price_count = ${prices} where asset_id = ${id}`
    }
  })
})
