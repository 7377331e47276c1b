import { afterAll, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { BodyReader } from '../../src/http/body.ts'
import { httpPlugin } from '../../src/http/plugin.ts'
import { requireAccessPolicies } from '../../src/http/routePolicies.ts'
import { UnpaidTurns } from '../../src/http/unpaidTurns.ts'
import { testDatabase } from '../database.ts'
import { testServer } from './testServer.ts'

const database = await testDatabase()
const server = await testServer(database.sql)
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

/** The policies as the routes of the app use them, for routes that the app does not have. */
const http = httpPlugin(
  {
    ...server.resources,
    bodies: new BodyReader(1, '/nonexistent'),
    unpaidTurns: new UnpaidTurns(),
    explain: () => null,
    errorPage: () => null,
  },
  () => server.app,
)
const secret = async () => 'secret'
const routes = () => new Elysia().use(http)

describe('the start is refused', () => {
  test('for a route that names no access policy', () => {
    requireAccessPolicies(server.app)
    expect(() => requireAccessPolicies(routes().get('/open-to-all', secret))).toThrow(
      'The route GET /open-to-all has no access policy.',
    )
  })

  test('for a route with two policies, of which one could admit what the other refuses', () => {
    const app = routes().get('/account/x', secret, { access: 'page', sessionPage: true })
    expect(() => requireAccessPolicies(app)).toThrow('GET /account/x has more than one access policy')
  })

  test('for an open or wrongly guarded route where routes are for accounts, operators or keys', () => {
    for (const [app, said] of [
      [routes().get('/admin', secret, { access: 'open' }), 'GET /admin is below /admin'],
      [routes().get('/admin/x', secret, { sessionPage: true }), 'the access policy sessionPage'],
      [routes().get('/account/x/:y', secret, { access: 'open' }), 'GET /account/x/:y is below /account'],
      [routes().get('/account', secret, { visitorPage: true }), 'the access policy visitorPage'],
      [routes().get('/api/v1/x', secret, { access: 'open' }), 'GET /api/v1/x is below /api/v1'],
      [routes().get('/api/v1/x', secret, { access: 'page' }), 'the access policy page'],
    ] as const)
      expect(() => requireAccessPolicies(app)).toThrow(said)
    const said = { openBecause: 'It holds a style.' }
    requireAccessPolicies(routes().get('/account/style.css', secret, { access: said }))
    requireAccessPolicies(routes().get('/administration', secret, { access: 'open' }))
  })

  test('for a route that changes something and is open, or has a policy that asks for no origin', () => {
    for (const [app, said] of [
      [routes().post('/x', secret, { access: 'open' }), 'POST /x changes something and does not say why'],
      [routes().delete('/x', secret, { access: 'open' }), 'DELETE /x changes something'],
      [routes().post('/x', secret, { access: 'page' }), 'POST /x has the access policy page'],
      [routes().post('/x', secret, { visitorPage: true }), 'POST /x has the access policy visitorPage'],
      [routes().post('/account/x', secret, { sessionPage: true }), 'the access policy sessionPage'],
      [routes().post('/admin/x', secret, { adminPage: true }), 'the access policy adminPage'],
    ] as const)
      expect(() => requireAccessPolicies(app)).toThrow(said)
    requireAccessPolicies(routes().post('/x', secret, { access: { openBecause: 'It answers an echo.' } }))
    requireAccessPolicies(routes().post('/account/x', secret, { sessionForm: true, parse: 'none' }))
  })
})

test('a handler gets an account from its policy alone', () => {
  // @ts-expect-error: an open page has no person.
  routes().get('/x', async ({ signedIn }) => String(signedIn), { access: 'open' })
  // @ts-expect-error: a page of the account has no form.
  routes().get('/account/x', async ({ form }) => String(form), { sessionPage: true })
  // @ts-expect-error: a page of the account has no operator.
  routes().get('/account/x', async ({ admin }) => String(admin), { sessionPage: true })
  // @ts-expect-error: a form that everybody may send may have no person.
  routes().post('/x', async ({ signedIn }) => signedIn.session.email, { visitorForm: true })
  const app = routes().get('/account/x', async ({ signedIn }) => signedIn.session.email, {
    sessionPage: true,
  })
  expect(() => requireAccessPolicies(app)).not.toThrow()
})

test('a handler does not run for a request that its policy answers or refuses', async () => {
  let runs = 0
  const run = async () => {
    runs++
    return { status: 200, body: null, headers: new Headers() }
  }
  const parse = 'none'
  const app = routes()
    .get('/account/x', run, { sessionPage: true })
    .post('/account/x', run, { sessionForm: true, parse })
    .get('/admin/x', run, { adminPage: true })
    .post('/admin/x', run, { adminForm: true, parse })
    .post('/x', run, { visitorForm: true, parse })
    .post('/y', run, { access: 'pageForm', parse })
    .get('/x', run, { visitorPage: true })
  requireAccessPolicies(app)
  const send = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const type = method === 'POST' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}
    const body = method === 'POST' ? 'a=1' : null
    const request = new Request(`http://localhost:3000${path}`, {
      method,
      headers: { ...type, ...headers },
      body,
    })
    return (await app.handle(request)).status
  }
  const own = { 'Sec-Fetch-Site': 'same-origin' }
  expect(await send('GET', '/account/x')).toBe(303)
  expect(await send('POST', '/account/x')).toBe(403)
  expect(await send('POST', '/account/x', own)).toBe(303)
  expect(await send('GET', '/admin/x')).toBe(303)
  expect(await send('POST', '/admin/x', own)).toBe(303)
  expect(await send('POST', '/x')).toBe(403)
  expect(await send('POST', '/y')).toBe(403)
  expect(runs).toBe(0)
  expect(await send('GET', '/x')).toBe(200)
  expect(await send('POST', '/x', own)).toBe(200)
  expect(await send('POST', '/y', own)).toBe(200)
  expect(runs).toBe(3)
})

test('servers of one process authorize and log their own requests only', async () => {
  const servers = [await testServer(database.sql), await testServer(database.sql)]
  for (const { url } of servers) {
    const response = await fetch(`${url}/api/v1/signals`, { headers: { Authorization: 'Bearer demo' } })
    expect(response.status).toBe(200)
  }
  for (const { logged } of servers) {
    // What the tests compare the answers with is read from the server itself.
    const sent = logged.filter(({ route }) => route !== '/openapi.json')
    expect(sent).toMatchObject([{ route: '/api/v1/signals', key: 'demo' }])
  }
  for (const server of servers) await server.stop()
})
