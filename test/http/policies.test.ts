import { afterAll, describe, expect, test } from 'bun:test'
import { makeToken } from '../../src/access/cookies.ts'
import { type RoutePolicy, routePolicies } from '../../src/http/routePolicies.ts'
import { testDatabase } from '../database.ts'
import { signedIn, TestBrowser } from '../features/account/browser.ts'
import { testServer } from './testServer.ts'

const operator = 'boss@operator.example'
const database = await testDatabase()
const { sql } = database
const server = await testServer(sql, {}, { ADMIN_EMAILS: operator })
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

const sessions = {
  member: (await signedIn(server, 'member@house.example')).cookies,
  operator: (await signedIn(server, operator)).cookies,
}
type Sender = keyof typeof sessions | 'stranger' | 'forger'

/** A browser in a network of its own: the limits of an address are not tested here. */
function browserOf(sender: Sender): TestBrowser {
  const browser = new TestBrowser(server.url)
  if (sender === 'forger') browser.cookies.set('asfiled_session', makeToken())
  else if (sender !== 'stranger')
    for (const [name, value] of sessions[sender]) browser.cookies.set(name, value)
  return browser
}

/** The routes of the app by the policy that they declare, so that a new route is tested without being listed. */
const routesOf = Map.groupBy(routePolicies(server.app), ({ policies: [policy] }) =>
  typeof policy === 'object' ? 'open' : policy,
)

/** Runs `check` for each route of a policy, and fails if there is none. */
function eachRoute(
  policy: NonNullable<Extract<RoutePolicy['policies'][number], string>>,
  check: (path: string, method: string) => Promise<void>,
): void {
  const routes = routesOf.get(policy) ?? []
  test(`${routes.length} routes have the policy ${policy}`, () => expect(routes).not.toEqual([]))
  for (const { method, path } of routes)
    test(`${method} ${path}`, () => check(path.replaceAll(/:\w+/g, '1'), method))
}

const foreign: Record<string, string>[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'cross-site', Origin: server.url },
]

/** A form of another site, and one that does not say where it is from. */
async function expectForeignFormsRefused(path: string, sender: Sender): Promise<void> {
  for (const headers of foreign) {
    const response = await browserOf(sender).post(path, {}, headers)
    expect([headers, response.status]).toEqual([headers, 403])
    expect(await response.text()).toContain('was not sent from a page of this service')
  }
  const unsaid = await fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      Cookie: [...browserOf(sender).cookies].map(pair => pair.join('=')).join('; '),
      'Content-Type': 'application/x-www-form-urlencoded',
    },
  })
  expect(unsaid.status).toBe(403)
}

const answerTo = ({ status, headers }: Response) => [status, headers.get('location')]
const changes = async () =>
  sql`select (select count(*)::int from account.audit) as acts, (select count(*)::int from key_grant) as grants`

describe('a page of the account sends everybody without a session to sign in', () => {
  eachRoute('sessionPage', async path => {
    for (const sender of ['stranger', 'forger'] as const)
      expect(answerTo(await browserOf(sender).get(path))).toEqual([303, `/sign-in?next=${path}`])
    expect((await browserOf('member').get(path)).headers.get('location')).toBeNull()
  })
})

describe('a form of the account needs a session and a page of ours, and changes nothing without them', () => {
  eachRoute('sessionForm', async path => {
    const before = await changes()
    for (const sender of ['stranger', 'forger'] as const)
      expect(answerTo(await browserOf(sender).post(path))).toEqual([303, '/sign-in'])
    for (const sender of ['stranger', 'member', 'operator'] as const)
      await expectForeignFormsRefused(path, sender)
    expect(await changes()).toEqual(before)
  })
})

/** What a path without a route answers, without the names of the path and the request. */
async function withoutNames(response: Response, path: string): Promise<unknown[]> {
  const text = (await response.text()).replaceAll(path, '').replaceAll(/request [\w-]+/g, '')
  return [response.status, [...response.headers.keys()].toSorted(), text]
}

describe('a page of operators does not exist for others', () => {
  eachRoute('adminPage', async path => {
    for (const sender of ['stranger', 'forger'] as const)
      expect(answerTo(await browserOf(sender).get(path))).toEqual([303, `/sign-in?next=${path}`])
    const missing = await withoutNames(await browserOf('member').get('/nothing'), '/nothing')
    expect(await withoutNames(await browserOf('member').get(path), path)).toEqual(missing)
    expect(await (await browserOf('operator').get(path)).text()).not.toContain('There is no route')
  })
})

describe('a form of operators does not exist for others, and comes from a page of ours', () => {
  eachRoute('adminForm', async path => {
    const before = await changes()
    for (const sender of ['stranger', 'forger'] as const)
      expect(answerTo(await browserOf(sender).post(path))).toEqual([303, '/sign-in?next=/admin'])
    for (const headers of [{}, ...foreign])
      expect((await browserOf('member').post(path, {}, headers)).status).toBe(404)
    await expectForeignFormsRefused(path, 'operator')
    expect(await changes()).toEqual(before)
  })
})

describe('a form for everybody comes from a page of ours', () => {
  for (const policy of ['visitorForm', 'pageForm'] as const)
    eachRoute(policy, async path => {
      const before = await changes()
      for (const sender of ['stranger', 'member'] as const) await expectForeignFormsRefused(path, sender)
      expect(await changes()).toEqual(before)
    })
})

describe('a route for keys needs one, and takes no session for it', () => {
  for (const policy of ['key', 'usage'] as const)
    eachRoute(policy, async (path, method) => {
      for (const sender of ['stranger', 'operator'] as const) {
        const cookies = [...browserOf(sender).cookies].map(pair => pair.join('=')).join('; ')
        const response = await fetch(server.url + path, {
          method,
          headers: { Cookie: cookies, 'X-Forwarded-For': browserOf(sender).network },
        })
        expect([sender, response.status]).toEqual([sender, 401])
        expect((await response.json()).error.code).toBe('key_missing')
      }
    })
})

test('every policy that a route declares has a test here or counts alone, and the open routes are those that we know', () => {
  expect([...routesOf.keys()].map(String).toSorted()).toEqual([
    'adminForm',
    'adminPage',
    'agent',
    'download',
    'key',
    'open',
    'page',
    'pageForm',
    'search',
    'sessionForm',
    'sessionPage',
    'usage',
    'visitorForm',
    'visitorPage',
  ])
  expect((routesOf.get('open') ?? []).map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
    'GET /assets/:file',
    'GET /docs',
    'GET /docs/errors',
    'GET /docs/guides',
    'GET /docs/guides/:name',
    'GET /docs/metrics',
    'GET /health',
    'GET /llms.txt',
    'GET /openapi.json',
    'GET /ready',
    'GET /robots.txt',
  ])
})
