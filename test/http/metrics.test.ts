import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { MetricList } from '../../src/features/catalogue/schema.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { callers } from './callers.ts'
import { realServer } from './realServer.ts'

setDefaultTimeout(180_000)

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const keys = await callers(server.sql)

const get = (path: string) =>
  fetch(server.url + path, {
    headers: { Authorization: keys.demo ?? '', 'X-Forwarded-For': '10.70.0.1' },
  })

interface Listed {
  name: string
  sign: string
  markets: {
    market: string
    tags: string[][]
    companies: number
    companies_examined: number
    share: number
  }[]
}

test('the catalogue names every metric of the coverage index, with tags in order, sign and how often it is present', async () => {
  const list = await (await get('/api/v1/metrics')).json()
  expect([...Value.Errors(MetricList, list)]).toEqual([])
  const index = await (await get('/api/v1/fundamentals?limit=1')).json()
  expect(list.data.map((metric: Listed) => metric.name)).toEqual(
    index.metrics.map((metric: Listed) => metric.name),
  )
  const named = new Map<string, Listed>(list.data.map((metric: Listed) => [metric.name, metric]))
  const of = (name: string, market: string) =>
    named.get(name)?.markets.find(entry => entry.market === market) ?? null
  expect(of('revenue', 'US')?.tags[0].slice(0, 2)).toEqual([
    'us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax',
    'us-gaap:Revenues',
  ])
  expect(of('net_margin', 'US')?.tags).toEqual([])
  expect(of('revenue_ytd', 'TW')?.tags).toEqual([['營業收入']])
  expect(of('cost_of_revenue', 'JP')).toBeNull()
  // Of a market with more companies 200 are examined. Every US company of the sample states assets; not all state a dividend.
  expect(of('assets', 'US')).toMatchObject({ companies: 200, companies_examined: 200, share: 1 })
  const [{ n, paying }] = await server.sql`
    select count(distinct f.entity_id)::int as n,
      (count(distinct f.entity_id) filter (where m.name = 'dividends_paid'))::int as paying
    from fact f join entity e using (entity_id) join metric m using (metric_id) where e.market = 'US'`
  expect(Math.abs((of('dividends_paid', 'US')?.share ?? 0) - paying / n)).toBeLessThan(0.1)
  expect(named.get('dividends_paid')?.sign).toBe('outflow')
  expect(named.get('cost_of_revenue')?.sign).toBe('cost')
  expect(named.get('net_income_ytd')?.sign).toBe('signed')
  expect(named.get('assets')?.sign).toBe('amount')
})

test('market leaves out the others', async () => {
  const list = await (await get('/api/v1/metrics?market=nz')).json()
  for (const metric of nonEmpty<{ markets: { market: string }[] }>(list.data))
    expect(metric.markets.map((entry: { market: string }) => entry.market)).toEqual(['NZ'])
  expect((await get('/api/v1/metrics?market=XX')).status).toBe(400)
})

test('the page shows each metric with its tags and needs no key', async () => {
  const response = await fetch(`${server.url}/docs/metrics`)
  const text = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(text).toContain('<h2 id="revenue">')
  expect(text).toContain('<code>us-gaap:SalesRevenueNet</code>')
  expect(text).toContain('100%')
  expect(response.headers.get('etag')).toBeTruthy()
})
