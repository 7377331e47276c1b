import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from '../../src/postgres/client.ts'
import { testDatabase } from '../database.ts'
import { insertCompanies } from '../features/companies/fixtures.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { sellKey } from './callers.ts'
import { testServer } from './testServer.ts'

const database = await testDatabase()
await insertCompanies(database.sql)
afterAll(() => database.close(), 60_000)

async function oem(perMinute: number, perDay?: number): Promise<Record<string, string>> {
  const terms = perDay === undefined ? { perMinute } : { perMinute, perDay }
  return { Authorization: `Bearer ${await sellKey(database.sql, { licence: 'oem', ...terms })}` }
}

const path = '/api/v1/fundamentals?ticker=AAPL'

async function succeeded(urls: readonly string[], headers: Record<string, string>, count: number) {
  const requests = Array.from({ length: count }, (_, n) => fetch(urls[n % urls.length] + path, { headers }))
  const responses = await Promise.all(requests)
  const refused = responses.filter(response => response.status !== 200)
  expect(nonEmpty(refused).every(response => response.status === 429)).toBe(true)
  return responses.length - refused.length
}

describe('200 parallel requests with one 60-a-minute key', () => {
  test('exactly 60 succeed on one server', async () => {
    const server = await testServer(database.sql)
    expect(await succeeded([server.url], await oem(60), 200)).toBe(60)
    await server.stop()
  })

  test('exactly 60 succeed on two servers that share the database', async () => {
    const other = connect({ url: database.url, connections: 3, statementTimeoutMs: 5_000 })
    const servers = [await testServer(database.sql), await testServer(other)]
    expect(
      await succeeded(
        servers.map(server => server.url),
        await oem(60),
        200,
      ),
    ).toBe(60)
    for (const server of servers) await server.stop()
    await other.end()
  })

  test('a server that is started again grants no more', async () => {
    const key = await oem(60)
    const first = await testServer(database.sql)
    expect(await succeeded([first.url], key, 40)).toBe(40)
    await first.stop()
    const second = await testServer(database.sql)
    expect(await succeeded([second.url], key, 100)).toBe(20)
    await second.stop()
  })
})

describe('headers', () => {
  test('count down, name the tighter limit, and a refusal says when to come back', async () => {
    const server = await testServer(database.sql)
    const key = await oem(3, 1_000)
    const seen: (string | null)[][] = []
    for (let n = 0; n < 4; n++) {
      const { status, headers } = await fetch(server.url + path, { headers: key })
      const names = ['x-ratelimit-limit', 'x-ratelimit-remaining']
      seen.push([String(status), ...names.map(name => headers.get(name))])
    }
    expect(seen).toEqual([
      ['200', '3', '2'],
      ['200', '3', '1'],
      ['200', '3', '0'],
      ['429', '3', '0'],
    ])
    const refused = await fetch(server.url + path, { headers: key })
    const wait = Number(refused.headers.get('retry-after'))
    const reset = Number(refused.headers.get('x-ratelimit-reset'))
    expect(wait).toBeGreaterThan(0)
    expect(Math.abs(reset - (Date.now() / 1_000 + wait))).toBeLessThan(3)
    expect(refused.headers.get('ratelimit-policy')).toBe('"minute";q=3;w=60, "day";q=1000;w=86400')
    expect(refused.headers.get('ratelimit')).toMatch(/^"minute";r=0;t=\d+, "day";r=997;t=\d+$/)
    expect((await refused.json()).error.code).toBe('rate_limited_minute')
    await server.stop()
  })

  test('name the day once it is tighter, and refuse until midnight UTC', async () => {
    const server = await testServer(database.sql)
    const key = await oem(1_000, 2)
    const first = await fetch(server.url + path, { headers: key })
    expect(first.headers.get('x-ratelimit-limit')).toBe('2')
    expect(Number(first.headers.get('x-ratelimit-reset')) % 86_400).toBeLessThan(2)
    await fetch(server.url + path, { headers: key })
    const refused = await fetch(server.url + path, { headers: key })
    expect((await refused.json()).error.code).toBe('rate_limited_day')
    const midnight = 86_400 - ((Date.now() / 1_000) % 86_400)
    expect(Math.abs(Number(refused.headers.get('retry-after')) - midnight)).toBeLessThan(3)
    await server.stop()
  })
})

test('the demo key and searches without a key are counted by address, keys by key', async () => {
  const server = await testServer(database.sql)
  const remaining = async (target: string, headers: Record<string, string>) =>
    (await fetch(server.url + target, { headers })).headers.get('x-ratelimit-remaining')
  const from = (address: string) => ({ 'X-Forwarded-For': address })
  const demo = { Authorization: 'Bearer demo' }
  expect(await remaining(path, { ...demo, ...from('10.1.0.1') })).toBe('59')
  expect(await remaining(path, { ...demo, ...from('10.1.0.1') })).toBe('58')
  expect(await remaining(path, { ...demo, ...from('10.1.0.2') })).toBe('59')
  expect(await remaining('/api/search?q=a', from('10.1.0.1'))).toBe('119')
  expect(await remaining('/api/search?q=a', from('2001:db8:1:2::1'))).toBe('119')
  expect(await remaining('/api/search?q=a', from('2001:db8:1:2::2'))).toBe('118')
  const key = await oem(50)
  expect(await remaining(path, { ...key, ...from('10.1.0.1') })).toBe('49')
  expect(await remaining(path, { ...key, ...from('10.1.0.2') })).toBe('48')
  expect(await remaining('/api/search?q=a', { ...key, ...from('10.1.0.1') })).toBe('47')
  expect(await remaining('/api/search?q=a', { ...demo, ...from('10.1.0.1') })).toBe('118')
  await server.stop()
})

test('wrong keys are limited by address: 30 a minute, then 429', async () => {
  const server = await testServer(database.sql)
  const guess = () =>
    fetch(server.url + path, {
      headers: { Authorization: 'Bearer asf_live_guess', 'X-Forwarded-For': '10.3.0.1' },
    })
  const statuses = (await Promise.all(Array.from({ length: 50 }, guess))).map(response => response.status)
  expect(statuses.filter(status => status === 401).length).toBe(30)
  const last = await guess()
  expect([last.status, last.headers.has('retry-after')]).toEqual([429, true])
  expect([last.headers.get('x-ratelimit-limit'), last.headers.get('x-ratelimit-remaining')]).toEqual([
    '30',
    '0',
  ])
  await server.stop()
})

test('without the database nothing is granted: 503 and Retry-After, and it works again afterwards', async () => {
  const gone = connect({
    url: 'postgres://unknown:x@127.0.0.1:1/none',
    connections: 1,
    statementTimeoutMs: 1_000,
  })
  const healthy = await testServer(database.sql)
  const { access } = healthy.resources
  let away = true
  const server = await testServer(database.sql, {
    access: {
      ...access,
      findKey: digest => (away ? gone`select 1`.then(() => null) : access.findKey(digest)),
    },
  })
  const key = await oem(60)
  const response = await fetch(server.url + path, { headers: key })
  expect([response.status, (await response.json()).error.code]).toEqual([503, 'database_unavailable'])
  expect(response.headers.has('retry-after')).toBe(true)
  away = false
  expect((await fetch(server.url + path, { headers: key })).status).toBe(200)
  await server.stop()
  await healthy.stop()
  await gone.end({ timeout: 1 })
})
