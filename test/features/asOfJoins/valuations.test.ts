import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { addDays, dayNumber } from '../../../src/dates.ts'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import {
  appleSplits,
  capitalisationOn,
  generatePrices,
  importLines,
  latestEquity,
  sampleRows,
  trailingIncome,
} from './generatedPrices.ts'

setDefaultTimeout(180_000)

const apple = generatePrices('AAPL', '2010-01-04', '2024-12-31', appleSplits)
const alphabet = generatePrices('GOOGL', '2010-01-04', '2024-12-31')

let server: RealServer
let key: string
let withoutSet: Response
beforeAll(async () => {
  server = await realServer()
  key = await sellKey(server.sql)
  withoutSet = await post({
    rows: { date: ['2020-01-02'], ticker: ['AAPL'] },
    metrics: ['price_to_earnings'],
  })
  await importLines(server.sql, [...apple, ...alphabet])
})
afterAll(() => server.stop())

const post = (body: unknown, caller = key) =>
  fetch(`${server.url}/api/v1/as-of`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${caller}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

async function join(days: readonly string[], ticker: string, more: object) {
  const rows = { date: days, ticker: days.map(() => ticker) }
  const response = await post({ rows, ...more })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

test('without a set of prices the refusal says how an operator imports one', async () => {
  expect(withoutSet.status).toBe(400)
  const { error } = await withoutSet.json()
  expect(error.message).toContain('./asfiled prices import')
})

test('a set without split factors is refused, because a count could meet a price from after a split', async () => {
  await importLines(server.sql, [{ symbol: 'AAPL', date: '2020-01-02', close: 1, split: 1 }], {
    name: 'total',
    basis: 'total_return',
  })
  const response = await post({
    rows: { date: ['2020-01-02'], ticker: ['AAPL'] },
    metrics: ['market_cap'],
    prices: 'total',
  })
  expect(response.status).toBe(400)
  expect((await response.json()).error.message).toContain('adjusted for dividends')
  await server.sql`delete from price_set where name = 'total'`
})

test('P/E and P/B of random days equal plain loops over the file of the sample and the prices', async () => {
  const filed = await sampleRows('AAPL')
  const days = Array.from({ length: 400 }, (_, i) =>
    addDays('2010-06-01', Math.floor((Math.abs(Math.sin(i * 78.233)) * 1e5) % 5_200)),
  )
  const { columns, price_set } = await join(days, 'AAPL', {
    metrics: ['price_to_earnings', 'market_cap', 'price_to_book', 'roe'],
    with: ['end', 'filed'],
  })
  expect(price_set).toBe('made-up')
  let [found, compared] = [0, 0]
  for (const [i, day] of days.entries()) {
    const known = addDays(day, -1)
    const cap = capitalisationOn(filed, apple, known)
    const income = trailingIncome(filed, known)
    const equity = latestEquity(filed, known)
    expect([day, columns.market_cap[i]]).toEqual([day, cap])
    expect([day, columns.price_to_book[i]]).toEqual([
      day,
      cap === null || equity === null ? null : cap / equity,
    ])
    if (columns.market_cap[i] !== null) {
      expect(columns.market_cap_filed[i] < day).toBe(true)
      expect(dayNumber(day) - dayNumber(columns.market_cap_end[i])).toBeLessThanOrEqual(11)
      found++
    }
    if (cap === null || income === null) continue
    expect([day, columns.price_to_earnings[i]]).toEqual([day, cap / income])
    compared++
  }
  expect(found).toBeGreaterThan(350)
  expect(compared).toBeGreaterThan(300)
})

test('a company whose covers state each class of shares has no value, nor has a price that is too old', async () => {
  const { columns } = await join(['2020-06-01'], 'GOOGL', { metrics: ['market_cap'] })
  expect(columns.market_cap).toEqual([null])
  const late = await join(['2025-01-01', '2025-01-11', '2025-01-12'], 'AAPL', { metrics: ['market_cap'] })
  expect(late.columns.market_cap.map((value: number | null) => value !== null)).toEqual([true, true, false])
})

test('a key that may not see the set gets the same refusal as one without a set', async () => {
  await server.sql`update price_set set access = 'private', licences = '{}'`
  const response = await post({ rows: { date: ['2020-01-02'], ticker: ['AAPL'] }, metrics: ['market_cap'] })
  expect(response.status).toBe(400)
  expect((await response.json()).error.message).toContain('there is no set of prices that your key may see')
  await server.sql`update price_set set access = 'licence', licences = array['personal']`
})

async function read(query: string) {
  const response = await fetch(`${server.url}/api/v1/fundamentals?${query}`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

test('fundamentals of a day are what a join that includes the day answers, beside figures that filings state', async () => {
  for (const day of ['2013-05-15', '2014-06-08', '2014-06-09', '2020-08-31', '2021-03-06']) {
    const metrics = [
      'market_cap',
      'price_to_earnings',
      'price_to_book',
      'fcf_yield',
      'dividend_yield',
      'ev_to_ebitda',
    ]
    const { columns } = await join([day], 'AAPL', { metrics, inclusive: true, with: ['end', 'filed'] })
    const list = await read(`ticker=AAPL&as_of=${day}&metric=${metrics.join(',')},roe&view=latest`)
    expect(list.price_set).toBe('made-up')
    expect(list.data[0].m).toBe('roe')
    for (const metric of metrics) {
      const row = list.data.find((one: { m: string }) => one.m === metric)
      expect([day, metric, row?.v ?? null]).toEqual([day, metric, columns[metric][0]])
      expect([row?.end ?? null, row?.filed ?? null]).toEqual([
        columns[`${metric}_end`][0],
        columns[`${metric}_filed`][0],
      ])
    }
  }
})

test('a range of days has a row for each day with a price, as known on that day', async () => {
  const list = await read('ticker=AAPL&as_of=2014-06-30&from=2014-06-01&metric=market_cap')
  const filed = await sampleRows('AAPL')
  const days = apple.filter(({ date }) => date >= '2014-06-01' && date <= '2014-06-30')
  expect(list.data.map((row: { end: string; v: number }) => [row.end, row.v])).toEqual(
    days.map(({ date }) => [date, capitalisationOn(filed, apple, date)]),
  )
  const csv = await fetch(
    `${server.url}/api/v1/fundamentals?ticker=AAPL&as_of=2014-06-10&metric=market_cap&format=csv`,
    { headers: { Authorization: `Bearer ${key}` } },
  )
  expect((await csv.text()).split('\n')[1]).toStartWith('market_cap,2014,D,2014-06-10,')
})

test('a backtest that ranks by a valuation equals one with the join as its scores, also at the close', async () => {
  const quant = await sellKey(server.sql, { quant: true })
  // Made-up prices of companies with counts on their covers; the sample has covers of Apple and Snowflake only.
  await importLines(server.sql, generatePrices('SNOW', '2020-09-16', '2024-12-31', {}, 250))
  const tickers = ['AAPL', 'SNOW', 'GOOGL', 'NOSUCH']
  const dates = Array.from({ length: 40 }, (_, i) => addDays('2021-01-13', 14 * i))
  const rows = dates.flatMap((date, t) =>
    tickers.map((asset, i) => ({ date, asset, forward_return: Math.cos(78.233 * i + 2.3 * t) / 40 })),
  )
  const backtest = async (body: object) => {
    const response = await fetch(`${server.url}/api/v1/backtest`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${quant}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ config: { quantile: 0.5, holdDays: 10, returnDays: 10 }, ...body }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return JSON.parse(text)
  }
  for (const metric of ['price_to_book', 'market_cap']) {
    for (const at of [undefined, 'close'] as const) {
      const times =
        at === undefined
          ? { date: rows.map(row => row.date) }
          : { time: rows.map(row => `${row.date}@close`) }
      const joined = await post({
        rows: { ...times, ticker: rows.map(row => row.asset) },
        metrics: [metric],
      }).then(response => response.json())
      const scores: (number | null)[] = joined.columns[metric]
      expect(scores.filter(score => score !== null).length).toBeGreaterThan(70)
      const byHand = await backtest({ panel: rows.map((row, i) => ({ ...row, score: scores[i] })) })
      const ranked = await backtest({ panel: rows, score: { asOf: metric, ...(at && { at }) } })
      expect(ranked.stats).toEqual(byHand.stats)
      expect(ranked.score).toMatchObject({ metric, price_set: 'made-up', n_assets: 2 })
    }
  }
})

test("a company's page shows valuations only where every visitor of the licence may see the set", async () => {
  const page = async () => (await fetch(`${server.url}/companies/AAPL?as_of=2021-03-05`)).text()
  expect((await page()).includes('id="valuation"')).toBe(false)
  const [{ licences }] = await server.sql<[{ licences: string[] }]>`
    select licences from price_set where name = 'made-up'`
  await server.sql`update price_set set licences = array['demo', 'evaluation'] where name = 'made-up'`
  // Another day, because pages are cached until the data version changes, as a change of rights does.
  const shown = await (await fetch(`${server.url}/companies/AAPL?as_of=2021-03-04`)).text()
  const list = await post(
    {
      rows: { date: ['2021-03-04'], ticker: ['AAPL'] },
      metrics: ['price_to_book'],
      inclusive: true,
    },
    await sellKey(server.sql, { licence: 'evaluation', expires: '2099-01-01' }),
  ).then(response => response.json())
  expect(shown.includes('Valuation on 2021-03-04')).toBe(true)
  expect(shown.includes(`<dd>${list.columns.price_to_book[0].toFixed(2)}</dd>`)).toBe(true)
  await server.sql`update price_set set licences = ${licences} where name = 'made-up'`
})

test('routes that do not read prices say where valuations are', async () => {
  const response = await fetch(`${server.url}/api/v1/restatements?market=US&metric=price_to_book`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(response.status).toBe(400)
  expect((await response.json()).error.message).toContain('POST /api/v1/as-of')
})
