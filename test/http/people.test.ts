import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { revokeKey } from '../../src/access/keys.ts'
import { evaluation, memberWith, newMember } from '../features/account/members.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { realServer } from './realServer.ts'

setDefaultTimeout(180_000)

/** Everybody who comes with a browser. Those who come with a key are in access.test.ts. */
const people = [
  'signed out',
  'with an ended session',
  'without a key',
  'with a free key',
  'with an evaluation',
  'with an evaluation at its cap',
  'with an expired evaluation',
  'with a revoked key',
  'with a personal licence',
  'with the quant plan',
] as const
type Person = (typeof people)[number]

/** A status, with the code of a refusal or the place to which a page sends. */
type Outcome = number | readonly [number, string]

interface Row {
  readonly method: 'GET' | 'POST'
  /** As the app lists it. */
  readonly route: string
  readonly path: string
  /** Of a form. Its fields change nothing, from any sender. */
  readonly fields: Record<string, string>
  readonly outcome: (person: Person) => Outcome
}

const isOut = (person: Person) => person === 'signed out' || person === 'with an ended session'
const licensed: readonly Person[] = ['with an evaluation', 'with a personal licence', 'with the quant plan']
const capped: Person = 'with an evaluation at its cap'

const page = (
  path: string,
  outcome: Row['outcome'] | Outcome = 200,
  route = path.split('?')[0] ?? path,
): Row => ({
  method: 'GET',
  route,
  path,
  fields: {},
  outcome: typeof outcome === 'function' ? outcome : () => outcome,
})
const form = (path: string, fields: Record<string, string>, outcome: Row['outcome'] | Outcome): Row => ({
  ...page(path, outcome),
  method: 'POST',
  fields,
})

/** A page or form of the account: others are sent to sign in. */
const inAccount =
  (outcome: Outcome, next = ''): Row['outcome'] =>
  person =>
    isOut(person) ? [303, `/sign-in${next}`] : outcome
/** A page of operators: for everybody else who is signed in there is none. Of operators: test/features/admin. */
const inAdmin = (path: string): Row => page(path, inAccount(404, `?next=${path}`))
/** Days and years that a licence opens. */
const licence: Row['outcome'] = person => {
  if (person === capped) return [403, 'entity_cap_reached']
  return licensed.includes(person) ? 200 : [403, 'licence_required']
}
/** The same for a list of a market: at the cap it has the companies that were seen. */
const listLicence: Row['outcome'] = person => (person === capped ? 200 : licence(person))
/** What everybody sees, save who may see no further company. */
const company: Row['outcome'] = person => (person === capped ? [403, 'entity_cap_reached'] : 200)
const openTo = (path: string, ...routes: string[]) => page(path, 200, ...routes)

/** A new page or form needs a line here: who may see it, and what the others get. */
const table: readonly Row[] = [
  openTo('/'),
  openTo('/search?q=apple'),
  page('/companies/SNOW', company, '/companies/:id'),
  page('/companies/SNOW?as_of=2023-12-31', licence, '/companies/:id'),
  page('/companies/NOTHING', [404, 'entity_unknown'], '/companies/:id'),
  page('/companies/SNOW/download', company, '/companies/:id/download'),
  // The terms come before the cap: a download that is refused for them counts no company.
  page('/companies/005930.KS/download', [403, 'licence_required'], '/companies/:id/download'),
  ...['statements', 'segments', 'statements/download', 'segments/download'].flatMap(part => [
    page(`/companies/SNOW/${part}`, licence, `/companies/:id/${part}`),
    page(`/companies/SNOW/${part}?as_of=2023-12-31`, licence, `/companies/:id/${part}`),
    page(`/companies/AAPL/${part}`, company, `/companies/:id/${part}`),
    page(`/companies/NOTHING/${part}`, [404, 'entity_unknown'], `/companies/:id/${part}`),
  ]),
  ...['statements', 'segments'].map(part =>
    page(
      `/companies/005930.KS/${part}/download`,
      [403, 'licence_required'],
      `/companies/:id/${part}/download`,
    ),
  ),
  openTo('/companies/SNOW/prices', '/companies/:id/prices'),
  page('/companies/NOTHING/prices', [404, 'entity_unknown'], '/companies/:id/prices'),
  openTo('/markets'),
  openTo('/markets/US', '/markets/:code'),
  openTo('/catalogue'),
  openTo('/restatements'),
  page('/restatements?as_of=2010-03-31', listLicence),
  openTo('/screen'),
  page('/screen?as_of=2010-03-31', listLicence),
  openTo('/screen/download?c1=revenue', '/screen/download'),
  page('/screen/compare?pick_AAPL=1&pick_SNOW=1', [303, '/compare?companies=AAPL,SNOW'], '/screen/compare'),
  openTo('/compare'),
  openTo('/strategies'),
  openTo('/strategies/download'),
  openTo('/strategies/accruals', '/strategies/:name'),
  openTo('/strategies/accruals/download', '/strategies/:name/download'),
  openTo('/universe'),
  openTo('/universe/download?market=US', '/universe/download'),
  openTo('/backtest'),
  openTo('/backtest/example?horizon=7d', '/backtest/example'),
  // Of addresses that work: test/features/sharedReports.
  page('/shared/none', 404, '/shared/:token'),
  ...['', '/report', '/result', '/curve', '/events'].map(part =>
    page(
      `/backtest/runs/019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55${part}`,
      part === '' ? 404 : [404, 'entity_unknown'],
      `/backtest/runs/:id${part}`,
    ),
  ),
  openTo('/audit'),
  openTo('/audit/sample.csv'),
  ...['', '/report', '/csv', '/parquet', '/json'].map(part =>
    page(
      `/audit/runs/019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55${part}`,
      part === '' ? 404 : [404, 'entity_unknown'],
      `/audit/runs/:id${part}`,
    ),
  ),
  openTo('/prices'),
  page('/prices/nosuch', 404, '/prices/:set'),
  openTo('/start'),
  openTo('/sample'),
  openTo('/sample/entities.csv', '/sample/:file'),
  openTo('/assets/base.css', '/assets/:file'),
  openTo('/robots.txt'),
  openTo('/sitemap.xml'),
  openTo('/sitemaps/US-1.xml', '/sitemaps/:file'),
  openTo('/docs'),
  openTo('/docs/guides'),
  openTo('/llms.txt'),
  openTo('/docs/guides/start', '/docs/guides/:name'),
  openTo('/docs/errors'),
  openTo('/docs/metrics'),
  openTo('/openapi.json'),
  openTo('/health'),
  openTo('/ready'),
  openTo('/api/search?q=apple'),
  page('/sign-in', person => (isOut(person) ? 200 : [303, '/account'])),
  page('/sign-in/code', [303, '/sign-in']),
  page('/account', inAccount(200, '?next=/account')),
  page('/account/api-keys', inAccount(200, '?next=/account/api-keys')),
  page('/account/usage', inAccount(200, '?next=/account/usage')),
  page('/account/evaluation', inAccount(200, '?next=/account/evaluation')),
  page('/account/licences', inAccount(200, '?next=/account/licences')),
  page(
    '/account/orders/1/document',
    inAccount(404, '?next=/account/orders/1/document'),
    '/account/orders/:order/document',
  ),
  ...['/admin', '/admin/accounts', '/admin/keys', '/admin/requests', '/admin/orders'].map(inAdmin),
  { ...inAdmin('/admin/accounts/1'), route: '/admin/accounts/:number' },
  { ...inAdmin('/admin/requests/1'), route: '/admin/requests/:number' },
  form('/sign-in', { email: 'no address' }, 400),
  form('/sign-in/code', { code: '000000' }, 400),
  form('/account/sessions', { session: '0' }, inAccount([303, '/account'])),
  form('/account/browsers', { browser: '0' }, inAccount([303, '/account'])),
  form('/account/api-keys', { name: 'x'.repeat(61) }, inAccount(400)),
  form('/account/api-keys/name', { key: '0', name: 'x' }, inAccount(404)),
  form('/account/api-keys/rotate', { key: '0' }, inAccount(404)),
  form('/account/api-keys/revoke', { key: '0' }, inAccount(404)),
  form('/account/api-keys/make', { key: '0' }, inAccount(404)),
  // Without OPERATOR no evaluation is offered.
  form('/account/evaluation', {}, inAccount(409)),
  form('/account/licences', {}, inAccount(400)),
  form('/account/licences/withdraw', { request: '0' }, inAccount(404)),
  ...[
    '/admin/accounts/:number/grant',
    '/admin/grants/:number/extend',
    '/admin/keys/revoke',
    '/admin/requests/:number/grant',
    '/admin/requests/:number/refuse',
  ].map(route => ({
    ...form(route.replace(':number', '1'), {}, inAccount(404, '?next=/admin')),
    route,
  })),
  form('/backtest', { quantile: 'none' }, person => {
    if (isOut(person)) return [303, '/sign-in?next=/backtest']
    return person === 'with the quant plan' ? 400 : [403, 'quant_required']
  }),
  {
    ...form('/backtest/runs/019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55', {}, [404, 'entity_unknown']),
    route: '/backtest/runs/:id',
  },
  {
    ...form('/backtest/runs/019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55/cancel', {}, [404, 'entity_unknown']),
    route: '/backtest/runs/:id/cancel',
  },
  form('/audit', { columns: 'sales=revenue' }, 400),
  {
    ...form('/audit/runs/019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55/cancel', {}, [404, 'entity_unknown']),
    route: '/audit/runs/:id/cancel',
  },
  // No form: it reads no cookie, and takes messages alone.
  form('/mcp', {}, 415),
  // The last one: it ends the session.
  form('/sign-out', {}, [303, '/sign-in']),
]

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const { sql } = server

/** The cookies of each. */
async function makePeople(): Promise<Record<Person, string>> {
  const of = async (change: Parameters<typeof memberWith>[2]) => memberWith(server, sql, change)
  const ended = await newMember(server)
  await ended.browser.post('/sign-out')
  const full = await of(evaluation)
  await sql`update key_grant set entity_cap = 1 where key_id = ${full.keyId}`
  await sql`insert into key_entity (key_id, entity_id) values (${full.keyId}, -1)`
  const expired = await of(evaluation)
  await sql`update key_grant set expires_at = now() where key_id = ${expired.keyId}`
  const revoked = await of({ licence: 'commercial' })
  await revokeKey({ sql }, revoked.key)
  return {
    'signed out': '',
    'with an ended session': ended.cookie,
    'without a key': (await newMember(server)).cookie,
    'with a free key': (await of({ licence: 'free' })).cookie,
    'with an evaluation': (await of(evaluation)).cookie,
    'with an evaluation at its cap': full.cookie,
    'with an expired evaluation': expired.cookie,
    'with a revoked key': revoked.cookie,
    'with a personal licence': (await of({ licence: 'personal' })).cookie,
    'with the quant plan': (await of({ licence: 'personal', quant: true })).cookie,
  }
}

const cookies = await makePeople()
let address = 0
const network = () => `10.13.${++address >> 8}.${address & 255}`

function send(row: Row, person: Person, headers: Record<string, string> = {}, method: string = row.method) {
  const isForm = method === 'POST'
  return fetch(server.url + row.path, {
    method,
    redirect: 'manual',
    headers: {
      Accept: 'text/html,*/*;q=0.8',
      'X-Forwarded-For': network(),
      ...(cookies[person] === '' ? {} : { Cookie: cookies[person] }),
      ...(isForm ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
      ...headers,
    },
    ...(isForm ? { body: new URLSearchParams(row.fields).toString() } : {}),
  })
}
const asOurPage = { 'Sec-Fetch-Site': 'same-origin' }

test('no page and no form is missing from the table, so none can be added without saying who may see it', () => {
  const listed = new Set(table.map(row => `${row.method} ${row.route}`))
  const served = server.app.routes
    .filter(({ path }) => !path.startsWith('/api/v1/'))
    .map(({ method, path }) => `${method} ${path}`)
  expect(nonEmpty(served).filter(route => !listed.has(route))).toEqual([])
  expect([...listed].filter(route => !served.includes(route))).toEqual([])
})

/** Forms of operators do not exist for others, wherever they come from. From operators: test/features/admin. */
const forms = table.filter(
  ({ method, route }) => method === 'POST' && !route.startsWith('/admin/') && route !== '/mcp',
)
const pages = table.filter(({ method }) => method === 'GET')

describe('a form that no page of ours sent is refused to everybody, before anything else', () => {
  const origins: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'none' },
    { 'Sec-Fetch-Site': 'same-origin, cross-site' },
    { 'Sec-Fetch-Site': 'cross-site', Origin: server.url },
    { Origin: 'null' },
    { Origin: 'https://evil.example' },
    { Origin: `${server.url}.evil.example` },
    { Origin: `${server.url.replace('://', '://evil@')}.evil.example` },
    { Referer: server.url },
    {},
  ]
  for (const row of nonEmpty(forms)) {
    test(row.path, async () => {
      for (const person of ['signed out', 'with a personal licence'] as const) {
        for (const headers of origins) {
          const response = await send(row, person, headers)
          expect([person, headers, response.status]).toEqual([person, headers, 403])
          expect(await response.text()).toContain('was not sent from a page of this service')
          expect(response.headers.getSetCookie()).toEqual([])
        }
        const json = { ...asOurPage, 'Content-Type': 'text/plain' }
        // Who may not run backtests learns it before the form is read.
        const withoutRights = person === 'signed out' ? 303 : 403
        const status = row.path === '/backtest' ? withoutRights : 415
        expect([person, (await send(row, person, json)).status]).toEqual([person, status])
      }
    })
  }
})

describe('every page and form answers everybody as the table says', () => {
  for (const row of table) {
    test(`${row.method} ${row.path}`, async () => {
      for (const person of people) {
        const response = await send(row, person, asOurPage)
        const outcome = row.outcome(person)
        const [status, detail] = typeof outcome === 'number' ? [outcome, null] : outcome
        const body = await response.text()
        expect([person, response.status]).toEqual([person, status])
        if (status === 303) expect([person, response.headers.get('location')]).toEqual([person, detail])
        else if (detail !== null) expect(body).toContain(`/docs/errors#${detail}`)
        checkHeaders(row, person, response)
      }
    })
  }
})

/** What holds for every answer to a browser. */
function checkHeaders({ path }: Row, person: Person, { headers, status }: Response): void {
  const about = [path, person]
  const type = headers.get('content-type') ?? ''
  if (type.startsWith('text/html')) {
    const policy = headers.get('content-security-policy') ?? ''
    expect([...about, policy.includes("default-src 'none'")]).toEqual([...about, true])
    // A report may be framed by our own pages. It has a policy of its own, which allows no script at all.
    const isReport = path.startsWith('/backtest/example')
    const ancestors = isReport ? "frame-ancestors 'self'" : "frame-ancestors 'none'"
    expect([...about, policy.includes(ancestors)]).toEqual([...about, true])
    expect([...about, policy.includes("base-uri 'none'")]).toEqual([...about, true])
    expect([...about, /form-action '(self|none)'/.test(policy)]).toEqual([...about, true])
    expect([...about, isReport || /script-src 'self'(;|$)/.test(policy)]).toEqual([...about, true])
    if (isReport) expect([...about, policy.includes('script-src')]).toEqual([...about, false])
    // Swagger UI sets style attributes.
    if (path !== '/docs') expect([...about, policy.includes('unsafe')]).toEqual([...about, false])
    expect([...about, headers.has('referrer-policy')]).toEqual([...about, true])
  }
  if (status < 300) expect([...about, headers.get('x-content-type-options')]).toEqual([...about, 'nosniff'])
  const isPersonal =
    !/^\/(docs|assets|account\/assets|openapi|health|ready|api|mcp|robots|llms|sitemap|sample\/)/.test(path)
  if (isPersonal) {
    expect([...about, /no-store|private/.test(headers.get('cache-control') ?? '')]).toEqual([...about, true])
    expect([...about, headers.get('vary')?.includes('Cookie')]).toEqual([...about, true])
    expect([...about, headers.get('access-control-allow-origin')]).toEqual([...about, null])
  }
  for (const cookie of headers.getSetCookie())
    expect(cookie).toMatch(/^asfiled_\w+=[\w-]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
}

describe('the other methods', () => {
  test('HEAD has the status and the headers of GET, and no body', async () => {
    for (const row of nonEmpty(pages)) {
      for (const person of ['signed out', 'with a personal licence', capped] as const) {
        const [get, head] = [await send(row, person), await send(row, person, {}, 'HEAD')]
        const about = [row.path, person]
        expect([...about, head.status, await head.text()]).toEqual([...about, get.status, ''])
        for (const name of ['content-type', 'content-security-policy', 'cache-control', 'vary', 'location'])
          expect([...about, name, head.headers.get(name)]).toEqual([...about, name, get.headers.get(name)])
      }
    }
  })

  test('OPTIONS names the methods, and lets no site send cookies', async () => {
    for (const row of table) {
      const response = await send(
        row,
        'with a personal licence',
        { Origin: 'https://evil.example' },
        'OPTIONS',
      )
      const allow = response.headers.get('allow') ?? ''
      expect([row.path, response.status, allow.includes(row.method)]).toEqual([row.path, 204, true])
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  test('others are refused', async () => {
    for (const row of table) {
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const response = await send(row, 'with a personal licence', asOurPage, method)
        expect([row.path, method, response.status]).toEqual([row.path, method, 405])
      }
    }
  })
})
