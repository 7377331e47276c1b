import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { shippedDatabase, type TestDatabase } from '../../database.ts'
import { type CallerName, callerNames, callers, sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { connectTools, ways } from './toolClient.ts'

setDefaultTimeout(180_000)

let database: TestDatabase
let server: TestServer
/** A second one of the same service. */
let other: TestServer
let keys: Record<CallerName, string | null>
beforeAll(async () => {
  database = await shippedDatabase()
  server = await testServer(database.sql)
  other = await testServer(database.sql)
  keys = await callers(database.sql)
})
afterAll(async () => {
  await server.stop()
  await other.stop()
  await database.close()
})

let network = 0
const nextAddress = () => `10.41.${++network >> 8}.${network & 255}`

/** Of one client at one address. */
const over = (address: string, key?: string, url = server.url) =>
  connectTools('http auto', { url, key, headers: { 'X-Forwarded-For': address } })

const message = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const callOf = (name: string, args: object) => message('tools/call', { name, arguments: args })

function post(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  url = server.url,
) {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'X-Forwarded-For': nextAddress(),
      ...headers,
    },
  })
}

const latestOfApple = { tickers: ['AAPL'], metrics: ['revenue'] }

/** Requests that are left to a key or, for demo, an address. */
async function left(path: string, address: string, key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, 'X-Forwarded-For': address }
  const response = await fetch(server.url + path, { headers })
  await response.text()
  return Number(response.headers.get('x-ratelimit-remaining'))
}

describe('a tool call counts as the requests that it makes', () => {
  test('against the address of the client for the demo key, and nothing else counts', async () => {
    const [mine, theirs] = [nextAddress(), nextAddress()]
    const tools = await over(mine)
    await tools.client.listTools()
    await tools.client.listResources()
    expect(await left('/api/v1/coverage/AAPL', mine, 'demo')).toBe(59)
    // One request, two, two, none: the last has an argument that no tool takes.
    await tools.call('get_latest_fundamentals', { tickers: ['AAPL'] })
    await tools.call('compare_as_of', { tickers: ['AAPL'], since: '2009-12-31', as_of: '2010-01-31' })
    await tools.call('get_coverage', { tickers: ['AAPL'] })
    await tools.call('get_coverage', { nothing: 1 })
    expect(await left('/api/v1/coverage/AAPL', mine, 'demo')).toBe(53)
    await tools.client.readResource({ uri: 'company://AAPL' })
    expect(await left('/api/v1/coverage/AAPL', mine, 'demo')).toBe(51)
    expect(await left('/api/v1/coverage/AAPL', theirs, 'demo')).toBe(59)
    await tools.close()
  })

  test('against the key, through whichever server, and the last call is refused in the words of the API', async () => {
    const key = await sellKey(database.sql, { licence: 'oem', perMinute: 6 })
    const [here, there] = [await over(nextAddress(), key), await over(nextAddress(), key, other.url)]
    for (const tools of [here, there, here, there, here, there])
      expect((await tools.call('get_latest_fundamentals', latestOfApple)).isError).toBe(false)
    const refused = await there.call('get_latest_fundamentals', latestOfApple)
    expect(refused.isError).toBe(true)
    expect(refused.text).toContain('The limit of 6 requests per minute is used up.')
    expect(refused.text).toContain('code: rate_limited_minute')
    await here.close()
    await there.close()
  })

  test('a search counts against the searches of the address', async () => {
    const mine = nextAddress()
    const tools = await over(mine)
    await tools.call('search_companies', { q: 'apple' })
    expect(await left('/api/search?q=apple', mine, 'demo')).toBe(118)
    expect(await left('/api/v1/coverage/AAPL', mine, 'demo')).toBe(59)
    await tools.close()
  })

  test('no header of the client names another address, save through a trusted proxy', async () => {
    // Loopback proxies are trusted in this test, so the header stands for the network. A tool's own requests
    // have no such header.
    const mine = nextAddress()
    const sent = { 'X-Forwarded-For': `198.51.100.7, ${mine}` }
    await (await post(callOf('get_latest_fundamentals', latestOfApple), sent)).text()
    expect(await left('/api/v1/coverage/AAPL', mine, 'demo')).toBe(58)
    expect(await left('/api/v1/coverage/AAPL', '198.51.100.7', 'demo')).toBe(59)
  })

  test('messages around the calls are bounded, too: five for each request of the minute', async () => {
    const mine = { 'X-Forwarded-For': nextAddress() }
    const started = performance.now()
    let admitted = 0
    let status = 200
    while (status === 200 && admitted < 1_000) {
      const response = await post(message('ping'), mine)
      await response.text()
      status = response.status
      if (status === 200) admitted++
    }
    // Five requests become available each second, so on a slow machine a few more are admitted.
    const freed = (5 * (performance.now() - started)) / 1_000
    expect(status).toBe(429)
    expect(admitted).toBeGreaterThanOrEqual(300)
    expect(admitted).toBeLessThanOrEqual(301 + freed)
    expect(await left('/api/v1/coverage/AAPL', mine['X-Forwarded-For'], 'demo')).toBe(59)
  })
})

describe('who may use the tools is who may use the API', () => {
  const refusals: Partial<Record<CallerName, [number, string]>> = {
    basic: [401, 'key_malformed'],
    malformed: [401, 'key_malformed'],
    mistyped: [401, 'key_malformed'],
    unknown: [401, 'key_unknown'],
    revoked: [403, 'key_revoked'],
    expired: [403, 'key_expired'],
  }
  const isFree = (caller: CallerName) => ['keyless', 'demo', 'free'].includes(caller)

  for (const caller of callerNames) {
    test(`with the key: ${caller}`, async () => {
      const headers: Record<string, string> = keys[caller] === null ? {} : { Authorization: keys[caller] }
      const past = { tickers: ['SNOW'], metrics: ['revenue'], as_of: '2023-12-31' }
      const response = await post(callOf('get_latest_fundamentals', past), headers)
      const text = await response.text()
      const [status, code] = refusals[caller] ?? [200, null]
      expect([response.status, response.headers.has('www-authenticate')]).toEqual([status, status === 401])
      if (code !== null) return expect(JSON.parse(text).error.code).toBe(code)
      expect(text.includes('licence_required')).toBe(isFree(caller))
      const backtest = await (await post(callOf('run_backtest', {}), headers)).text()
      expect(backtest.includes('quant_required')).toBe(caller !== 'quant')
    })
  }

  test('demo sees flagship companies in full, and says under which licence', async () => {
    const tools = await over(nextAddress())
    const past = await tools.call('get_latest_fundamentals', {
      tickers: ['AAPL'],
      metrics: ['revenue'],
      as_of: '2009-12-31',
    })
    expect(past.structured.data[0].v).toBe(36_537_000_000)
    expect(past.structured.licence).toContain('Free Licence')
    await tools.close()
  })

  test('companies of an evaluation count across API and tools, and a refused call counts none', async () => {
    const { sql } = database
    const key = await sellKey(sql, { licence: 'evaluation', expires: '2099-01-01' })
    await sql`update key_grant set entity_cap = 2
      where key_id = (select key_id from api_key where prefix = ${key.slice(0, 17)})`
    await Bun.sleep(100)
    const headers = { Authorization: `Bearer ${key}` }
    expect(
      (await fetch(`${server.url}/api/v1/fundamentals?ticker=AAPL&view=latest`, { headers })).status,
    ).toBe(200)
    const tools = await over(nextAddress(), key)
    const latest = async (...tickers: string[]) =>
      (await tools.call('get_latest_fundamentals', { tickers, metrics: ['revenue'] })).text
    expect(await latest('SNOW', 'GOOGL')).toContain('code: entity_cap_reached')
    expect(await latest('SNOW')).toContain('revenue')
    expect(await latest('GOOGL')).toContain('code: entity_cap_reached')
    expect(await latest('AAPL')).toContain('revenue')
    const ranking = { market: 'US', metrics: ['roe'], sort_by: 'roe' }
    const atCap = (await tools.call('screen', ranking)).text
    expect(atCap).toContain('only about the 2 companies that it has seen')
    expect(atCap).not.toContain('GOOGL')
    await tools.close()
  })

  test('a ranking of an evaluation counts the companies that it ranks, and no more than may be counted', async () => {
    const { sql } = database
    const key = await sellKey(sql, { licence: 'evaluation', expires: '2099-01-01' })
    await sql`update key_grant set entity_cap = 2
      where key_id = (select key_id from api_key where prefix = ${key.slice(0, 17)})`
    await Bun.sleep(100)
    const tools = await over(nextAddress(), key)
    const seen = async () => {
      const rows = await sql`
        select 1 from key_entity join api_key using (key_id) where prefix = ${key.slice(0, 17)}`
      return rows.length
    }
    const narrow = { market: 'US', metrics: ['revenue'], sort_by: 'revenue' }
    const filters = [{ metric: 'revenue', min: 300e9 }]
    const first = await tools.call('screen', { ...narrow, filters })
    expect(first.text).toContain('AAPL')
    const counted = await seen()
    expect(counted).toBe(first.structured.data.length)
    const all = await tools.call('screen', narrow)
    expect(all.structured.data.length).toBeLessThanOrEqual(2)
    expect(await seen()).toBeLessThanOrEqual(2)
    const changes = await tools.call('get_restatements', { market: 'US', metrics: ['revenue'] })
    expect(nonEmpty<{ ticker: string }>(changes.structured.data).every(({ ticker }) => ticker !== '')).toBe(
      true,
    )
    expect(await seen()).toBeLessThanOrEqual(2)
    await tools.close()
  })
})

describe('the address /mcp', () => {
  const initialize = message('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })

  test('refuses pages of other sites, before anything is done for them', async () => {
    const foreign = [
      'https://evil.example',
      'null',
      `${server.url}.evil.example`,
      'http://localhost:3000',
      '',
    ]
    for (const Origin of nonEmpty(foreign.filter(origin => origin !== ''))) {
      const response = await post(initialize, { Origin })
      expect([Origin, response.status]).toEqual([Origin, 403])
      expect((await response.json()).error).toMatchObject({ code: 'form_refused', param: 'Origin' })
    }
    // testServer does not know its port beforehand; BASE_URL is the address of its settings.
    const own = server.resources.settings.baseUrl
    expect((await post(initialize, { Origin: own })).status).toBe(200)
    expect((await post(initialize)).status).toBe(200)
  })

  test('refuses a name that leads here from elsewhere, while no public address is configured', async () => {
    const { port } = new URL(server.url)
    const statusFor = async (Host: string) => (await post(initialize, { Host })).status
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      for (const host of [name, `${name}:${port}`, `${name}:80`])
        expect([host, await statusFor(host)]).toEqual([host, 200])
    }
    const foreign = ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.nip.io']
    for (const host of foreign) {
      const response = await post(initialize, { Host: host })
      expect([host, response.status]).toEqual([host, 403])
      expect((await response.json()).error).toMatchObject({ code: 'form_refused', param: 'Host' })
    }
    for (const settings of [{ BASE_URL: 'https://data.example.com' }, { HOST: '0.0.0.0' }]) {
      const open = await testServer(database.sql, {}, settings)
      const response = await post(initialize, { Host: 'data.example.com' }, open.url)
      expect([settings, response.status]).toEqual([settings, 200])
      await open.stop()
    }
    const local = await testServer(database.sql, {}, { BASE_URL: 'http://localhost:3000' })
    expect((await post(initialize, { Host: 'evil.example' }, local.url)).status).toBe(403)
    await local.stop()
  })

  test('a list has one page: a cursor is invalid, in the terms of JSON-RPC', async () => {
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list']) {
      const response = await post(message(method, { cursor: 'no-such-page' }))
      const { id, error } = await response.json()
      expect([method, id, error.code]).toEqual([method, 1, -32_602])
    }
  })

  test('has no sessions: GET and DELETE are 405, and no answer names one', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await fetch(`${server.url}/mcp`, { method })
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST, OPTIONS'])
    }
    const response = await post(initialize)
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('bounds the body, and refuses what is no message', async () => {
    const large = await post(' '.repeat(1_100_000))
    expect([large.status, (await large.json()).error.code]).toEqual([413, 'body_too_large'])
    const bodies: [string | Uint8Array<ArrayBuffer>, number][] = [
      ['{', -32_700],
      ['', -32_700],
      [new Uint8Array([0x22, 0xff, 0x22]), -32_700],
      [`[${initialize},${initialize}]`, -32_600],
    ]
    for (const [body, code] of bodies) {
      const response = await post(body)
      expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json'])
      const answer = await response.json()
      expect(answer).toEqual({ jsonrpc: '2.0', id: null, error: { code, message: answer.error.message } })
    }
    const form = await post('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' })
    expect([form.status, (await form.json()).error.code]).toEqual([415, 'media_type_unsupported'])
    for (const odd of [
      'null',
      '1',
      '"x"',
      '{}',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":1,"method":5}',
    ]) {
      const response = await post(odd)
      expect([odd, response.status, (await response.text()).includes(' at ')]).toEqual([odd, 400, false])
    }
  })

  test('any server answers any message of a client', async () => {
    const urls = [server.url, other.url]
    const used: string[] = []
    for (const way of nonEmpty(ways.slice(0, 2))) {
      let sent = 0
      const tools = await connectTools(way, {
        url: server.url,
        headers: { 'X-Forwarded-For': nextAddress() },
        fetch: (url, init) => {
          const base = urls[sent++ % 2] ?? ''
          used.push(base)
          return fetch(new URL(new URL(url).pathname, base), init)
        },
      })
      const first = await tools.call('get_latest_fundamentals', { tickers: ['AAPL'] })
      let reply = first
      let rows = reply.structured.count
      while (reply.structured.next !== null) {
        reply = await tools.call('get_latest_fundamentals', {
          tickers: ['AAPL'],
          cursor: reply.structured.next,
        })
        expect(reply.isError).toBe(false)
        rows += reply.structured.count
      }
      expect(rows).toBe(first.structured.total)
      await tools.close()
    }
    expect(new Set(used).size).toBe(2)
  })
})

describe('no secret', () => {
  test('is in any log line or answer of the tools, whatever became of the call', async () => {
    const key = await sellKey(database.sql, { licence: 'oem', perMinute: 4 })
    const shown: string[] = []
    const tools = await over(nextAddress(), key)
    for (const args of [
      { tickers: ['AAPL'] },
      { tickers: ['NOTHING'] },
      { tickers: [key] },
      { tickers: ['AAPL'] },
      { tickers: ['AAPL'] },
    ])
      shown.push(JSON.stringify(await tools.call('get_coverage', args)))
    await tools.close()
    const wrong = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`
    shown.push(await (await post(message('ping'), { Authorization: `Bearer ${wrong}` })).text())
    const logged = JSON.stringify([...server.logged, ...other.logged])
    expect(logged).toContain('/api/v1/coverage/:id')
    expect(logged).toContain('"/mcp"')
    for (const secret of [key, wrong, key.slice(20)]) {
      expect(logged.includes(secret)).toBe(false)
      // The key as an ID is what the caller itself sent in the wrong place.
      expect(
        shown
          .filter((_, place) => place !== 2)
          .join('')
          .includes(secret),
      ).toBe(false)
    }
  })

  test('the line of a request of a tool has the id of its message, the key by its prefix, and the address', async () => {
    const [address, id] = [nextAddress(), 'agent-call-1']
    const key = await sellKey(database.sql)
    const headers = { 'X-Forwarded-For': address, 'X-Request-Id': id, Authorization: `Bearer ${key}` }
    await (await post(callOf('get_coverage', { tickers: ['AAPL'] }), headers)).text()
    const lines = server.logged.filter(line => line.requestId === id)
    const seen = lines.map(({ route, key: name, address: from }) => `${route} ${name} ${from}`)
    const routes = ['/api/v1/coverage/:id', '/api/v1/fundamentals', '/mcp']
    expect(seen.toSorted()).toEqual(routes.map(route => `${route} ${key.slice(0, 17)} ${address}`))
  })
})
