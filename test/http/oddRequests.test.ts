import { afterAll, describe, expect, test } from 'bun:test'
import { advanceDataVersion } from '../../src/postgres/dataVersion.ts'
import { sellKey } from './callers.ts'
import { rawRequest } from './rawRequest.ts'
import { realServer } from './realServer.ts'
import { codeOf, commonHeaders, headerOf, lineSender } from './sendLine.ts'

const server = await realServer({ settings: { BODY_LIMIT_MB: '1' } })
afterAll(() => server.stop(), 60_000)
const quant = `Bearer ${await sellKey(server.sql, { licence: 'oem', quant: true, perMinute: 100_000 })}`
const common = commonHeaders(quant)
const send = lineSender(server.port, quant)

describe('what is not quite HTTP', () => {
  for (const [what, bytes] of [
    [
      'two different lengths',
      `POST /api/v1/backtest HTTP/1.1\r\n${common}Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}`,
    ],
    [
      'a length and chunks',
      `POST /health HTTP/1.1\r\n${common}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'an unknown transfer coding',
      `POST /health HTTP/1.1\r\n${common}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a negative length', `POST /health HTTP/1.1\r\n${common}Content-Length: -2\r\n\r\n{}`],
    ['a length in exponents', `POST /health HTTP/1.1\r\n${common}Content-Length: 1e3\r\n\r\n{}`],
    [
      'a length beyond all',
      `POST /health HTTP/1.1\r\n${common}Content-Length: 99999999999999999999\r\n\r\n{}`,
    ],
    [
      'a chunk size that is none',
      `POST /api/v1/backtest HTTP/1.1\r\n${common}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'a chunk size beyond all',
      `POST /api/v1/backtest HTTP/1.1\r\n${common}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
    ],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a NUL in a header', `GET /health HTTP/1.1\r\nX-A: a\0b\r\n${common}\r\n`],
    ['a NUL in the target', `GET /api/search?q=a\0b HTTP/1.1\r\n${common}\r\n`],
    ['a space in the target', `GET /api/search?q=a b HTTP/1.1\r\n${common}\r\n`],
    ['a space before the colon', `GET /health HTTP/1.1\r\nX-A : a\r\n${common}\r\n`],
    ['a folded header', `GET /health HTTP/1.1\r\nX-A: a\r\n b\r\n${common}\r\n`],
    ['a bare carriage return', `GET /health HTTP/1.1\r\nX-A: a\rb\r\n${common}\r\n`],
    ['a header without a colon', `GET /health HTTP/1.1\r\nnonsense\r\n${common}\r\n`],
    ['line feeds alone', 'GET /health HTTP/1.1\nHost: x\n\n'],
    ['HTTP/0.9', 'GET /health\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['an unknown method', `FROB /health HTTP/1.1\r\n${common}\r\n`],
    ['a method in lower case', `get /health HTTP/1.1\r\n${common}\r\n`],
    ['a method with a quote', `GE"T /health HTTP/1.1\r\n${common}\r\n`],
    ['a target without a slash', `GET api/search?q=a HTTP/1.1\r\n${common}\r\n`],
    ['headers of 3 MB', `GET /health HTTP/1.1\r\nX-A: ${'a'.repeat(3_000_000)}\r\n${common}\r\n`],
    ['headers of 33 KB', `GET /health HTTP/1.1\r\nX-A: ${'a'.repeat(33 << 10)}\r\n${common}\r\n`],
    ['a target of 33 KB', `GET /${'a'.repeat(33 << 10)} HTTP/1.1\r\n${common}\r\n`],
    [
      'a thousand headers',
      `GET /health HTTP/1.1\r\n${Array.from({ length: 1_000 }, (_, n) => `X-${n}: a\r\n`).join('')}${common}\r\n`,
    ],
  ] as const) {
    // These never reach the app: Bun refuses them with a bare status, or cuts a method that it does not know.
    test(`${what}: refused, and the connection is closed`, async () => {
      const { status, text } = await rawRequest(server.port, Buffer.from(bytes, 'latin1'))
      expect([0, 400, 431, 505]).toContain(status)
      expect(text.split('HTTP/1.1 ').length).toBeLessThanOrEqual(2)
    })
  }

  test('a request of HTTP/1.0, and a header of 20 KB, are served', async () => {
    expect((await rawRequest(server.port, 'GET /health HTTP/1.0\r\n\r\n')).status).toBe(200)
    expect((await send('GET /health', `X-A: ${'a'.repeat(20_000)}\r\n`)).status).toBe(200)
  })

  test('two hosts, or one that cannot be, are 400 on every route; a name, an address and a port are not', async () => {
    const statusOf = async (path: string, hosts: string) => {
      const bytes = `GET ${path} HTTP/1.1\r\n${hosts}\r\nAuthorization: ${quant}\r\nConnection: close\r\n\r\n`
      const { status, text } = await rawRequest(server.port, bytes)
      if (status === 400)
        expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))).error).toMatchObject({
          code: 'parameter_invalid',
          param: 'Host',
        })
      return status
    }
    for (const [path, well] of [
      ['/health', 200],
      ['/api/v1/coverage/AAPL', 200],
      ['/api/search?q=apple', 200],
      ['/docs', 200],
      ['/nothing', 404],
    ] as const) {
      for (const hosts of ['Host: a\r\nHost: b', 'Host: a\r\nhost: a', 'Host: a,b', 'Host: a b', 'Host: u@a'])
        expect([path, hosts, await statusOf(path, hosts)]).toEqual([path, hosts, 400])
      for (const host of ['a', 'data.example.com:3000', '[::1]:3000', '127.0.0.1', 'under_score.example'])
        expect([path, host, await statusOf(path, `Host: ${host}`)]).toEqual([path, host, well])
    }
  })

  test('CONNECT and TRACE open nothing and mirror nothing', async () => {
    expect(codeOf(await send('CONNECT elsewhere.example:443'))).toBe('route_unknown')
    const trace = await send('TRACE /health', 'X-Secret: hunter2\r\n')
    expect([trace.status, trace.body.includes('hunter2')]).toEqual([405, false])
  })

  test('an upgrade is not one: the request is answered as it stands', async () => {
    const upgrade =
      'Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n'
    expect((await send('GET /health', upgrade)).status).toBe(200)
  })
})

describe('headers', () => {
  const path = '/api/v1/fundamentals?ticker=AAPL&view=latest&metric=revenue,assets,eps,cash,equity'

  test('Range is not for us: the whole answer comes, as 200', async () => {
    for (const range of ['bytes=0-9', 'bytes=-1', 'bytes=9999999-', 'rows=0-1', 'bytes=0-0,2-3']) {
      const sent = await send(`GET ${path}`, `Range: ${range}\r\n`)
      expect([sent.status, JSON.parse(sent.body).object]).toEqual([200, 'fundamentals_list'])
    }
  })

  test('If-None-Match in odd forms is a tag or none, never an error', async () => {
    const tag = headerOf(await send(`GET ${path}`), 'etag') ?? ''
    for (const [value, status] of [
      [tag, 304],
      [`  ${tag}  `, 304],
      [`"a","b" , ${tag}`, 304],
      [tag.replace('W/', ''), 304],
      ['*', 304],
      [tag.replace('W/', 'w/'), 200],
      [tag.replaceAll('"', ''), 200],
      ['""', 200],
      ['W/"', 200],
      [',', 200],
      ['"'.repeat(9_000), 200],
      [`${'"x",'.repeat(7_000)}"y"`, 200],
    ] as const) {
      const sent = await send(`GET ${path}`, `If-None-Match: ${value}\r\n`)
      expect([value.slice(0, 40), sent.status]).toEqual([value.slice(0, 40), status])
      if (status === 304) expect([sent.body, headerOf(sent, 'content-type')]).toEqual(['', null])
    }
  })

  test('Accept-Encoding in odd forms never fails an answer', async () => {
    for (const value of [
      'gzip;q=1;q=0',
      ';;;',
      ',,,',
      'q=1',
      'gzip;q=-1',
      'gzip;q=1e9',
      'zstd;q=NaN',
      '\xff',
      'identity;q=0',
      '*;q=0',
      'x'.repeat(9_000),
      'gzip, '.repeat(5_000),
    ]) {
      expect((await send(`GET ${path}`, `Accept-Encoding: ${value}\r\n`)).status).toBe(200)
    }
  })

  test('Accept: problem+json changes the shape of an error and nothing else', async () => {
    for (const accept of ['application/problem+json', 'text/html, application/problem+json;q=0.1']) {
      const sent = await send('GET /api/v1/signals?limit=0', `Accept: ${accept}\r\n`)
      expect(sent.status).toBe(400)
      expect(headerOf(sent, 'content-type')).toBe('application/problem+json')
      expect(Object.keys(JSON.parse(sent.body))).toEqual([
        'type',
        'title',
        'status',
        'detail',
        'code',
        'param',
        'request_id',
      ])
    }
    for (const accept of ['', '*/*', 'text/html', 'application/json', '\xff\xfe']) {
      const sent = await send('GET /api/v1/signals?limit=0', `Accept: ${accept}\r\n`)
      expect(Object.keys(JSON.parse(sent.body).error)).toEqual([
        'type',
        'code',
        'message',
        'param',
        'request_id',
        'doc_url',
      ])
    }
  })

  test('a key that was put into X-Request-Id is neither sent back nor logged', async () => {
    const key = quant.slice('Bearer '.length)
    const sent = await send('GET /health', `X-Request-Id: ${key}\r\n`)
    expect(sent.head).not.toContain(key)
    expect(headerOf(sent, 'x-request-id')).toMatch(/^[0-9a-f]{16}-/)
  })

  test('Expect: 100-continue is answered, and a body that never comes is not waited for', async () => {
    const bytes = `POST /api/v1/backtest HTTP/1.1\r\n${common}Content-Type: application/json\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n`
    const full = await rawRequest(server.port, bytes, {
      after: socket => setTimeout(() => socket.write('null'), 100),
      timeoutMs: 9_000,
    })
    expect(full.text).toStartWith('HTTP/1.1 100')
    expect(full.text).toContain('body_invalid')
    const none = await rawRequest(server.port, bytes, { timeoutMs: 9_000 })
    expect(none.text).toContain('The body arrived too slowly')
  }, 25_000)
})

test('what a spreadsheet would run comes out as text in CSV, and as it is in JSON', async () => {
  for (const [unit, guarded] of [
    ["=cmd|'/C calc'!A0", "'=cmd|'/C calc'!A0"],
    ['+1+1', "'+1+1"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['=1,"2', `'=1,"2`],
  ]) {
    await server.sql`update unit set name = ${unit} where unit_id = (
      select unit_id from fact join entity using (entity_id) where ticker = 'SNOW' limit 1)`
    await advanceDataVersion(server.sql, { source: 'a test', entities: 0, factsAdded: 0 })
    await Bun.sleep(50)
    const path = '/api/v1/fundamentals?ticker=SNOW&view=latest'
    const json = JSON.parse((await send(`GET ${path}`)).body)
    const row = json.data.find((candidate: { u: string }) => candidate.u === unit)
    expect([unit, row?.u]).toEqual([unit, unit])
    const csv = (await send(`GET ${path}&format=csv`)).body
    const quoted = guarded.replaceAll('"', '""')
    expect(csv).toContain(/[",\r\n]/.test(guarded) ? `,"${quoted}",` : `,${quoted},`)
    expect(csv).not.toContain(`,${unit}`)
  }
})

test('after all this the server is as ready as before', async () => {
  expect((await fetch(`${server.url}/ready`)).status).toBe(200)
})
