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

let server: RealServer
let key: string
beforeAll(async () => {
  server = await realServer()
  key = await sellKey(server.sql)
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

const apple = generatePrices('AAPL', '2010-01-04', '2024-12-31', appleSplits)
const alphabet = generatePrices('GOOGL', '2010-01-04', '2024-12-31')

test('without a set of prices the refusal says how an operator imports one', async () => {
  const response = await post({
    rows: { date: ['2020-01-02'], ticker: ['AAPL'] },
    metrics: ['price_to_earnings'],
  })
  expect(response.status).toBe(400)
  const { error } = await response.json()
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
  await importLines(server.sql, [...apple, ...alphabet])
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
