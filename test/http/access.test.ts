import { afterAll, describe, expect, test } from 'bun:test'
import { nonEmpty } from '../nonEmpty.ts'
import { type CallerName, callerNames, callers } from './callers.ts'
import { realServer } from './realServer.ts'

/** A refused caller, by decisions sections 2 and 3. */
const refused: Partial<Record<CallerName, [number, string]>> = {
  keyless: [401, 'key_missing'],
  basic: [401, 'key_malformed'],
  malformed: [401, 'key_malformed'],
  mistyped: [401, 'key_malformed'],
  unknown: [401, 'key_unknown'],
  revoked: [403, 'key_revoked'],
  expired: [403, 'key_expired'],
}

type Outcome = number | [number, string]

interface Row {
  method: 'GET' | 'POST' | 'DELETE'
  /** As the app lists it. */
  route: string
  path: string
  body?: string
  /** Where it is required. */
  accept?: string
  needsKey: boolean
  /** Of a caller who has a good key (or of everybody where none is needed). */
  good: (caller: CallerName) => Outcome
}

/** No browser sent it from a page of ours. */
const formRefused: Outcome = [403, 'form_refused']
const isFree = (caller: CallerName) => caller === 'demo' || caller === 'free'
const always = (outcome: Outcome) => () => outcome
const panel = JSON.stringify({
  panel: [1, 2, 3, 4].flatMap(day =>
    ['A', 'B'].map((asset, place) => ({
      date: `2024-01-0${day + 1}`,
      asset,
      score: place,
      forward_return: 0.01 * place,
    })),
  ),
})

const get = (route: string, path: string, good: Row['good']): Row => ({
  method: 'GET',
  route,
  path,
  needsKey: true,
  good,
})
const open = (route: string, path = route, outcome: Outcome | Row['good'] = 200): Row => ({
  ...get(route, path, typeof outcome === 'function' ? outcome : () => outcome),
  needsKey: false,
})
/** A page on which a key can be pasted: one that is sent is checked, and without one it is that of a visitor. */
const pasted =
  (outcome: Outcome): Row['good'] =>
  caller =>
    caller === 'keyless' ? outcome : (refused[caller] ?? ofQuant(outcome)(caller))

const fundamentals = '/api/v1/fundamentals'
const restatements = '/api/v1/restatements'
const crossSection = '/api/v1/cross-section'
const panels = '/api/v1/panels'
const backtests = '/api/v1/backtests'
const unknownId = '019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55'
const ofQuant =
  (outcome: Outcome): Row['good'] =>
  caller =>
    caller === 'quant' ? outcome : [403, 'quant_required']
const licenceRequired: Row['good'] = caller => (isFree(caller) ? [403, 'licence_required'] : 200)

/** All share the demo key, so that it has no joins of its own. */
const ofOwnKey: Row['good'] = caller =>
  caller === 'demo' ? [403, 'licence_required'] : [404, 'entity_unknown']

/** OEM only where its order form says so, which this one does not. */
const ofBulk =
  (outcome: Outcome): Row['good'] =>
  caller =>
    caller === 'redistribution' ? outcome : [403, 'licence_required']

const table: Row[] = [
  get(fundamentals, `${fundamentals}?ticker=AAPL`, always(200)),
  get(fundamentals, `${fundamentals}?ticker=AAPL&as_of=2009-12-31`, always(200)),
  get(fundamentals, `${fundamentals}?ticker=SNOW&format=csv`, always(200)),
  get(fundamentals, `${fundamentals}?ticker=SNOW&as_of=2023-12-31`, licenceRequired),
  get(fundamentals, `${fundamentals}?ticker=AAPL,GOOGL&as_of=2016-12-31&metric=revenue`, always(200)),
  get(fundamentals, `${fundamentals}?ticker=AAPL,SNOW&view=latest&format=ndjson`, always(200)),
  get(fundamentals, `${fundamentals}?ticker=AAPL,SNOW&as_of=2023-12-31`, licenceRequired),
  get(fundamentals, fundamentals, always(200)),
  get(restatements, `${restatements}?metric=revenue&market=US&from=2010-01-01`, always(200)),
  get(restatements, `${restatements}?metric=revenue&market=US&as_of=2016-12-31`, licenceRequired),
  get(crossSection, `${crossSection}?metric=roe&market=US`, always(200)),
  get(crossSection, `${crossSection}?metric=roe&market=US&as_of=2016-12-31`, licenceRequired),
  get('/api/v1/frames', '/api/v1/frames?tag=us-gaap:Assets&period=CY2009Q2I&market=US', licenceRequired),
  ...[
    ['AAPL', always(200)] as const,
    ['SNOW', licenceRequired] as const,
    // Nothing of a company: there is nothing to open.
    ['NOSUCH', always(200)] as const,
  ].map(([ticker, good]) => ({
    ...get('/api/v1/as-of', '/api/v1/as-of', good),
    method: 'POST' as const,
    body: JSON.stringify({ rows: { date: ['2023-12-31'], ticker: [ticker] }, metrics: ['revenue'] }),
  })),
  ...[
    ['AAPL', always(200)] as const,
    ['SNOW', licenceRequired] as const,
    ['NOSUCH', always(200)] as const,
  ].map(([ticker, good]) => ({
    ...get('/api/v1/audits', '/api/v1/audits', good),
    method: 'POST' as const,
    body: JSON.stringify({ rows: { date: ['2023-12-31'], ticker: [ticker], revenue: [1] } }),
  })),
  ...['/api/v1/audits/:id', '/api/v1/audits/:id/result'].map(path =>
    get(path, path.replace(':id', unknownId), ofOwnKey),
  ),
  {
    ...get('/api/v1/audits/:id', `/api/v1/audits/${unknownId}`, ofOwnKey),
    method: 'DELETE' as const,
  },
  ...[
    get('/api/v1/as-of/:id', `/api/v1/as-of/${unknownId}`, ofOwnKey),
    get('/api/v1/as-of/:id/result', `/api/v1/as-of/${unknownId}/result`, ofOwnKey),
    {
      ...get('/api/v1/as-of/:id', `/api/v1/as-of/${unknownId}`, ofOwnKey),
      method: 'DELETE' as const,
    },
  ],
  ...[
    ['AAPL', always(200)] as const,
    ['SNOW', licenceRequired] as const,
    ['NOSUCH', always(200)] as const,
  ].map(([ticker, good]) => ({
    ...get('/api/v1/audits', '/api/v1/audits', good),
    method: 'POST' as const,
    body: JSON.stringify({ rows: { date: ['2023-12-31'], ticker: [ticker], revenue: [1] } }),
  })),
  ...[
    get('/api/v1/audits/:id', `/api/v1/audits/${unknownId}`, ofOwnKey),
    get('/api/v1/audits/:id/result', `/api/v1/audits/${unknownId}/result`, ofOwnKey),
    {
      ...get('/api/v1/audits/:id', `/api/v1/audits/${unknownId}`, ofOwnKey),
      method: 'DELETE' as const,
    },
  ],
  get('/api/v1/coverage', '/api/v1/coverage?market=US', always(200)),
  get('/api/v1/coverage/:id', '/api/v1/coverage/320193', always(200)),
  get('/api/v1/metrics', '/api/v1/metrics?market=US', always(200)),
  get('/api/v1/filings', '/api/v1/filings?ticker=SNOW&as_of=2023-12-31', always(200)),
  get('/api/v1/filings', '/api/v1/filings?market=US&format=csv', always(200)),
  get('/api/v1/statements', '/api/v1/statements?ticker=AAPL&statement=income', always(200)),
  get('/api/v1/statements', '/api/v1/statements?ticker=AAPL&statement=income&as_of=2009-12-31', always(200)),
  get('/api/v1/statements', '/api/v1/statements?ticker=SNOW&statement=balance&format=csv', licenceRequired),
  get(
    '/api/v1/statements',
    '/api/v1/statements?ticker=SNOW&statement=balance&as_of=2023-12-31',
    licenceRequired,
  ),
  get('/api/v1/reported', '/api/v1/reported?ticker=AAPL&tag=us-gaap:Assets', always(200)),
  get('/api/v1/reported', '/api/v1/reported?ticker=SNOW&tag=us-gaap:Assets&format=csv', licenceRequired),
  get('/api/v1/segments', '/api/v1/segments?ticker=AAPL&metric=revenue&axis=product', always(200)),
  get('/api/v1/segments', '/api/v1/segments?ticker=SNOW&metric=revenue&axis=product', licenceRequired),
  get('/api/v1/strategies', '/api/v1/strategies', always(200)),
  get('/api/v1/strategies/:name', '/api/v1/strategies/asset_growth', always(200)),
  get('/api/v1/strategies/:name/values', '/api/v1/strategies/asset_growth/values?market=US', licenceRequired),
  get('/api/v1/universe', '/api/v1/universe?market=US', always(200)),
  get('/api/v1/universe', '/api/v1/universe?market=US&as_of=2010-03-31&format=csv', always(200)),
  get('/api/v1/companies', '/api/v1/companies?ticker=SNOW,NOSUCH', always(200)),
  get('/api/v1/companies/:id', '/api/v1/companies/SNOW', always(200)),
  get('/api/v1/companies/:id', '/api/v1/companies/SNOW?as_of=2023-12-31', always(200)),
  get('/api/v1/signals', '/api/v1/signals?limit=5', always(200)),
  get('/api/v1/prices', '/api/v1/prices', always(200)),
  get('/api/v1/prices/:set', '/api/v1/prices/nosuch?ticker=AAPL', always([404, 'entity_unknown'])),
  get(
    '/api/v1/prices/:set/forward-returns',
    '/api/v1/prices/nosuch/forward-returns?from=2024-01-02&to=2024-01-03',
    always([404, 'entity_unknown']),
  ),
  {
    ...get(
      '/api/v1/prices/:set/forward-returns',
      '/api/v1/prices/nosuch/forward-returns',
      always([404, 'entity_unknown']),
    ),
    method: 'POST',
    body: JSON.stringify({ rows: { date: ['2024-01-02'], ticker: ['AAPL'] } }),
  },
  get('/api/v1/changes', '/api/v1/changes?since=1', ofBulk(200)),
  get('/api/v1/changes', '/api/v1/changes?since=99', ofBulk([400, 'parameter_invalid'])),
  get('/api/v1/bulk', '/api/v1/bulk', ofBulk(200)),
  get('/api/v1/bulk/:version/:file', '/api/v1/bulk/99/US-2010.parquet', ofBulk([404, 'entity_unknown'])),
  get('/api/v1/bulk/:version/:file', '/api/v1/bulk/latest/manifest.json', ofBulk([404, 'entity_unknown'])),
  {
    method: 'POST',
    route: '/api/v1/backtest',
    path: '/api/v1/backtest',
    body: panel,
    needsKey: true,
    good: ofQuant(200),
  },
  {
    ...get(`${backtests}/batch`, `${backtests}/batch`, ofQuant([400, 'parameter_invalid'])),
    method: 'POST',
    body: '{}',
  },
  get(backtests, `${backtests}?limit=5`, ofQuant(200)),
  get(`${backtests}/:id`, `${backtests}/${unknownId}`, ofQuant([404, 'entity_unknown'])),
  {
    ...get(`${backtests}/:id`, `${backtests}/${unknownId}`, ofQuant([404, 'entity_unknown'])),
    method: 'DELETE',
  },
  ...(['POST', 'GET'] as const).map(method => ({
    ...get(`${backtests}/:id/shares`, `${backtests}/${unknownId}/shares`, ofQuant([404, 'entity_unknown'])),
    method,
  })),
  {
    ...get(
      `${backtests}/:id/shares/:share`,
      `${backtests}/${unknownId}/shares/${unknownId}`,
      ofQuant([404, 'entity_unknown']),
    ),
    method: 'DELETE',
  },
  get(`${backtests}/:id/events`, `${backtests}/${unknownId}/events`, ofQuant([404, 'entity_unknown'])),
  { ...get(panels, panels, ofQuant(201)), method: 'POST', body: panel },
  get(panels, panels, ofQuant(200)),
  get(`${panels}/:id`, `${panels}/${unknownId}`, ofQuant([404, 'entity_unknown'])),
  { ...get(`${panels}/:id`, `${panels}/${unknownId}`, ofQuant([404, 'entity_unknown'])), method: 'DELETE' },
  open('/api/search', '/api/search?q=apple', caller =>
    caller === 'keyless' ? 200 : (refused[caller] ?? 200),
  ),
  open('/health'),
  open('/ready'),
  open('/openapi.json'),
  open('/docs'),
  open('/docs/guides'),
  open('/llms.txt'),
  open('/docs/guides/:name', '/docs/guides/start'),
  open('/docs/errors'),
  open('/docs/metrics'),
  get('/api/v1/me', '/api/v1/me', always(200)),
  // Without a session: keys open none of these.
  open('/sign-in'),
  open('/sign-in/code', '/sign-in/code', 303),
  open('/account', '/account', 303),
  open('/account/api-keys', '/account/api-keys', 303),
  open('/account/usage', '/account/usage', 303),
  open('/account/evaluation', '/account/evaluation', 303),
  open('/account/orders/:order/document', '/account/orders/1/document', 303),
  open('/account/licences', '/account/licences', 303),
  ...['/admin', '/admin/accounts', '/admin/keys', '/admin/requests', '/admin/orders'].map(path =>
    open(path, path, 303),
  ),
  open('/admin/accounts/:number', '/admin/accounts/1', 303),
  open('/admin/requests/:number', '/admin/requests/1', 303),
  ...[
    '/sign-in',
    '/sign-in/code',
    '/sign-out',
    '/account/sessions',
    '/account/browsers',
    '/account/api-keys',
    '/account/api-keys/name',
    '/account/api-keys/rotate',
    '/account/api-keys/revoke',
    '/account/api-keys/make',
    '/account/licences',
    '/account/licences/withdraw',
    '/account/evaluation',
  ].map(path => ({ ...open(path), method: 'POST' as const, body: '{}', good: () => formRefused })),
  // Signed out one is sent to sign in, whatever was sent. By role: test/features/admin/admin.test.ts.
  ...[
    '/admin/accounts/:number/grant',
    '/admin/grants/:number/extend',
    '/admin/keys/revoke',
    '/admin/requests/:number/grant',
    '/admin/requests/:number/refuse',
  ].map(route => ({
    ...open(route, route.replace(':number', '1'), 303),
    method: 'POST' as const,
    body: '{}',
  })),
  open('/'),
  open('/search', '/search?q=apple'),
  open('/search', '/search?q=AAPL', 303),
  open('/companies/:id', '/companies/AAPL'),
  open('/companies/:id', '/companies/AAPL?as_of=2009-12-31&cell=revenue.2009.FY.2009-09-26'),
  open('/companies/:id', '/companies/SNOW'),
  open('/companies/:id', '/companies/SNOW?as_of=2023-12-31', [403, 'licence_required']),
  open('/companies/:id', '/companies/NOTHING', [404, 'entity_unknown']),
  open('/companies/:id/download', '/companies/AAPL/download'),
  open('/companies/:id/download', '/companies/005930.KS/download', [403, 'licence_required']),
  // Of those who may see a set: test/features/pages/companyPrices.test.ts.
  open('/companies/:id/prices', '/companies/SNOW/prices?as_of=2023-12-31'),
  open('/companies/:id/prices', '/companies/NOTHING/prices', [404, 'entity_unknown']),
  // Filings cannot be cut to one fiscal year, so only the flagship companies are open to everybody.
  ...['statements', 'segments', 'statements/download', 'segments/download'].flatMap(part => [
    open(`/companies/:id/${part}`, `/companies/AAPL/${part}`),
    open(`/companies/:id/${part}`, `/companies/AAPL/${part}?as_of=2010-02-01`),
    open(`/companies/:id/${part}`, `/companies/SNOW/${part}`, [403, 'licence_required']),
    open(`/companies/:id/${part}`, `/companies/NOTHING/${part}`, [404, 'entity_unknown']),
  ]),
  open('/markets'),
  open('/markets/:code', '/markets/US'),
  open('/catalogue'),
  open('/restatements'),
  open('/restatements', '/restatements?as_of=2010-03-31', [403, 'licence_required']),
  open('/compare'),
  open('/compare', '/compare?companies=AAPL,GOOGL&as_of=2012-12-31'),
  open('/compare', '/compare?companies=AAPL,SNOW'),
  open('/compare', '/compare?companies=SNOW&as_of=2023-12-31', [403, 'licence_required']),
  open('/compare', '/compare?companies=NOTHING', [404, 'entity_unknown']),
  // States of companies are metadata, which are open for every day.
  open('/universe'),
  open('/universe', '/universe?market=US&as_of=2010-03-31'),
  open('/universe/download', '/universe/download?market=US&as_of=2010-03-31'),
  open('/universe/download', '/universe/download?market=KR', [403, 'licence_required']),
  open('/strategies'),
  open('/strategies/download'),
  open('/strategies/:name', '/strategies/accruals'),
  open('/strategies/:name', '/strategies/accruals?company=AAPL&as_of=2012-12-31'),
  open('/strategies/:name', '/strategies/accruals?company=SNOW', [403, 'licence_required']),
  open('/strategies/:name', '/strategies/nothing', [404, 'entity_unknown']),
  open('/strategies/:name/download', '/strategies/accruals/download'),
  open('/screen'),
  open('/screen', '/screen?as_of=2010-03-31', [403, 'licence_required']),
  open('/screen/download', '/screen/download?c1=revenue&c2=roe&format=parquet'),
  open('/screen/download', '/screen/download?c1=revenue&as_of=2010-03-31', [403, 'licence_required']),
  open('/screen/compare', '/screen/compare?pick_AAPL=1', 303),
  // Without a session: a key in Authorization is that of a person who pasted it.
  open('/backtest', '/backtest', pasted(200)),
  open('/backtest/example', '/backtest/example?horizon=7d'),
  open('/backtest/runs/:id', `/backtest/runs/${unknownId}`, pasted([404, 'entity_unknown'])),
  ...['report', 'result', 'curve', 'events'].map(part =>
    open(
      `/backtest/runs/:id/${part}`,
      `/backtest/runs/${unknownId}/${part}`,
      pasted([404, 'entity_unknown']),
    ),
  ),
  open('/shared/:token', '/shared/none', [404, 'entity_unknown']),
  ...['/backtest', '/backtest/runs/:id', '/backtest/runs/:id/cancel'].map(route => ({
    ...open(route, route.replace(':id', unknownId), formRefused),
    method: 'POST' as const,
    body: '{}',
  })),
  open('/audit'),
  open('/audit/sample.csv'),
  ...['', '/report', '/csv', '/parquet', '/json'].map(part =>
    open(`/audit/runs/:id${part}`, `/audit/runs/${unknownId}${part}`, [404, 'entity_unknown']),
  ),
  ...['/audit', '/audit/runs/:id/cancel'].map(route => ({
    ...open(route, route.replace(':id', unknownId), formRefused),
    method: 'POST' as const,
    body: '{}',
  })),
  // A message that requests nothing; what tools request is counted and refused as such: test/features/agentTools.
  {
    ...open('/mcp', '/mcp', caller => (caller === 'keyless' ? 200 : (refused[caller] ?? 200))),
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    accept: 'application/json, text/event-stream',
  },
  open('/prices'),
  open('/prices/:set', '/prices/nosuch', [404, 'entity_unknown']),
  open('/start'),
  open('/sample'),
  open('/sample/:file', '/sample/entities.csv'),
  open('/assets/:file', '/assets/base.css'),
  open('/robots.txt'),
  open('/sitemap.xml'),
  open('/sitemaps/:file', '/sitemaps/US-1.xml'),
]

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const keys = await callers(server.sql)
let address = 0
/** Routes that no limit counts. */
const uncounted = /^\/(health|ready|openapi|docs|assets|account\/assets|robots|llms|mcp)/

async function ask(row: Row, caller: CallerName): Promise<Response> {
  const headers: Record<string, string> = {
    'X-Forwarded-For': `10.9.${++address >> 8}.${address & 255}`,
    ...(keys[caller] === null ? {} : { Authorization: keys[caller] }),
    ...(row.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(row.accept === undefined ? {} : { Accept: row.accept }),
  }
  return fetch(server.url + row.path, {
    method: row.method,
    headers,
    redirect: 'manual',
    ...(row.body === undefined ? {} : { body: row.body }),
  })
}

test('no route is missing from the table, so none can be added without saying who may enter', () => {
  const listed = new Set(table.map(row => `${row.method} ${row.route}`))
  const served = server.app.routes.map(route => `${route.method} ${route.path}`)
  expect(nonEmpty(served).filter(route => !listed.has(route))).toEqual([])
  expect([...listed].filter(route => !served.includes(route))).toEqual([])
})

describe('every route answers every caller as the tables say', () => {
  for (const row of table) {
    test(`${row.method} ${row.path}`, async () => {
      for (const caller of nonEmpty(callerNames)) {
        const response = await ask(row, caller)
        const outcome = (row.needsKey && refused[caller]) || row.good(caller)
        const [status, code] = typeof outcome === 'number' ? [outcome, null] : outcome
        const text = await response.text()
        expect([caller, response.status, text.slice(0, 200)]).toEqual([caller, status, expect.anything()])
        if (code !== null) expect([caller, JSON.parse(text).error.code]).toEqual([caller, code])
        const challenge = response.headers.get('www-authenticate')
        expect([caller, challenge?.startsWith('Bearer') === true]).toEqual([caller, status === 401])
        const readsKey = row.needsKey || (row.route === '/api/search' && caller !== 'keyless')
        const counted = !uncounted.test(row.path) && (!readsKey || refused[caller] === undefined)
        expect([caller, response.headers.has('x-ratelimit-limit')]).toEqual([caller, counted])
        expect(response.headers.get('x-request-id')).toBeTruthy()
      }
    })
  }
})

describe('what a key opens', () => {
  const json = async (path: string, caller: CallerName) => {
    const headers = { Authorization: keys[caller] ?? '', 'X-Forwarded-For': `10.8.0.${++address & 255}` }
    const response = await fetch(server.url + path, { headers })
    return { response, body: await response.json() }
  }

  test('signals end 90 days before today without the quant plan, and the answer states it', async () => {
    for (const caller of [
      'demo',
      'free',
      'evaluation',
      'personal',
      'commercial',
      'redistribution',
      'oem',
    ] as const) {
      const { body } = await json('/api/v1/signals?limit=1', caller)
      expect([caller, body.tier, body.full_access, body.delayed_days]).toEqual([caller, caller, false, 90])
    }
    const { body } = await json('/api/v1/signals?limit=1', 'quant')
    expect([body.tier, body.full_access, body.delayed_days]).toEqual(['quant', true, 0])
  })

  test('demo and free keys see one fiscal year of a company that is no flagship, and the Free Licence', async () => {
    for (const caller of ['demo', 'free'] as const) {
      const { body } = await json(`${fundamentals}?ticker=SNOW`, caller)
      expect(new Set(body.data.map((row: { fy: number }) => row.fy)).size).toBe(1)
      expect(body.licence).toContain('Free Licence')
    }
    const { body } = await json(`${fundamentals}?ticker=SNOW`, 'personal')
    expect(new Set(body.data.map((row: { fy: number }) => row.fy)).size).toBeGreaterThan(1)
    expect(body.licence).toBeUndefined()
  })

  test('one class of keys is never answered from the cache of another', async () => {
    const path = `${fundamentals}?ticker=SNOW&view=history`
    const wide = await json(path, 'personal')
    const narrow = await json(path, 'demo')
    const wideAgain = await json(path, 'commercial')
    expect(narrow.body.count).toBeLessThan(wide.body.count)
    expect(wideAgain.body.count).toBe(wide.body.count)
    expect(narrow.response.headers.get('etag')).not.toBe(wide.response.headers.get('etag'))
  })

  test('limits are those of the table: demo 60/2,000, free 120/5,000, evaluation 120/2,000, paid as sold', async () => {
    const policies: Partial<Record<CallerName, string>> = {
      demo: '"minute";q=60;w=60, "day";q=2000;w=86400',
      free: '"minute";q=120;w=60, "day";q=5000;w=86400',
      evaluation: '"minute";q=120;w=60, "day";q=2000;w=86400',
      personal: '"minute";q=300;w=60',
      commercial: '"minute";q=1000;w=60',
      redistribution: '"minute";q=3000;w=60',
      oem: '"minute";q=3000;w=60',
      quant: '"minute";q=300;w=60',
    }
    for (const [caller, policy] of Object.entries(policies)) {
      const { response } = await json('/api/v1/coverage/AAPL', caller as CallerName)
      expect([caller, response.headers.get('ratelimit-policy')]).toEqual([caller, policy])
    }
    const { response } = await json('/api/search?q=apple', 'keyless')
    expect(response.headers.get('ratelimit-policy')).toBe('"minute";q=120;w=60, "day";q=3000;w=86400')
  })

  test('an evaluation key stops at its distinct entities and keeps those it has seen', async () => {
    const prefix = keys.evaluation?.slice('Bearer '.length, 'Bearer '.length + 17) ?? ''
    await server.sql`
      update key_grant set entity_cap = 2 where key_id = (select key_id from api_key where prefix = ${prefix})`
    await server.sql`delete from key_entity`
    await Bun.sleep(100)
    const statuses: number[] = []
    for (const ticker of ['AAPL', 'SNOW', 'GOOG', 'GOOGL', 'AAPL']) {
      statuses.push(
        (await json(`${fundamentals}?ticker=${ticker}&view=latest`, 'evaluation')).response.status,
      )
    }
    expect(statuses).toEqual([200, 200, 403, 403, 200])
  })

  test('lists and cross-sections count each company against the cap, and a refused one counts none', async () => {
    const prefix = keys.evaluation?.slice('Bearer '.length, 'Bearer '.length + 17) ?? ''
    await server.sql`
      update key_grant set entity_cap = 2 where key_id = (select key_id from api_key where prefix = ${prefix})`
    await server.sql`delete from key_entity`
    await Bun.sleep(100)
    const crossing = `${crossSection}?metric=revenue&market=US&fp=latest`
    const status = async (path: string) => {
      const { response, body } = await json(path, 'evaluation')
      return [response.status, body.error?.code ?? body.count]
    }
    const list = (tickers: string) => `${fundamentals}?ticker=${tickers}&view=latest&metric=revenue`
    // Three companies could be on the page: it is about those that the key has seen, and counts none.
    expect(await status(`${crossing}&limit=3`)).toEqual([200, 0])
    expect(await status(list('AAPL,SNOW,LPA'))).toEqual([403, 'entity_cap_reached'])
    const seen = async () => (await server.sql`select count(*)::int as n from key_entity`)[0].n
    expect(await seen()).toBe(0)
    // Two IDs of one company count once.
    expect(await status(list('GOOG,GOOGL'))).toEqual([200, 2])
    expect(await seen()).toBe(1)
    // Apple is the first of the market.
    expect(await status(`${crossing}&limit=1`)).toEqual([200, 1])
    const again = await fetch(`${server.url}${crossing}&limit=1`, {
      headers: { Authorization: keys.evaluation ?? '', 'If-None-Match': '*' },
    })
    expect(again.status).toBe(304)
    expect(await seen()).toBe(2)
    // At the cap a page of the market has Apple and Alphabet.
    expect(await status(crossing)).toEqual([200, 2])
    expect(await status(list('AAPL,SNOW'))).toEqual([403, 'entity_cap_reached'])
    expect(await status(list('AAPL,GOOGL'))).toEqual([200, 2])
  })

  test('If-None-Match: * of a key over its cap is 403: no answer exists for it', async () => {
    const prefix = keys.evaluation?.slice('Bearer '.length, 'Bearer '.length + 17) ?? ''
    await server.sql`
      update key_grant set entity_cap = 1 where key_id = (select key_id from api_key where prefix = ${prefix})`
    await server.sql`delete from key_entity`
    await Bun.sleep(100)
    const headers = { Authorization: keys.evaluation ?? '', 'If-None-Match': '*' }
    const statusOf = async (path: string) => (await fetch(server.url + path, { headers })).status
    expect(await statusOf(`${fundamentals}?ticker=GOOG&view=latest`)).toBe(304)
    for (const path of [
      `${fundamentals}?ticker=SNOW&view=latest&from=2011-02-03`,
      `${fundamentals}?ticker=AAPL,SNOW&view=latest`,
    ])
      expect([path, await statusOf(path)]).toEqual([path, 403])
    const [{ n }] = await server.sql`select count(*)::int as n from key_entity`
    expect(n).toBe(1)
  })
})
