import { afterAll, describe, expect, test } from 'bun:test'
import { revokeKey } from '../../src/access/keys.ts'
import { takeHits } from '../../src/limits/queries.ts'
import { RateLimiter } from '../../src/limits/rateLimiter.ts'
import { sellKey } from './callers.ts'
import { rawRequest } from './rawRequest.ts'
import { realServer } from './realServer.ts'
import { testServer } from './testServer.ts'

const clock = { today: '2026-07-01' }
const server = await realServer({ today: () => clock.today })
afterAll(() => server.stop(), 60_000)
const { sql } = server
let address = 0

async function ask(path: string, authorization: string, headers: Record<string, string> = {}) {
  const forwarded = `10.20.${++address >> 8}.${address & 255}`
  const response = await fetch(server.url + path, {
    headers: { Authorization: authorization, 'X-Forwarded-For': forwarded, ...headers },
  })
  const text = await response.text()
  return { response, text, status: response.status }
}

describe('a cached answer', () => {
  const path = '/api/v1/fundamentals?ticker=SNOW&view=history'

  test('reaches no other licence: by turns, at once, in any encoding, in both formats', async () => {
    const full = `Bearer ${await sellKey(sql, { licence: 'commercial' })}`
    for (const form of [path, `${path}&format=csv`]) {
      const alone = { full: (await ask(form, full)).text, demo: (await ask(form, 'Bearer demo')).text }
      expect(alone.full.length).toBeGreaterThan(2 * alone.demo.length)
      const crowd = ['identity', 'gzip', 'zstd'].flatMap(encoding =>
        (['full', 'demo', 'full', 'demo'] as const).map(async who => {
          const authorization = who === 'full' ? full : 'Bearer demo'
          const { text } = await ask(form, authorization, { 'Accept-Encoding': encoding })
          expect([who, encoding, text === alone[who]]).toEqual([who, encoding, true])
        }),
      )
      await Promise.all(crowd)
    }
  })

  test('a tag that another licence holds is no 304', async () => {
    const full = `Bearer ${await sellKey(sql, { licence: 'commercial' })}`
    const fullTag = (await ask(path, full)).response.headers.get('etag') ?? ''
    const demoTag = (await ask(path, 'Bearer demo')).response.headers.get('etag') ?? ''
    expect((await ask(path, 'Bearer demo', { 'If-None-Match': fullTag })).status).toBe(200)
    expect((await ask(path, full, { 'If-None-Match': demoTag })).status).toBe(200)
    expect((await ask(path, full, { 'If-None-Match': fullTag })).status).toBe(304)
  })

  test('no tag opens what the key does not: the right comes first', async () => {
    const narrow = await sellKey(sql, { licence: 'evaluation', expires: '2099-01-01' })
    await sql`update key_grant set entity_cap = 1
      where key_id = (select key_id from api_key where prefix = ${narrow.slice(0, 17)})`
    await Bun.sleep(50)
    const any = { 'If-None-Match': '*' }
    expect((await ask('/api/v1/fundamentals?ticker=AAPL', `Bearer ${narrow}`, any)).status).toBe(304)
    const beyond = await ask(path, `Bearer ${narrow}`, any)
    expect([beyond.status, JSON.parse(beyond.text).error.code]).toEqual([403, 'entity_cap_reached'])
    expect((await ask(`${path}&as_of=2024-01-01`, 'Bearer demo', any)).status).toBe(403)
    expect((await ask(path, 'Bearer wrong', any)).status).toBe(401)
  })

  test('a key that is revoked while its answer is cached gets nothing more', async () => {
    const key = await sellKey(sql)
    const tag = (await ask(path, `Bearer ${key}`)).response.headers.get('etag') ?? ''
    await revokeKey({ sql }, key)
    await Bun.sleep(100)
    for (const headers of [{}, { 'If-None-Match': tag }, { 'Accept-Encoding': 'zstd' }]) {
      const { status, text } = await ask(path, `Bearer ${key}`, headers)
      expect([status, JSON.parse(text).error.code]).toEqual([403, 'key_revoked'])
    }
  })
})

describe('the day', () => {
  test('as_of of today is known, of tomorrow refused, and at midnight UTC tomorrow is today', async () => {
    const full = `Bearer ${await sellKey(sql, { licence: 'commercial' })}`
    const asOf = (day: string) => ask(`/api/v1/fundamentals?ticker=AAPL&view=latest&as_of=${day}`, full)
    clock.today = '2026-07-01'
    await Bun.sleep(150)
    expect((await asOf('2026-07-01')).status).toBe(200)
    const early = await asOf('2026-07-02')
    expect([early.status, JSON.parse(early.text).error.param]).toEqual([400, 'as_of'])
    clock.today = '2026-07-02'
    await Bun.sleep(150)
    expect((await asOf('2026-07-02')).status).toBe(200)
    expect((await asOf('2026-07-03')).status).toBe(400)
    const { text } = await ask('/api/v1/fundamentals?ticker=AAPL&view=latest', full)
    expect(JSON.parse(text).as_of).toBe('2026-07-02')
    clock.today = '2026-07-01'
    await Bun.sleep(150)
  })

  test('yesterday is not served from memory as today: the default as_of moves, and so does the tag', async () => {
    const path = '/api/v1/fundamentals?ticker=GOOG&view=latest'
    clock.today = '2026-07-01'
    await Bun.sleep(150)
    const before = await ask(path, 'Bearer demo')
    clock.today = '2026-07-02'
    await Bun.sleep(150)
    const after = await ask(path, 'Bearer demo', {
      'If-None-Match': before.response.headers.get('etag') ?? '',
    })
    expect([after.status, JSON.parse(after.text).as_of]).toEqual([200, '2026-07-02'])
    clock.today = '2026-07-01'
    await Bun.sleep(150)
  })

  test('the delayed view ends 90 days back, whatever cursor, from and to say', async () => {
    await sql`insert into signal (date, ticker, market, horizon, predicted, actual, source, resolved_at)
      select d::date, 'ZZTOP', 'US', 1, 0.01, 0.02, 'live', now()
      from generate_series('2026-03-25'::date, '2026-04-10'::date, '1 day') d`
    const quant = `Bearer ${await sellKey(sql, { quant: true })}`
    const dates = async (query: string, key: string) =>
      JSON.parse((await ask(`/api/v1/signals?${query}`, key)).text).data.map(
        (row: { date: string }) => row.date,
      )
    expect((await dates('limit=1', quant))[0]).toBe('2026-04-10')
    expect((await dates('limit=1', 'Bearer demo'))[0]).toBe('2026-04-02')
    expect(await dates('from=2026-04-03', 'Bearer demo')).toEqual([])
    expect((await dates('to=2026-12-31&limit=1', 'Bearer demo'))[0]).toBe('2026-04-02')
    for (const date of ['9999-12-31', '2026-04-10', '2026-04-05', '2026-04-03']) {
      const cursor = Buffer.from(`${date} A 1 US`).toString('base64url')
      expect((await ask(`/api/v1/signals?cursor=${cursor}`, 'Bearer demo')).status).toBe(400)
    }
    const { next } = JSON.parse((await ask('/api/v1/signals?limit=3', quant)).text)
    const taken = await ask(`/api/v1/signals?limit=1&cursor=${next}`, 'Bearer demo')
    expect([taken.status, JSON.parse(taken.text).error.message]).toEqual([
      400,
      expect.stringContaining('cursor was made for other rights'),
    ])
  })
})

describe('a cursor that was tampered with', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test('of the coverage index is refused, also where it would be a place in it', async () => {
    for (const place of [
      [],
      {},
      null,
      ['US', 'AAPL'],
      ['US', 'AAPL', -1],
      ['US', 'AAPL', 1.5],
      ['US', 'AAPL', 1e99],
      ['US', 'AAPL', '1'],
      ['US', 'A\u0000', 1],
      ['US', "'; drop table fact; --\u00e9", 1],
      [{ toString: 1 }, 'AAPL', 1],
      ['US', ['AAPL'], 1],
      ['', '', 0],
      ['ZZ', 'ZZZ', 2_147_483_647],
      ['US', "' or 1=1 --", 0],
    ]) {
      const { status, text } = await ask(`/api/v1/fundamentals?cursor=${encode(place)}`, 'Bearer demo')
      expect([place, status, JSON.parse(text).error?.param]).toEqual([place, 400, 'cursor'])
    }
    for (const text of ['AAAA', '====', 'W10', '-', 'a'.repeat(200)]) {
      expect((await ask(`/api/v1/fundamentals?cursor=${text}`, 'Bearer demo')).status).toBe(400)
    }
  })

  test('of the signals is refused by name', async () => {
    for (const text of [
      '2026-04-10 A 2 US',
      '2026-02-30 A 1 US',
      '2026-04-10 =A 1 US',
      '2026-04-10 A 1 us',
      "2026-04-10 A';-- 1 US",
      '2026-04-10 A 1 US extra',
      '',
    ]) {
      const cursor = Buffer.from(text).toString('base64url') || 'A'
      const { status, text: body } = await ask(`/api/v1/signals?cursor=${cursor}`, 'Bearer demo')
      expect([text, status, JSON.parse(body).error.param]).toEqual([text, 400, 'cursor'])
    }
  })
})

describe('the way round the limits', () => {
  const path = '/api/v1/fundamentals?ticker=AAPL&view=latest'
  const remaining = async (url: string, headers: Record<string, string>) =>
    (await fetch(url + path, { headers })).headers.get('x-ratelimit-remaining')

  test('is not another spelling of the header', async () => {
    const key = await sellKey(sql, { licence: 'oem', perMinute: 50 })
    const left: (string | null)[] = []
    for (const spelling of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`, `Bearer ${key}  `]) {
      left.push(await remaining(server.url, { Authorization: spelling }))
    }
    expect(left).toEqual(['49', '48', '47', '46'])
    for (const spelling of [`Bearer ${key.toLowerCase()}`, 'Bearer DEMO', 'demo', `Bearer\t${key}`]) {
      expect([spelling, (await ask(path, spelling)).status]).toEqual([spelling, 401])
    }
  })

  test('is not two keys in one request', async () => {
    const key = await sellKey(sql)
    const lines = `Authorization: Bearer demo\r\nAuthorization: Bearer ${key}\r\n`
    const { status } = await rawRequest(
      server.port,
      `GET ${path} HTTP/1.1\r\nHost: x\r\n${lines}Connection: close\r\n\r\n`,
    )
    expect(status).toBe(401)
  })

  test('is not an invented X-Forwarded-For where no proxy is trusted', async () => {
    const settings = { ...server.resources.settings, trustedProxies: [] }
    const direct = await testServer(sql, { settings })
    const left = new Set<string | null>()
    for (const claim of [
      '203.0.113.1',
      '203.0.113.2',
      '::ffff:203.0.113.3',
      '2001:db8::1',
      '127.0.0.1, 1.1.1.1',
    ]) {
      left.add(
        await remaining(direct.url, {
          Authorization: 'Bearer demo',
          'X-Forwarded-For': claim,
          Forwarded: `for=${claim}`,
          'X-Real-IP': claim,
        }),
      )
    }
    expect(left.size).toBe(5)
    await direct.stop()
  })

  test('is not another address of the same IPv6 customer, nor IPv4 in its IPv6 forms', async () => {
    const demo = (claim: string) =>
      remaining(server.url, { Authorization: 'Bearer demo', 'X-Forwarded-For': claim })
    expect([
      await demo('2001:db8:77:1::1'),
      await demo('2001:DB8:77:1:ffff::2'),
      await demo('2001:0db8:0077:0001:0:0:0:3'),
    ]).toEqual(['59', '58', '57'])
    expect([
      await demo('198.51.100.77'),
      await demo('::ffff:198.51.100.77'),
      await demo('::ffff:c633:644d'),
      await demo('0:0:0:0:0:ffff:c633:644d'),
      await demo('198.51.100.77:8080'),
    ]).toEqual(['59', '58', '57', '56', '55'])
  })
})

test('Retry-After is true: then a request succeeds, and a second before none does', async () => {
  let at = 1_800_000_030.25
  let elapsedMs = 0
  const rateLimiter = new RateLimiter({
    takeHits: hits => takeHits(sql, hits, at),
    elapsedMs: () => elapsedMs,
    timeoutMs: 5_000,
  })
  const pass = (seconds: number) => {
    at += seconds
    elapsedMs += seconds * 1_000
  }
  const timed = await testServer(sql, { access: { ...server.resources.access, rateLimiter } })
  const key = await sellKey(sql, { licence: 'oem', perMinute: 5 })
  const get = () =>
    fetch(`${timed.url}/api/v1/fundamentals?ticker=AAPL`, { headers: { Authorization: `Bearer ${key}` } })
  for (let round = 0; round < 4; round++) {
    let refused = await get()
    while (refused.status === 200) refused = await get()
    const wait = Number(refused.headers.get('retry-after'))
    expect(refused.status).toBe(429)
    expect(wait).toBeGreaterThan(0)
    pass(wait - 1)
    if (wait > 1) expect((await get()).status).toBe(429)
    pass(1)
    expect((await get()).status).toBe(200)
  }
  await timed.stop()
})
