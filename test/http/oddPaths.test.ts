import { afterAll, describe, expect, test } from 'bun:test'
import { nonEmpty } from '../nonEmpty.ts'
import { sellKey } from './callers.ts'
import { rawRequest } from './rawRequest.ts'
import { realServer } from './realServer.ts'
import { codeOf, commonHeaders, headerOf, lineSender } from './sendLine.ts'

const server = await realServer({ settings: { BODY_LIMIT_MB: '1' } })
afterAll(() => server.stop(), 60_000)
const quant = `Bearer ${await sellKey(server.sql, { licence: 'oem', quant: true, perMinute: 100_000 })}`
const common = commonHeaders(quant)
const send = lineSender(server.port, quant)

describe('a path', () => {
  for (const path of [
    '/health/',
    '/docs/',
    '/nothing/',
    '/a/b/',
    '/api/search/?q=apple',
    '/api/v1/fundamentals/?ticker=AAPL',
    '/api/v1/coverage/AAPL/',
    '/api/v1/coverage/',
    '//health',
    '///',
    '/HEALTH',
    '/Api/V1/signals',
    '/api%2fsearch?q=apple',
    '/%68ealth',
    '/api/../health',
    '/api/%2e%2e/health',
    '/./health',
    '/api\\search?q=apple',
    '/api/v1;x=1/signals',
    '/__proto__',
    '/constructor',
    '/:id',
    '/*',
    '/api/v1/coverage/AAPL/AAPL',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets/../../package.json',
    '/assets/%2e%2e%2fshell.ts',
    '/assets/__proto__',
    '/assets/base.css%00.png',
    '/.env',
    '/.git/config',
    '/api/v2/signals',
    `/${'a/'.repeat(5_000)}`,
    `/${'a'.repeat(30_000)}`,
  ]) {
    test(`${path.slice(0, 60)} is no route of ours: 404 in our shape`, async () => {
      const sent = await send(`GET ${path}`)
      expect([sent.status, codeOf(sent)]).toEqual([404, 'route_unknown'])
    })
  }

  test('never says that a route takes GET, but not GET', async () => {
    for (const path of ['/api/../health', '/x\\..\\health', '/./docs', '/api/v1/./signals']) {
      const { body } = await send(`GET ${path}`)
      expect(body).not.toContain('method_not_allowed')
    }
  })

  test('of an absolute target counts as the path alone', async () => {
    const sent = await send('GET http://elsewhere.example/api/search?q=apple')
    expect([sent.status, JSON.parse(sent.body).results[0].ticker]).toEqual([200, 'AAPL'])
  })

  test('leads home from / alone', async () => {
    const home = await send('GET /')
    expect([home.status, headerOf(home, 'content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  })
})

describe('an ID in the path', () => {
  for (const [id, status, code] of [
    ['%00', 400, 'parameter_invalid'],
    ['a%0d%0aSet-Cookie:x', 400, 'parameter_invalid'],
    ['%ED%A0%80', 400, 'parameter_invalid'],
    ['%C0%80', 400, 'parameter_invalid'],
    ['%', 400, 'parameter_invalid'],
    ['%zz', 400, 'parameter_invalid'],
    ['A'.repeat(65), 400, 'parameter_invalid'],
    ['A'.repeat(30_000), 400, 'parameter_invalid'],
    ['AA%2FPL', 404, 'entity_unknown'],
    ['%27%3B%20drop%20table%20fact%3B--', 404, 'entity_unknown'],
    ['%3DHYPERLINK(1)', 404, 'entity_unknown'],
    ['%25%5F', 404, 'entity_unknown'],
    ['%F0%9F%98%80', 404, 'entity_unknown'],
    ['%E2%80%AEAAPL', 404, 'entity_unknown'],
  ] as const) {
    test(`${id.slice(0, 40)} is answered ${status} ${code}`, async () => {
      const sent = await send(`GET /api/v1/coverage/${id}`)
      expect([sent.status, codeOf(sent)]).toEqual([status, code])
    })
  }
})

describe('HEAD and OPTIONS', () => {
  const paths: Record<string, string> = {
    '/api/v1/coverage/:id': '/api/v1/coverage/AAPL',
    '/assets/:file': '/assets/base.css',
    '/companies/:id': '/companies/AAPL',
    '/companies/:id/download': '/companies/AAPL/download?format=parquet',
    '/markets/:code': '/markets/US',
    '/sample/:file': '/sample/entities.csv',
    '/sitemaps/:file': '/sitemaps/US-1.xml',
    '/api/search': '/api/search?q=apple',
    '/api/v1/signals': '/api/v1/signals?limit=3',
    '/api/v1/fundamentals': '/api/v1/fundamentals?ticker=AAPL&view=latest',
  }
  const gets = server.app.routes.filter(route => route.method === 'GET')

  for (const { path: route } of nonEmpty(gets)) {
    const path = paths[route] ?? route
    test(`${route}: HEAD has the headers of GET and no body`, async () => {
      const get = await send(`GET ${path}`)
      const head = await send(`HEAD ${path}`)
      expect([head.status, head.body]).toEqual([get.status, ''])
      for (const name of ['content-type', 'etag', 'content-length', 'transfer-encoding', 'vary']) {
        expect([name, headerOf(head, name)]).toEqual([name, headerOf(get, name)])
      }
    })
  }

  test('every route answers OPTIONS with what it takes, and what it does not take is 405', async () => {
    for (const { method, path } of nonEmpty(server.app.routes)) {
      const target = paths[path] ?? path
      const options = await send(`OPTIONS ${target}`)
      expect([path, options.status]).toEqual([path, 204])
      expect(headerOf(options, 'allow')?.split(', ')).toContain(method)
      const wrong = await send(`PATCH ${target}`)
      expect([path, wrong.status, codeOf(wrong)]).toEqual([path, 405, 'method_not_allowed'])
      expect(headerOf(wrong, 'allow')).toBe(headerOf(options, 'allow'))
    }
  })

  test('a persistent connection is in step after HEAD of a stream, and after an unread body', async () => {
    const persistent = common.replace('Connection: close\r\n', '')
    const next = `GET /ready HTTP/1.1\r\n${common}\r\n`
    for (const first of [
      `HEAD /api/v1/signals?limit=3 HTTP/1.1\r\n${persistent}\r\n`,
      `HEAD /api/v1/signals?limit=3 HTTP/1.1\r\nAccept-Encoding: zstd\r\n${persistent}\r\n`,
      `HEAD /nothing HTTP/1.1\r\n${persistent}\r\n`,
      `POST /health HTTP/1.1\r\n${persistent}Content-Length: 5\r\n\r\nhello`,
      `GET /health HTTP/1.1\r\n${persistent}Content-Length: 5\r\n\r\nhello`,
      `POST /api/v1/backtest HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`,
    ]) {
      const { text } = await rawRequest(server.port, first, {
        timeoutMs: 700,
        isWhole: answer => answer.includes('"object":"readiness"'),
        after: socket => setTimeout(() => socket.write(next), 200),
      })
      const answers = text.split('HTTP/1.1 ').slice(1)
      expect([first.slice(0, 40), answers.length]).toEqual([first.slice(0, 40), 2])
      expect(answers[1]).toStartWith('200')
      expect(answers[1]).toContain('"object":"readiness"')
    }
  })
})

test('after all this the server is as ready as before', async () => {
  expect((await fetch(`${server.url}/ready`)).status).toBe(200)
})
