import { afterAll, describe, expect, test } from 'bun:test'
import { errorCodes, Failure } from '../../src/errors.ts'
import { RequestContext } from '../../src/http/context.ts'
import { errorAdvice } from '../../src/http/docs/errorsPage.ts'
import { errorAnswer, errorStatus } from '../../src/http/errors.ts'
import { testDatabase } from '../database.ts'
import { insertCompanies, insertEntity } from '../features/companies/fixtures.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { sellKey } from './callers.ts'
import { databaseError, interceptSql, statementTimeout } from './interceptSql.ts'
import { testServer } from './testServer.ts'

const database = await testDatabase()
await insertCompanies(database.sql)
const nearNone = ['ONE', 'NINE', 'NOPE', 'NONA', 'DONE']
for (const ticker of nearNone)
  await insertEntity(database.sql, { market: 'US', issuerId: ticker, ticker, name: null })
/** Looking up the company BROKEN throws, like a defect. */
const lookups = interceptSql(database.sql, (_, parameters) =>
  parameters.flat().includes('BROKEN') ? Promise.reject(new Error('secret detail of a defect')) : undefined,
)
const server = await testServer(database.sql, { lookups }, { BASE_URL: 'http://localhost:3000' })
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

let address = 0
const ask = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  fetch(server.url + path, {
    ...init,
    headers: {
      Authorization: 'Bearer demo',
      'Accept-Encoding': 'identity',
      'X-Forwarded-For': `10.7.${++address >> 8}.${address & 255}`,
      ...init.headers,
    },
  })

describe('errors', () => {
  test('have one body, whose doc_url is a page that explains the code', async () => {
    const response = await ask('/api/v1/fundamentals?ticker=AAPL&as_of=2024-02-30')
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/json')
    const { error } = await response.json()
    expect(error).toEqual({
      type: 'invalid_request',
      code: 'parameter_invalid',
      message: expect.stringContaining('as_of=2024-02-30'),
      param: 'as_of',
      request_id: response.headers.get('x-request-id'),
      doc_url: 'http://localhost:3000/docs/errors#parameter_invalid',
    })
    const page = await (await ask('/docs/errors')).text()
    for (const code of nonEmpty(errorCodes)) expect(page).toContain(`id="${code}"`)
  })

  test('come as RFC 9457 where Accept names it', async () => {
    const response = await ask('/api/v1/fundamentals?x=1', {
      headers: { Accept: 'application/problem+json' },
    })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({
      type: 'http://localhost:3000/docs/errors#parameter_unknown',
      title: 'Unknown parameter',
      status: 400,
      detail: expect.stringContaining('ticker'),
      param: 'x',
    })
  })

  test('never show the text of an exception; the log has it under the request id', async () => {
    const response = await ask('/api/v1/fundamentals?ticker=BROKEN')
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(text).not.toContain('secret')
    const id = response.headers.get('x-request-id')
    const line = server.logged.find(entry => entry.requestId === id && entry.msg === 'defect')
    expect(JSON.stringify(line)).toContain('secret detail of a defect')
  })

  test('of an unknown entity name at most three that are near', async () => {
    const response = await ask('/api/v1/fundamentals?ticker=NONE')
    expect(response.status).toBe(404)
    const { near } = (await response.json()).error
    expect(near).toHaveLength(3)
    expect(nearNone).toEqual(expect.arrayContaining(near))
    const context = new RequestContext(new Request('http://x/'), null, 'id', 'address', 0)
    const failure = new Failure('entity_unknown', 'No such entity.', { near: ['ONE', 'N', 'E', 'X'] })
    const { body } = errorAnswer('http://x', context, failure)
    expect(JSON.parse(String(body)).error.near).toEqual(['ONE', 'N', 'E'])
  })

  test('map every code to a status of decisions section 2, and explain it', () => {
    const statuses = new Set(errorCodes.map(code => errorStatus(code).status))
    expect([...statuses].sort()).toEqual([400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503, 504])
    for (const code of nonEmpty(errorCodes)) expect(errorAdvice[code].length).toBeGreaterThan(20)
  })
})

describe('routes', () => {
  test('an unknown one is 404, a wrong method 405 with Allow', async () => {
    const unknown = await ask('/api/v2/fundamentals')
    expect([unknown.status, (await unknown.json()).error.code]).toEqual([404, 'route_unknown'])
    for (const [method, path, allow] of [
      ['POST', '/api/v1/fundamentals', 'GET, HEAD, OPTIONS'],
      ['DELETE', '/api/v1/coverage/AAPL', 'GET, HEAD, OPTIONS'],
      ['GET', '/api/v1/backtest', 'POST, OPTIONS'],
      ['PUT', '/docs', 'GET, HEAD, OPTIONS'],
    ]) {
      const response = await ask(path, { method })
      expect([method, path, response.status, response.headers.get('allow')]).toEqual([
        method,
        path,
        405,
        allow,
      ])
    }
  })

  test('HEAD answers as GET does, without the body', async () => {
    for (const path of ['/api/v1/fundamentals?ticker=AAPL', '/api/v1/signals', '/health', '/docs']) {
      const get = await ask(path)
      const head = await ask(path, { method: 'HEAD' })
      expect([path, head.status, await head.text()]).toEqual([path, 200, ''])
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
      expect(head.headers.get('etag')).toBe(get.headers.get('etag'))
    }
  })

  test('OPTIONS tells browsers of other origins what they may send', async () => {
    const response = await ask('/api/v1/backtest', {
      method: 'OPTIONS',
      headers: { Origin: 'https://a.example' },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS')
    expect(response.headers.get('access-control-allow-headers')).toContain('Authorization')
    expect((await ask('/nothing', { method: 'OPTIONS' })).status).toBe(404)
  })
})

describe('the request id', () => {
  test('is ours, or the client’s where it is harmless', async () => {
    const mine = await ask('/health')
    expect(mine.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/)
    const theirs = await ask('/health', { headers: { 'X-Request-Id': 'trace-1.2:3' } })
    expect(theirs.headers.get('x-request-id')).toBe('trace-1.2:3')
    for (const odd of ['a b', 'x'.repeat(65), '<script>', '"']) {
      const response = await ask('/health', { headers: { 'X-Request-Id': odd } })
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}-/)
    }
  })
})

describe('the log', () => {
  test('has one line a request, with the prefix of the key and never the key', async () => {
    const response = await ask('/api/v1/fundamentals?ticker=AAPL', { headers: { 'X-Request-Id': 'log-1' } })
    expect(response.status).toBe(200)
    const lines = server.logged.filter(entry => entry.requestId === 'log-1')
    expect(lines).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        requestId: 'log-1',
        method: 'GET',
        route: '/api/v1/fundamentals',
        status: 200,
        ms: expect.any(Number),
        key: 'demo',
        address: expect.stringMatching(/^10\.7\./),
        msg: 'request',
      },
    ])
  })

  test('has one line a failed request, too, with the code of its error', async () => {
    for (const [path, headers, route, status, code] of [
      ['/api/v1/fundamentals?x=1', {}, '/api/v1/fundamentals', 400, 'parameter_unknown'],
      ['/api/v1/signals', { Authorization: '' }, '/api/v1/signals', 401, 'key_malformed'],
      ['/nothing', {}, 'unrouted', 404, 'route_unknown'],
    ] as const) {
      const id = `log-${code}`
      await ask(path, { headers: { ...headers, 'X-Request-Id': id } })
      const lines = server.logged.filter(entry => entry.requestId === id)
      expect(lines).toMatchObject([{ level: 30, route, status, code, msg: 'request' }])
    }
  })
})

describe('caching', () => {
  const path = '/api/v1/fundamentals?ticker=AAPL&view=latest'

  test('an ETag that still holds is answered 304, without a body', async () => {
    const first = await ask(path)
    const tag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    expect(first.headers.get('vary')).toBe('Accept, Accept-Encoding, Authorization')
    for (const value of [tag, `"other", ${tag}`, tag.slice(2), '*']) {
      const again = await ask(path, { headers: { 'If-None-Match': value } })
      expect([value, again.status, await again.text()]).toEqual([value, 304, ''])
      expect(again.headers.get('etag')).toBe(tag)
      expect(again.headers.has('x-ratelimit-remaining')).toBe(true)
    }
    expect((await ask(path, { headers: { 'If-None-Match': 'W/"other"' } })).status).toBe(200)
    expect((await ask('/api/v1/signals', { headers: { 'If-None-Match': '*' } })).status).toBe(304)
  })

  test('the ETag changes with the request and with the data version', async () => {
    const tags = new Set<string | null>()
    for (const query of ['', '&as_of=2020-01-01', '&format=csv']) {
      tags.add((await ask(path + query)).headers.get('etag'))
    }
    expect(tags.size).toBe(3)
    let version = 1
    const growing = await testServer(database.sql, { dataVersion: () => version })
    const tagOf = async () => {
      const response = await fetch(growing.url + path, { headers: { Authorization: 'Bearer demo' } })
      return response.headers.get('etag')
    }
    const before = await tagOf()
    expect(await tagOf()).toBe(before)
    version = 2
    expect(await tagOf()).not.toBe(before)
    await growing.stop()
  })

  test('what is being made is made once, and a failure is not cached', async () => {
    let made = 0
    let code: string | null = statementTimeout
    const counting = await testServer(database.sql, {
      lookups: interceptSql(database.sql, text => {
        // Only the statement of the figures: the one that finds the company is not shared.
        if (!text.includes('join unit u on u.unit_id')) return undefined
        made++
        // Long enough for the other requests to arrive, on a busy machine too.
        return Bun.sleep(500).then(() => {
          if (code !== null) throw databaseError(code)
        })
      }),
    })
    // With the demo key, the second would begin when the first has ended.
    const key = await sellKey(database.sql, { licence: 'oem' })
    const get = () => fetch(counting.url + path, { headers: { Authorization: `Bearer ${key}` } })
    const responses = await Promise.all([get(), get(), get()])
    expect(responses.map(response => response.status)).toEqual([503, 503, 503])
    const { error } = await responses[0].json()
    expect([error.code, responses[0].headers.get('retry-after')]).toEqual(['statement_timeout', '2'])
    expect(made).toBe(1)
    code = 'CONNECTION_CLOSED'
    const unavailable = await get()
    expect([unavailable.status, (await unavailable.json()).error.code]).toEqual([503, 'database_unavailable'])
    expect(made).toBe(2)
    code = null
    const good = await Promise.all([get(), get(), get()])
    expect(good.map(response => response.status)).toEqual([200, 200, 200])
    expect(made).toBe(3)
    await counting.stop()
  })
})

describe('compression', () => {
  const path = '/api/v1/fundamentals?ticker=AAPL'
  const encodingOf = async (accept: string, target = path) => {
    const response = await ask(target, { headers: { 'Accept-Encoding': accept } })
    const body = await response.json()
    return [response.headers.get('content-encoding'), body.object]
  }

  test('follows Accept-Encoding and its q-values', async () => {
    for (const [accept, encoding] of [
      ['gzip', 'gzip'],
      ['zstd', 'zstd'],
      // Of equal weights: what is smaller on rows of companies.
      ['gzip, deflate, br, zstd', 'gzip'],
      ['gzip;q=0.5, zstd', 'zstd'],
      ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
      ['gzip;q=0', null],
      ['*', 'gzip'],
      ['*;q=0.5, zstd;q=0', 'gzip'],
      ['*;q=0.5, gzip;q=0', 'zstd'],
      ['br', null],
      ['identity', null],
      ['identity;q=1, gzip;q=0.5', null],
      ['gzip;q=nonsense', null],
    ] as const) {
      expect([accept, ...(await encodingOf(accept))]).toEqual([accept, encoding, 'fundamentals_list'])
    }
  })

  test('reaches streams, and leaves small bodies alone', async () => {
    expect(await encodingOf('gzip', '/api/v1/signals')).toEqual(['gzip', 'signal_list'])
    expect(await encodingOf('zstd', '/api/v1/signals')).toEqual(['zstd', 'signal_list'])
    expect(await encodingOf('gzip, zstd', '/api/v1/signals')).toEqual(['zstd', 'signal_list'])
    expect(await encodingOf('gzip', '/health')).toEqual([null, 'health'])
    expect(await encodingOf('gzip', '/api/search?q=a')).toEqual([null, 'search_result'])
  })
})

test('readiness fails with what is wrong, liveness does not', async () => {
  const unreachable = interceptSql(database.sql, text =>
    text === 'select 1' ? Promise.reject(databaseError('ECONNREFUSED')) : undefined,
  )
  const ill = await testServer(database.sql, { sql: unreachable })
  const ready = await fetch(`${ill.url}/ready`)
  expect(ready.status).toBe(503)
  expect(ready.headers.get('retry-after')).toBe('2')
  expect((await ready.json()).error.message).toContain('the database does not respond')
  expect((await fetch(`${ill.url}/health`)).status).toBe(200)
  await ill.stop()
})
