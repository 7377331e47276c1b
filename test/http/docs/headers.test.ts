import { afterAll, expect, test } from 'bun:test'
import requests from '../../../src/http/docs/examples/requests.json' with { type: 'json' }
import { migrateQueue } from '../../../src/jobs/queue.ts'
import { sellKey } from '../callers.ts'
import { realServer } from '../realServer.ts'

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const quant = `Bearer ${await sellKey(server.sql, { licence: 'oem', quant: true, perMinute: 100_000 })}`

interface DocumentedResponse {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, unknown>>
}

const specification = await (await fetch(`${server.url}/openapi.json`)).json()

function documented(method: string, path: string, status: number): string[] {
  const operation = specification.paths[path][method]
  const response: DocumentedResponse = operation.responses[status]
  const { headers = {} } =
    response.$ref === undefined
      ? response
      : (specification.components.responses[response.$ref.split('/').at(-1) ?? ''] as DocumentedResponse)
  return Object.keys(headers).map(name => name.toLowerCase())
}

async function send(method: string, path: string, body: object | null, own: Record<string, string> = {}) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      Authorization: quant,
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      ...own,
    },
    body: body === null ? null : JSON.stringify(body),
  })
  await response.arrayBuffer()
  return response
}

test('each header that a page in a browser may read is documented where it is sent', async () => {
  const [database] = await server.sql<{ name: string }[]>`select current_database() as name`
  const { host, port, user, pass } = server.sql.options
  await migrateQueue(`postgres://${user}:${pass}@${host[0]}:${port[0]}/${database.name}`)
  const { panel, config } = requests.backtest_panel
  const backtest = { panel, config }
  const signals = '/api/v1/signals?limit=1'
  const tag = (await send('GET', signals, null)).headers.get('etag') ?? ''
  const once = { 'Idempotency-Key': 'headers' }
  const later = { Prefer: 'respond-async' }
  const cases = [
    [await send('GET', signals, null), 200, 'x-next-cursor'],
    [await send('GET', `${signals}&format=csv`, null), 200, 'x-next-cursor'],
    [await send('GET', signals, null, { 'If-None-Match': tag }), 304, 'etag'],
    [await send('GET', '/api/v1/cross-section?metric=roe&market=US&limit=1', null), 200, 'x-next-cursor'],
    [await send('GET', '/api/v1/restatements?metric=revenue&market=US&limit=1', null), 200, 'x-next-cursor'],
    [await send('POST', '/api/v1/panels', { panel }), 201, 'location'],
    [await send('POST', '/api/v1/panels', { panel }), 200, 'x-request-id'],
    [await send('POST', '/api/v1/backtest', backtest), 200, 'etag'],
    [await send('POST', '/api/v1/backtest', backtest, once), 200, 'etag'],
    [await send('POST', '/api/v1/backtest', backtest, once), 200, 'idempotency-replayed'],
    [await send('POST', '/api/v1/backtest', backtest, { ...later, 'Idempotency-Key': 'a' }), 202, 'location'],
    [
      await send('POST', '/api/v1/backtest', backtest, { ...later, 'Idempotency-Key': 'a' }),
      202,
      'preference-applied',
    ],
  ] as const
  for (const [response, status, expected] of cases) {
    const { pathname } = new URL(response.url)
    const exposed = response.headers.get('access-control-expose-headers')?.toLowerCase().split(', ') ?? []
    const sent = exposed.filter(name => response.headers.has(name))
    const method = /panels|backtest/.test(pathname) ? 'post' : 'get'
    const known = documented(method, pathname, response.status)
    expect({ pathname, status: response.status, sent }).toEqual({
      pathname,
      status,
      sent: expect.arrayContaining([expected]),
    })
    expect({ pathname, status, undocumented: sent.filter(name => !known.includes(name)) }).toEqual({
      pathname,
      status,
      undocumented: [],
    })
  }
}, 180_000)
