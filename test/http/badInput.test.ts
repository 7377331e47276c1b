import { afterAll, describe, expect, test } from 'bun:test'
import { sellKey } from './callers.ts'
import { rawRequest } from './rawRequest.ts'
import { realServer } from './realServer.ts'

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const quant = `Bearer ${await sellKey(server.sql, { licence: 'oem', quant: true, perMinute: 100_000 })}`
/** Below every timeout of the server: an answer that takes longer has waited for one of them. */
const noWaitMs = 8_000
let address = 0

async function get(path: string, headers: Record<string, string> = {}) {
  const startMs = performance.now()
  const response = await fetch(server.url + path, { headers: { Authorization: quant, ...headers } })
  return { response, body: await response.json(), ms: performance.now() - startMs }
}

async function post(body: BodyInit, headers: Record<string, string> = {}) {
  const startMs = performance.now()
  const response = await fetch(`${server.url}/api/v1/backtest`, {
    method: 'POST',
    headers: { Authorization: quant, 'Content-Type': 'application/json', ...headers },
    body,
  })
  return { response, body: await response.json(), ms: performance.now() - startMs }
}

type Outcome = Awaited<ReturnType<typeof get>>

/** The table's error in our shape, and before anything that waits would give up. */
function expectError({ response, body, ms }: Outcome, status: number, code?: string): void {
  expect([response.status, body.error?.code, body]).toEqual([
    status,
    code ?? expect.any(String),
    expect.anything(),
  ])
  expect(body.error.request_id).toBe(response.headers.get('x-request-id'))
  expect(ms).toBeLessThan(noWaitMs)
}

const fundamentals = '/api/v1/fundamentals'

describe('parameters', () => {
  for (const [name, path, code] of [
    ['an unknown one', `${fundamentals}?ticker=AAPL&asof=2010-01-01`, 'parameter_unknown'],
    ['a repeated one', `${fundamentals}?ticker=AAPL&ticker=GOOG`, 'parameter_repeated'],
    ['an empty one', `${fundamentals}?ticker=`, 'parameter_invalid'],
    ['2024-02-30', `${fundamentals}?ticker=AAPL&as_of=2024-02-30`, 'parameter_invalid'],
    ['a day in the future', `${fundamentals}?ticker=AAPL&as_of=2999-01-01`, 'parameter_invalid'],
    ['a negative limit', '/api/v1/signals?limit=-1', 'parameter_invalid'],
    ['limit NaN', '/api/v1/signals?limit=NaN', 'parameter_invalid'],
    ['limit 1e999', '/api/v1/signals?limit=1e999', 'parameter_invalid'],
    ['limit beyond the largest', '/api/v1/signals?limit=50001', 'parameter_invalid'],
    ['a NUL byte', '/api/search?q=a%00b', 'parameter_invalid'],
    ['a lone surrogate', '/api/search?q=%ED%A0%BD', 'parameter_invalid'],
    ['broken percent-encoding', '/api/search?q=%E0%A4%A', 'parameter_invalid'],
    ['an empty search', '/api/search?q=', 'parameter_invalid'],
    ['a blank search', '/api/search?q=%20%20', 'parameter_invalid'],
    ['no search at all', '/api/search', 'parameter_invalid'],
    ['SQL in an ID', `${fundamentals}?ticker=AAPL'%3B%20drop%20table%20fact%3B--`, 'parameter_invalid'],
    ['a formula in an ID', `${fundamentals}?ticker=%3DHYPERLINK(1)`, 'parameter_invalid'],
    ['a query string of 30 KB', `/api/search?q=${'a'.repeat(30 << 10)}`, 'parameter_invalid'],
    ['a path of 30 KB', `/api/v1/coverage/${'a'.repeat(30 << 10)}`, 'parameter_invalid'],
    ['a parameter where there is none', '/health?verbose=1', 'parameter_unknown'],
  ] as const) {
    test(name, async () => {
      const outcome = await get(path, { 'X-Forwarded-For': `10.20.0.${++address}` })
      expectError(outcome, 400, code)
      expect(outcome.body.error.param).toBeTruthy()
    })
  }

  test('SQL in a search finds nothing and harms nothing', async () => {
    const { response, body } = await get(`/api/search?q=${encodeURIComponent("'; drop table entity; --")}`)
    expect([response.status, body.results]).toEqual([200, []])
    const [{ count }] = await server.sql<{ count: number }[]>`select count(*)::int as count from entity`
    expect(count).toBeGreaterThan(0)
  })

  test('raw bytes in the request line that are no UTF-8', async () => {
    const bytes = Buffer.from('GET /api/search?q=\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1')
    const { status, text } = await rawRequest(server.port, bytes)
    expect(status).toBe(400)
    expect(text).toContain('parameter_invalid')
  })
})

describe('bodies', () => {
  const row = '{"date":"2024-01-02","asset":"A","score":1,"forward_return":0.1}'

  test('300 MB: our 413, at once where the length is announced', async () => {
    expectError(await post(new Uint8Array(300_000_000)), 413, 'body_too_large')
  })

  test('300 MB without an announced length: our 413 as soon as it is too much', async () => {
    let sent = 0
    const chunk = new Uint8Array(1 << 20)
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += chunk.length
        if (sent > 300_000_000) controller.close()
        else controller.enqueue(chunk)
      },
    })
    const { response, body } = await post(stream)
    expect([response.status, body.error.code]).toEqual([413, 'body_too_large'])
  })

  for (const [name, text] of [
    ['nothing', ''],
    ['truncated JSON', `{"panel":[${row}`],
    ['text', 'hello'],
    ['JSON nested 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects nested 100,000 deep', '{"panel":'.repeat(100_000)],
    ['a duplicate key', `{"panel":[${row}],"panel":[]}`],
    [
      'a duplicate key in a row',
      `{"panel":[{"date":"2024-01-02","date":"2024-01-03","asset":"A","score":1,"forward_return":0}]}`,
    ],
    ['NaN', '{"panel":[{"date":"2024-01-02","asset":"A","score":NaN,"forward_return":0}]}'],
    ['1e999', '{"panel":[{"date":"2024-01-02","asset":"A","score":1e999,"forward_return":0}]}'],
    [
      'a day that does not exist',
      '{"panel":[{"date":"2024-02-30","asset":"A","score":1,"forward_return":0}]}',
    ],
    ['an unknown field', '{"config":{"leverage":3}}'],
    ['a negative quantile', '{"config":{"quantile":-0.1}}'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a NUL byte', '{"panel":\u0000[]}'],
    [
      'a lone surrogate escape',
      '{"panel":[{"date":"2024-01-02","asset":"\\ud800","score":1,"forward_return":0}]}',
    ],
  ]) {
    test(name, async () => expectError(await post(text), 400))
  }

  test('bytes that are no UTF-8', async () => {
    expectError(await post(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])), 400)
  })

  test('source and panel at once: well-formed, impossible', async () => {
    expectError(await post(`{"source":{},"panel":[${row}]}`), 422, 'backtest_impossible')
  })

  test('another media type, another charset, another compression: 415', async () => {
    expectError(await post('a,b', { 'Content-Type': 'text/plain' }), 415, 'media_type_unsupported')
    expectError(await post('{}', { 'Content-Type': 'application/json; charset=latin1' }), 415)
    expectError(await post('{}', { 'Content-Encoding': 'br' }), 415)
    expectError(await post('{}', { 'Content-Encoding': 'gzip' }), 400, 'body_invalid')
    const none = await rawRequest(
      server.port,
      `POST /api/v1/backtest HTTP/1.1\r\nHost: x\r\nAuthorization: ${quant}\r\nContent-Length: 2\r\n\r\n{}`,
    )
    expect([none.status, none.text.includes('media_type_unsupported')]).toEqual([415, true])
  })

  test('a large body without the right to send it is refused before it is read', async () => {
    const { response, body, ms } = await post(new Uint8Array(60_000_000), { Authorization: 'Bearer demo' })
    expect([response.status, body.error.code]).toEqual([403, 'quant_required'])
    expect(ms).toBeLessThan(noWaitMs)
  })
})

describe('clients', () => {
  const head = (length: number) =>
    `POST /api/v1/backtest HTTP/1.1\r\nHost: x\r\nAuthorization: ${quant}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

  test('one whose body stops coming, or comes a byte at a time, gets a 400 and is cut off; others do not notice', async () => {
    const stalled = rawRequest(server.port, `${head(1_000)}{"panel":`, { timeoutMs: 15_000 })
    const trickling = rawRequest(server.port, head(100_000), {
      timeoutMs: 15_000,
      after: socket => {
        const timer = setInterval(() => socket.write(' '), 500)
        socket.on('close', () => clearInterval(timer))
      },
    })
    const waits: number[] = []
    for (let n = 0; n < 20; n++) {
      const { response, ms } = await get(`${fundamentals}?ticker=AAPL&view=latest`)
      expect(response.status).toBe(200)
      waits.push(ms)
    }
    expect(Math.max(...waits)).toBeLessThan(noWaitMs)
    for (const { status, text, ms } of [await stalled, await trickling]) {
      expect([status, text.includes('body_invalid')]).toEqual([400, true])
      expect(text.toLowerCase()).toContain('connection: close')
      expect(ms).toBeLessThan(15_000)
    }
  }, 20_000)

  test('a body that ends early', async () => {
    const cut = await rawRequest(server.port, `${head(1_000)}{"panel":`, {
      after: socket => setTimeout(() => socket.end(), 100),
    })
    expect([0, 400]).toContain(cut.status)
  })

  test('those that leave in the middle of an answer or of a backtest harm no other', async () => {
    for (let n = 0; n < 20; n++) {
      const leaving = new AbortController()
      const request = fetch(`${server.url}/api/v1/signals?limit=50000`, {
        headers: { Authorization: quant },
        signal: leaving.signal,
      })
      setTimeout(() => leaving.abort(), n)
      await request.then(response => response.text()).catch(() => {})
      await rawRequest(server.port, `${head(2)}{}`, { timeoutMs: n })
    }
    const { response } = await get(`${fundamentals}?ticker=AAPL&view=latest`)
    expect(response.status).toBe(200)
    expect((await get('/ready')).response.status).toBe(200)
  }, 20_000)

  test('one that does not read an answer leaves no statement open, compressed or not, with HEAD or by leaving', async () => {
    for (const encoding of ['identity', 'gzip', 'zstd']) {
      const headers = { Authorization: quant, 'Accept-Encoding': encoding }
      const path = `${server.url}/api/v1/signals?limit=50000`
      await fetch(path, { method: 'HEAD', headers })
      const reader = (await fetch(path, { headers })).body?.getReader()
      await reader?.read()
      await reader?.cancel()
    }
    const readOpen = () => server.sql`
      select query from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`
    // What the server writes meanwhile is open for a moment, too. The database ends a forgotten one only after 60 s.
    let open = await readOpen()
    for (let tries = 0; tries < 20 && open.length > 0; tries++) {
      await Bun.sleep(100)
      open = await readOpen()
    }
    expect([...open]).toEqual([])
  })

  test('what is no HTTP is refused, and the next client is served', async () => {
    for (const bytes of [
      '\u0000\u0001\u0002\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\r\n'.repeat(1_000),
    ]) {
      const { status } = await rawRequest(server.port, bytes, { timeoutMs: 300 })
      expect([0, 400, 505]).toContain(status)
    }
    expect((await get('/health')).response.status).toBe(200)
  })

  test('ambiguous lengths (request smuggling) are refused', async () => {
    const { status } = await rawRequest(
      server.port,
      `POST /api/v1/backtest HTTP/1.1\r\nHost: x\r\nAuthorization: ${quant}\r\nContent-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    )
    expect(status).toBe(400)
  })
})
