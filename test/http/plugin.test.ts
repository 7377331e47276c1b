import { afterAll, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { requireAccessPolicies } from '../../src/http/plugin.ts'
import { testDatabase } from '../database.ts'
import { testServer } from './testServer.ts'

const database = await testDatabase()
afterAll(() => database.close(), 60_000)

test('a route that names no access policy stops the start', async () => {
  const server = await testServer(database.sql)
  requireAccessPolicies(server.app)
  const open = new Elysia().get('/open-to-all', () => 'secret')
  expect(() => requireAccessPolicies(server.app.use(open))).toThrow('GET /open-to-all has no access policy')
  await server.stop()
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
