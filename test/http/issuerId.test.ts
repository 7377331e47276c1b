import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connectTools } from '../features/agentTools/toolClient.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { sellKey } from './callers.ts'
import { type RealServer, realServer } from './realServer.ts'

setDefaultTimeout(180_000)

/** `issuer_id`, which every answer shows next to the ticker, is accepted wherever a company is named: the answers are
 * those to the ticker. One company of each market with figures in the sample, and what else is asked of it. */
const companies = [
  { market: 'US', ticker: 'AAPL', issuerId: '0000320193', metric: 'revenue' },
  { market: 'KR', ticker: '005930.KS', issuerId: '00126380', metric: 'revenue' },
  { market: 'JP', ticker: 'E02367.JP', issuerId: 'E02367', metric: 'net_income' },
  { market: 'TW', ticker: '2330.TW', issuerId: '2330', metric: 'revenue' },
  { market: 'FR', ticker: '483935326.FR', issuerId: '483935326', metric: 'net_income' },
  { market: 'DK', ticker: '65305216.DK', issuerId: '65305216', metric: 'equity' },
  { market: 'NZ', ticker: 'CC40675.NZ', issuerId: 'CC40675', metric: 'equity' },
]
type Sample = (typeof companies)[number]

let server: RealServer
let key: string
let version: number
beforeAll(async () => {
  server = await realServer()
  const [row] = await server.sql<{ version: number }[]>`select version::int from data_version`
  version = row?.version ?? expect.unreachable()
  key = await sellKey(server.sql, { licence: 'oem', perMinute: 100_000 })
})
afterAll(() => server.stop())

async function ask(path: string, init: RequestInit = {}, token = key) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const response = await fetch(server.url + path, { ...init, headers: { ...headers, ...init.headers } })
  return { status: response.status, text: await response.text() }
}

interface Operation {
  readonly parameters?: readonly { readonly name: string }[]
}

interface Route {
  /** As the document of the API lists it; of a page or a tool what it is called. */
  readonly route: string
  readonly answer: (id: string, sample: Sample) => Promise<{ status: number; text: string }>
}

const get = (route: string, path: (id: string, sample: Sample) => string): Route => ({
  route,
  answer: (id, sample) => ask(path(id, sample)),
})

const joinOf = (id: string, { metric }: Sample) => ({
  rows: { date: ['2012-01-03', '2026-06-01'], ticker: [id, id] },
  metrics: [metric],
})

const routes: Route[] = [
  get('get /api/v1/fundamentals', id => `/api/v1/fundamentals?ticker=${id}`),
  get('get /api/v1/fundamentals', id => `/api/v1/fundamentals?ticker=${id}&view=latest&format=csv`),
  get('get /api/v1/fundamentals', id => `/api/v1/fundamentals?ticker=${id}&layout=wide&fp=FY`),
  get('get /api/v1/fundamentals', id => `/api/v1/fundamentals?ticker=SNOW,${id}&view=latest`),
  get(
    'get /api/v1/fundamentals',
    id => `/api/v1/fundamentals?ticker=${id}&view=latest&data_version=${version}`,
  ),
  get('get /api/v1/filings', id => `/api/v1/filings?ticker=${id}`),
  get('get /api/v1/filings', id => `/api/v1/filings?ticker=${id}&data_version=${version}`),
  get('get /api/v1/statements', id => `/api/v1/statements?ticker=${id}&statement=income`),
  get('get /api/v1/statements', id => `/api/v1/statements?issuer_id=${id}&statement=balance`),
  get('get /api/v1/reported', id => `/api/v1/reported?ticker=${id}&tag=us-gaap:Assets`),
  get(
    'get /api/v1/reported',
    id => `/api/v1/reported?ticker=${id}&tag=us-gaap:Assets&data_version=${version}`,
  ),
  get('get /api/v1/segments', id => `/api/v1/segments?ticker=${id}&metric=revenue&axis=product`),
  get('get /api/v1/restatements', id => `/api/v1/restatements?ticker=${id}`),
  get(
    'get /api/v1/restatements',
    id => `/api/v1/restatements?ticker=${id}&data_version=${version}&format=csv`,
  ),
  get('get /api/v1/coverage/{id}', id => `/api/v1/coverage/${id}`),
  get('get /api/v1/coverage/{id}', id => `/api/v1/coverage/${id}?data_version=${version}`),
  get('get /api/v1/companies', id => `/api/v1/companies?ticker=${id}`),
  get('get /api/v1/companies/{id}', id => `/api/v1/companies/${id}`),
  {
    route: 'post /api/v1/as-of',
    answer: (id, sample) =>
      ask('/api/v1/as-of', { method: 'POST', body: JSON.stringify(joinOf(id, sample)) }),
  },
  {
    route: 'post /api/v1/as-of',
    answer: (id, { metric }) =>
      ask(`/api/v1/as-of?metrics=${metric}&format=csv`, {
        method: 'POST',
        body: `date,ticker\n2026-06-01,${id}\n`,
        headers: { 'Content-Type': 'text/csv' },
      }),
  },
]

/** Without fields that repeat the ID as it was sent, and without `symbol_assumed`, which numbers never have. */
const comparable = ({ status, text }: { status: number; text: string }, id: string, ticker: string) => [
  status,
  text
    .replace('"symbol_assumed":true,', '')
    .replaceAll(`"id":"${id}"`, '"id":"sent"')
    .replaceAll(`"id":"${ticker}"`, '"id":"sent"')
    .replaceAll(`["${id}","${id}"]`, 'sent')
    .replaceAll(`["${ticker}","${ticker}"]`, 'sent')
    .replaceAll(`,${id}\r\n`, ',sent\r\n')
    .replaceAll(`,${ticker}\r\n`, ',sent\r\n')
    .replaceAll(`2026-06-01,${id},`, '2026-06-01,sent,')
    .replaceAll(`2026-06-01,${ticker},`, '2026-06-01,sent,'),
]

describe('an issuer_id is accepted wherever an ID is, and the answer is that to the ticker', () => {
  for (const sample of companies) {
    for (const [place, { route, answer }] of routes.entries()) {
      test(`${sample.market}: ${route} (${place})`, async () => {
        const { ticker, issuerId } = sample
        const [ofTicker, ofNumber] = [await answer(ticker, sample), await answer(issuerId, sample)]
        expect([ofTicker.status, ofTicker.text.includes('"unknown_count":1')]).toEqual([200, false])
        expect(comparable(ofNumber, issuerId, ticker)).toEqual(comparable(ofTicker, issuerId, ticker))
        expect(ofNumber.text).not.toContain('is not the current ID')
      })
    }
  }

  test('the table has every route of the API that takes the ID of a company', async () => {
    const document = JSON.parse((await ask('/openapi.json')).text)
    const taking: string[] = []
    for (const [path, methods] of nonEmpty(Object.entries<Record<string, Operation>>(document.paths))) {
      for (const [method, operation] of nonEmpty(Object.entries(methods))) {
        const parameters = operation.parameters ?? []
        const isOfCompany = /\/(companies|coverage)\/\{id\}/.test(path)
        // Prices need a set of them: test/features/prices/priceRoutes.test.ts.
        if (path.includes('{set}')) continue
        if (isOfCompany || parameters.some(({ name }) => name === 'ticker')) taking.push(`${method} ${path}`)
      }
    }
    const tested = new Set(routes.map(({ route }) => route))
    expect(taking.filter(route => !tested.has(route))).toEqual([])
    expect(taking.length).toBeGreaterThanOrEqual(5)
  })

  test('the company page, the downloads and the tools', async () => {
    const page = async (id: string) => (await ask(`/companies/${id}`)).text
    expect(await page('0000320193')).toContain('Apple Inc.')
    const tools = await connectTools('http auto', { url: server.url, key })
    const calls: [string, Record<string, unknown>][] = [
      ['get_latest_fundamentals', { metrics: ['revenue'] }],
      ['get_fundamentals_history', { metrics: ['revenue'], fp: 'FY' }],
      ['get_coverage', {}],
      ['compare_as_of', { since: '2009-12-31', as_of: '2010-01-31', metrics: ['revenue'] }],
      ['get_restatements', { metrics: ['revenue'] }],
    ]
    for (const [name, args] of calls) {
      const [ofTicker, ofNumber] = [
        await tools.call(name, { tickers: ['AAPL'], ...args }),
        await tools.call(name, { tickers: ['0000320193'], ...args }),
      ]
      expect([name, ofNumber.isError, ofNumber.text]).toEqual([name, false, ofTicker.text])
    }
    await tools.close()
  })
})

describe('what a licence opens does not depend on how a company is named', () => {
  const statusOf = async (path: string, token: string) => (await ask(path, {}, token)).status

  test('a flagship company is one by its number, too, and no other company is', async () => {
    const flagship = [
      `/api/v1/fundamentals?ticker=0000320193&as_of=2009-12-31`,
      `/api/v1/fundamentals?ticker=0000320193&view=latest&data_version=${version}`,
      `/api/v1/filings?ticker=0000320193&data_version=${version}`,
      `/api/v1/restatements?ticker=0000320193&as_of=2010-06-30`,
      `/api/v1/restatements?ticker=0000320193&data_version=${version}`,
      `/api/v1/coverage/0000320193?data_version=${version}`,
      `/api/v1/companies/0000320193?data_version=${version}`,
    ]
    for (const path of flagship) expect([path, await statusOf(path, 'demo')]).toEqual([path, 200])
    // Snowflake's number.
    for (const path of flagship) {
      const other = path.replace('0000320193', '0001640147')
      expect([other, await statusOf(other, 'demo')]).toEqual([other, 403])
    }
  })

  test('a company counts once against a cap, under whichever ID', async () => {
    const capped = await sellKey(server.sql, { licence: 'evaluation', expires: '2099-01-01' })
    await server.sql`update key_grant set entity_cap = 1
      where key_id = (select key_id from api_key where prefix = ${capped.slice(0, 17)})`
    await Bun.sleep(100)
    const asked = ['ticker=AAPL&view=latest', 'ticker=0000320193&view=latest']
    for (const query of asked)
      expect([query, await statusOf(`/api/v1/fundamentals?${query}`, capped)]).toEqual([query, 200])
    expect(await statusOf('/api/v1/restatements?ticker=0000320193', capped)).toBe(200)
    for (const path of ['fundamentals?ticker=0001640147&view=latest', 'restatements?ticker=0001640147'])
      expect([path, await statusOf(`/api/v1/${path}`, capped)]).toEqual([path, 403])
  })

  test('the number next to the ticker is refused: the rows of the company would come twice', async () => {
    const { status, text } = await ask('/api/v1/fundamentals?ticker=AAPL,0000320193&view=latest')
    expect([status, JSON.parse(text).error.code]).toEqual([400, 'parameter_invalid'])
    expect(text).toContain('0000320193 is another ID of it')
  })
})
