import { afterAll, describe, expect, test } from 'bun:test'
import { testDatabase } from '../database.ts'
import { insertCompanies } from '../features/companies/fixtures.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { testServer } from './testServer.ts'

const database = await testDatabase()
await insertCompanies(database.sql)
afterAll(() => database.close(), 60_000)

/** The routes and statuses that are logged of 250 quick requests, errors, probes and a slow request. */
async function logged(LOG_LEVEL: string) {
  // It stands still, so that a busy machine makes no request slow, until it steps at each look.
  let nowMs = 0
  let stepMs = 0
  const elapsedMs = () => {
    nowMs += stepMs
    return nowMs
  }
  const server = await testServer(database.sql, { elapsedMs }, { LOG_LEVEL })
  const get = async (path: string) => (await fetch(server.url + path)).arrayBuffer()
  for (let i = 0; i < 250; i++) await get('/docs')
  for (const probe of ['/health', '/ready', '/health?x=1']) await get(probe)
  await get('/nothing')
  await get('/api/v1/fundamentals?ticker=AAPL')
  stepMs = 1_500
  await get('/docs/errors')
  await server.stop()
  return server.logged.filter(({ msg }) => msg === 'request')
}

const count = (lines: Record<string, unknown>[], status: number) =>
  lines.filter(line => line.status === status).length

describe('lines of requests', () => {
  test('at level info: all errors, slow requests, one in a hundred of the others, and no probe', async () => {
    const lines = await logged('info')
    expect([count(lines, 404), count(lines, 401)]).toEqual([1, 1])
    expect(lines.filter(({ sample }) => sample === 100).length).toBe(3)
    expect(lines.filter(({ ms }) => Number(ms) >= 1_000)).toMatchObject([
      { route: '/docs/errors', status: 200 },
    ])
    expect(lines.filter(({ ms }) => Number(ms) >= 1_000)[0]).not.toHaveProperty('sample')
    expect(lines.length).toBe(6)
  })

  test('at level debug: each request except probes', async () => {
    const lines = await logged('debug')
    // What the tests compare the answers with is read from the server itself.
    const sent = lines.filter(({ route }) => route !== '/openapi.json')
    expect(sent.length).toBe(253)
    expect(nonEmpty(lines).filter(({ route }) => route === '/health' || route === '/ready')).toEqual([])
    expect(nonEmpty(lines).filter(line => 'sample' in line)).toEqual([])
  })
})
