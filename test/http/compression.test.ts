import { afterAll, describe, expect, test } from 'bun:test'
import { compressions } from '../../src/http/compression.ts'
import { sellKey } from './callers.ts'
import { realServer } from './realServer.ts'
import { testServer } from './testServer.ts'

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const quant = `Bearer ${await sellKey(server.sql, { licence: 'oem', quant: true, perMinute: 100_000 })}`

interface Sent {
  readonly encoding: string | null
  readonly size: number
  readonly bytes: Uint8Array
}

/** The body as it was on the wire, and what it decodes to. */
async function send(path: string, accept: string, init: RequestInit = {}): Promise<Sent> {
  const headers = { Authorization: quant, 'Accept-Encoding': accept, 'Content-Type': 'application/json' }
  const response = await fetch(server.url + path, { headers, decompress: false, ...init })
  expect(response.status).toBe(200)
  const sent = await response.bytes()
  const encoding = response.headers.get('content-encoding')
  return { encoding, size: sent.length, bytes: decoded(sent, encoding) }
}

function decoded(sent: Uint8Array<ArrayBuffer>, encoding: string | null): Uint8Array {
  if (encoding === null) return sent
  return encoding === 'gzip' ? Bun.gunzipSync(sent) : Bun.zstdDecompressSync(sent)
}

const backtest = {
  method: 'POST',
  body: '{"source":{"market":"US","horizon":"1d","from":"2016-01-04"},"config":{"holdDays":5}}',
} as const

/** Of a short page the two differ by less, one way or the other. */
const tolerance = 1.01

describe('a client that takes gzip and zstd alike gets the smaller of the two', () => {
  for (const [name, path, init] of [
    ['rows of a company', '/api/v1/fundamentals?ticker=AAPL', {}],
    ['the latest rows of a company', '/api/v1/fundamentals?ticker=AAPL&view=latest', {}],
    ['rows of several companies', '/api/v1/fundamentals?ticker=AAPL,GOOGL,SNOW,2330.TW', {}],
    ['signals', '/api/v1/signals?limit=50000', {}],
    ['signals as CSV', '/api/v1/signals?limit=50000&format=csv', {}],
    ['a tear sheet', '/api/v1/backtest?format=html', backtest],
    ['a backtest', '/api/v1/backtest', backtest],
    ['the coverage index', '/api/v1/fundamentals', {}],
    ['the API document', '/openapi.json', {}],
    ['the errors page', '/docs/errors', {}],
    ['Swagger UI', '/assets/swagger-ui-bundle.js', {}],
  ] as const) {
    test(name, async () => {
      const plain = await send(path, 'identity', init)
      const gzip = await send(path, 'gzip', init)
      const zstd = await send(path, 'zstd', init)
      const either = await send(path, 'gzip, deflate, br, zstd', init)
      expect([gzip.encoding, zstd.encoding]).toEqual(['gzip', 'zstd'])
      expect(either.size).toBeLessThanOrEqual(tolerance * Math.min(gzip.size, zstd.size))
      for (const other of [gzip, zstd, either]) expect(Buffer.compare(other.bytes, plain.bytes)).toBe(0)
    })
  }
})

test('documents are compressed once, not on each request', async () => {
  const { zstdCompress } = Bun
  const levels: unknown[] = []
  Bun.zstdCompress = (bytes, options) => {
    levels.push(options?.level)
    return zstdCompress(bytes, options)
  }
  try {
    const own = await testServer(server.sql)
    for (const path of ['/openapi.json', '/docs/errors']) {
      for (let request = 0; request < 3; request++) {
        const response = await fetch(own.url + path, { headers: { 'Accept-Encoding': 'zstd' } })
        expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'zstd'])
        await response.bytes()
      }
    }
    expect(levels).toEqual([compressions.documents.zstdLevel, compressions.documents.zstdLevel])
    await own.stop()
  } finally {
    Bun.zstdCompress = zstdCompress
  }
})

test('an unchanged document is not sent again', async () => {
  for (const path of ['/openapi.json', '/docs', '/docs/errors', '/assets/base.css']) {
    const first = await fetch(server.url + path)
    const tag = first.headers.get('etag') ?? ''
    const again = await fetch(server.url + path, { headers: { 'If-None-Match': tag } })
    expect([path, again.status, await again.text()]).toEqual([path, 304, ''])
  }
})
