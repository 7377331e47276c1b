import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { parquetReadObjects } from 'hyparquet'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { memberWith } from '../account/members.ts'
import { appleSplits, generatePrices, importLines } from '../asOfJoins/generatedPrices.ts'
import { readPage } from '../pages/readPage.ts'

setDefaultTimeout(180_000)

/** The sample has cover counts of Apple and Snowflake alone; Japanese companies state counts without covers. */
const metrics = [
  'market_cap',
  'price_to_earnings',
  'price_to_book',
  'ev_to_ebitda',
  'fcf_yield',
  'dividend_yield',
]

let server: RealServer
let key: string
beforeAll(async () => {
  server = await realServer()
  key = await sellKey(server.sql)
  await importLines(server.sql, [
    ...generatePrices('AAPL', '2010-01-04', '2024-12-31', appleSplits),
    ...generatePrices('SNOW', '2020-09-16', '2024-12-31', {}, 250),
    ...generatePrices('GOOGL', '2010-01-04', '2024-12-31'),
  ])
})
afterAll(() => server.stop())

const ask = (path: string, caller = key) =>
  fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${caller}` } })

async function read(path: string, caller = key) {
  const response = await ask(path, caller)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

/** What a join of one row for each company answers that includes the day. */
async function joined(day: string, tickers: readonly string[], more: object = {}) {
  const response = await fetch(`${server.url}/api/v1/as-of`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      rows: { date: tickers.map(() => day), ticker: tickers },
      metrics,
      inclusive: true,
      with: ['end', 'filed'],
      ...more,
    }),
  })
  const { columns } = await response.json()
  return columns
}

type Row = Record<string, string | number | null>
const valuedOf = (rows: readonly Row[]) => rows.filter(row => row.price_day !== null)

test('a table of valuations has what a join that includes the day answers, in any state and of any age', async () => {
  for (const [day, more] of [
    ['2021-03-06', {}],
    ['2014-06-09', {}],
    ['2022-08-15', { max_age_days: 300 }],
    ['2023-03-31', { checks: 'proved,consistent' }],
    ['2012-05-02', {}],
  ] as const) {
    const query = Object.entries(more).map(([name, value]) => `&${name}=${value}`)
    const table = await read(
      `/api/v1/cross-section?market=US&metric=revenue,${metrics.join(',')}&as_of=${day}${query.join('')}`,
    )
    expect(table.price_set).toBe('made-up')
    const rows: Row[] = table.data
    const tickers = ['AAPL', 'SNOW', 'GOOGL']
    const columns = await joined(day, tickers, more)
    let seen = 0
    for (const [i, ticker] of tickers.entries()) {
      const row = rows.find(one => one.ticker === ticker)
      for (const metric of metrics) {
        const value = columns[metric][i]
        expect([day, ticker, metric, row?.[metric] ?? null]).toEqual([day, ticker, metric, value])
        if (value === null) continue
        seen++
        expect(row?.price_day).toBe(columns[`${metric}_end`][i])
        expect(String(row?.filed) >= columns[`${metric}_filed`][i]).toBe(true)
        expect(row?.source).toEndWith('; prices: made-up')
      }
    }
    if (!('checks' in more)) expect(seen).toBeGreaterThan(1)
    // The period of a row is that of what filings state.
    const stated = await read(
      `/api/v1/cross-section?market=US&metric=revenue,assets&as_of=${day}${query.join('')}`,
    )
    for (const { ticker, fy, fp, revenue } of stated.data as Row[]) {
      const row = rows.find(one => one.ticker === ticker)
      if (revenue !== null) expect(row).toMatchObject({ fy, fp, revenue })
    }
  }
})

test('a valuation alone has a row of its day, and is a bound, an order and a filter of other columns', async () => {
  const day = '2022-08-15'
  const { data } = await read(`/api/v1/cross-section?market=US&metric=market_cap&as_of=${day}`)
  const columns = await joined(day, ['AAPL', 'SNOW'])
  expect(data).toHaveLength(2)
  expect(data[0]).toMatchObject({ fp: 'D', fy: 2022, end: day, unit: 'USD', kind: 'derived' })
  expect(new Map(data.map(({ ticker, value }: Row) => [ticker, value]))).toEqual(
    new Map([
      ['AAPL', columns.market_cap[0]],
      ['SNOW', columns.market_cap[1]],
    ]),
  )
  const sorted = await read(
    `/api/v1/cross-section?market=US&metric=market_cap&as_of=${day}&sort=-market_cap&limit=1`,
  )
  const values = data.map(({ value }: Row) => value).sort((a: number, b: number) => b - a)
  expect([sorted.data[0].value, sorted.total, sorted.currency]).toEqual([values[0], 2, 'USD'])
  const second = await read(
    `/api/v1/cross-section?market=US&metric=market_cap&as_of=${day}&sort=-market_cap&limit=1&cursor=${sorted.next}`,
  )
  expect([second.data[0].value, second.next]).toEqual([values[1], null])
  const unsorted = await read(`/api/v1/cross-section?market=US&metric=market_cap&as_of=${day}&limit=1`)
  const after = await read(
    `/api/v1/cross-section?market=US&metric=market_cap&as_of=${day}&limit=1&cursor=${unsorted.next}`,
  )
  expect([unsorted.data[0], after.data[0]]).toEqual(data)
  const between = (values[0] + values[1]) / 2
  const large = await read(
    `/api/v1/cross-section?market=US&metric=revenue&as_of=${day}&min_market_cap=${between}`,
  )
  expect(large.data).toHaveLength(1)
  expect(large.filters).toEqual([{ metric: 'market_cap', min: between, max: null }])
  // The same row as without the bound.
  const all = await read(`/api/v1/cross-section?market=US&metric=revenue&as_of=${day}`)
  expect(all.data).toContainEqual(large.data[0])
  // A loss has no P/E, so no bound lets it through.
  const cheap = await read(
    `/api/v1/cross-section?market=US&metric=revenue&as_of=${day}&max_price_to_earnings=1000000000000`,
  )
  expect(cheap.data.map(({ ticker }: Row) => ticker)).toEqual(['AAPL'])
  const both = await read(
    `/api/v1/cross-section?market=US&metric=revenue,market_cap&as_of=${day}&min_revenue=100000000000&min_market_cap=1`,
  )
  expect(both.data.map(({ ticker }: Row) => ticker)).toEqual(['AAPL'])
})

test('prices in another currency than the bound have no order with it and are counted', async () => {
  await importLines(server.sql, generatePrices('SNOW', '2020-09-16', '2024-12-31', {}, 250), {
    name: 'in-cad',
    currency: 'CAD',
  })
  const base = '/api/v1/cross-section?market=US&metric=market_cap&as_of=2022-08-15'
  const inUsd = await read(`${base}&sort=-market_cap&prices=in-cad`)
  expect([inUsd.total, inUsd.other_currencies]).toEqual([0, [{ currency: 'CAD', companies: 1 }]])
  const inCad = await read(`${base}&sort=-market_cap&prices=in-cad&currency=CAD`)
  expect(inCad.data).toMatchObject([{ ticker: 'SNOW', unit: 'CAD' }])
  // Its figures are in dollars, so no ratio is formed with them.
  const ratio = await read(
    '/api/v1/cross-section?market=US&metric=price_to_book,market_cap&as_of=2022-08-15&prices=in-cad',
  )
  expect(valuedOf(ratio.data)).toMatchObject([{ ticker: 'SNOW', price_to_book: null, currency: 'CAD' }])
  const several = await ask(base)
  expect(several.status).toBe(400)
  expect((await several.json()).error.message).toContain('in-cad, made-up')
  await server.sql`delete from price_set where name = 'in-cad'`
})

test('whoever may not see the set is refused on each request, whatever was cached before', async () => {
  const path = '/api/v1/cross-section?market=US&metric=market_cap&as_of=2022-08-15'
  expect((await ask(path)).status).toBe(200)
  const other = await sellKey(server.sql)
  await server.sql`update price_set set access = 'private', licences = '{}' where name = 'made-up'`
  for (const caller of [key, other]) {
    const refused = await ask(path, caller)
    expect(refused.status).toBe(400)
    expect((await refused.json()).error.message).toContain('there is no set of prices that your key may see')
  }
  await server.sql`update price_set set access = 'licence', licences = array['personal', 'evaluation', 'commercial'] where name = 'made-up'`
  const demo = await ask(path, 'demo')
  expect([401, 402, 403]).toContain(demo.status)
})

test('what does not apply is refused with a way to mend it', async () => {
  for (const [query, said] of [
    ['metric=market_cap&as_of=2022-08-15T15:00:00Z', 'is a valuation of a day'],
    ['metric=revenue&prices=made-up', 'names no valuation'],
    ['metric=market_cap&prices=nosuch', 'nosuch is no set of prices'],
    ['metric=market_cap,market_capp', 'market_cap'],
    ['metric=roe&sort=-market_capp', 'market_cap'],
  ] as const) {
    const response = await ask(`/api/v1/cross-section?market=US&${query}`)
    expect([query, response.status]).toEqual([query, 400])
    expect((await response.json()).error.message).toContain(said)
  }
})

test('the files have the columns of the JSON', async () => {
  const path = '/api/v1/cross-section?market=US&metric=revenue,market_cap,price_to_book&as_of=2022-08-15'
  const { data } = await read(path)
  const csv = (await (await ask(`${path}&format=csv`)).text()).trim().split(/\r?\n/)
  const header = csv[0].split(',')
  const line = csv.find(one => one.startsWith('AAPL,')) ?? ''
  const apple = line.split(',')
  const row = data.find(({ ticker }: Row) => ticker === 'AAPL')
  for (const name of ['market_cap', 'price_to_book', 'end'])
    expect([name, apple[header.indexOf(name)]]).toEqual([name, String(row[name])])
  // The source, which comes before it, may contain commas.
  expect([header.at(-1), line.endsWith(`,${row.price_day}`)]).toEqual(['price_day', true])
  const parquet = await parquetReadObjects({
    file: await (await ask(`${path}&format=parquet`)).arrayBuffer(),
  })
  const inFile = parquet.find(({ ticker }) => ticker === 'AAPL')
  expect(inFile?.market_cap).toBe(row.market_cap)
})

test('the Screen ranks, bounds and draws valuations, and its files have them', async () => {
  const { cookie } = await memberWith(server, server.sql)
  const open = (path: string) => readPage(server.url + path, { Cookie: cookie })
  const offered = await open('/screen?market=US&c1=revenue&as_of=2022-08-15')
  expect(offered.html).toContain('<option value="price_to_earnings">Price to earnings</option>')
  const path =
    '/screen?market=US&c1=market_cap&c2=price_to_earnings&c3=fcf_yield&max_price_to_earnings=1000000&as_of=2022-08-15&max_age_days=any'
  const page = await open(path)
  expect(page.status).toBe(200)
  const columns = await joined('2022-08-15', ['AAPL'])
  expect(page.html).toContain(`<td data-v="${columns.market_cap[0]}"`)
  expect(page.html).toContain(`<td data-v="${columns.fcf_yield[0]}"`)
  expect(page.html).toContain(`${(100 * columns.fcf_yield[0]).toFixed(1)}%`)
  expect(page.html).toContain('<th scope="col">Price of</th>')
  expect(page.html).toContain('<td>2022-08-15</td>')
  expect(page.html).toContain('Price to earnings to 1000000')
  expect(page.html).not.toContain('pick_SNOW')
  const file = await fetch(`${server.url}${path.replace('/screen?', '/screen/download?format=csv&')}`, {
    headers: { Cookie: cookie },
  })
  const lines = (await file.text()).split('\n').filter(line => !line.startsWith('#'))
  expect(lines[0]).toContain('market_cap,price_to_earnings,fcf_yield')
  expect(lines[1]).toContain(String(columns.market_cap[0]))
  // Visitors without a licence are told why, in the form.
  const out = await readPage(`${server.url}/screen?market=US&c1=market_cap`)
  expect(out.status).toBeGreaterThanOrEqual(400)
  expect(out.html).toContain('market_cap takes figures of several fiscal years')
  const plain = await readPage(`${server.url}/screen?market=US`)
  expect(plain.html).not.toContain('price_to_earnings')
})
