import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../database.ts'
import { insertCompanies } from '../features/companies/fixtures.ts'
import { rawRequest } from './rawRequest.ts'
import { testServer } from './testServer.ts'

const database = await testDatabase()
await insertCompanies(database.sql)
const server = await testServer(database.sql)
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

const request = (path: string, id: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer demo\r\nX-Request-Id: ${id}\r\n\r\n`

/** Sends requests in one piece: the statuses that arrived, and those that the log has. */
async function pipeline(name: string, paths: readonly string[]) {
  const ids = paths.map((_, position) => `${name}-${position}`)
  const bytes = paths.map((path, position) => request(path, ids[position])).join('')
  const answers = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(match => Number(match[1]))
  const { text } = await rawRequest(server.port, bytes, {
    timeoutMs: 3_000,
    isWhole: received => answers(received).length === paths.length,
  })
  const logged = () =>
    server.logged.filter(line => ids.includes(String(line.requestId))).map(line => line.status)
  // The answer that nobody waits for any more takes its time.
  for (let waits = 0; waits < 100 && logged().length === 0; waits++) await Bun.sleep(50)
  await Bun.sleep(200)
  return { arrived: answers(text), logged: logged() }
}

test('pipelined requests that are answered at once are all answered, in order', async () => {
  const { arrived, logged } = await pipeline('sync', ['/nothing', '/docs', '/nothing'])
  expect(arrived).toEqual([404, 200, 404])
  expect(logged).toEqual([404, 200, 404])
})

// Bun 1.4.4 closes the connection: docs/bun-pipelining.md. When it no longer does, all three arrive, and this test still holds.
test('the log never says that an answer was given which a pipelined request has cost', async () => {
  for (const path of ['/api/search?q=one', '/api/v1/fundamentals?ticker=ONE', '/api/v1/signals']) {
    const { arrived, logged } = await pipeline(path.replace(/\W/g, ''), [path, path, '/nothing'])
    expect(logged.length).toBeGreaterThan(0)
    const well = (statuses: readonly unknown[]) => statuses.filter(status => status !== 499)
    expect([path, well(logged)]).toEqual([path, arrived])
  }
})
