import { afterAll, describe, expect, test } from 'bun:test'
import { makeKeyText } from '../../src/access/keyText.ts'
import { testDatabase } from '../database.ts'
import { insertCompanies } from '../features/companies/fixtures.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { sellKey } from './callers.ts'
import { testServer } from './testServer.ts'

const database = await testDatabase()
await insertCompanies(database.sql)
afterAll(() => database.close(), 60_000)

const path = '/api/v1/coverage/AAPL'
const forwarded = (client: string) => ({ 'X-Forwarded-For': client })
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

describe('behind a proxy that is not in TRUSTED_PROXIES', () => {
  test('invalid keys of one client lock out no valid key, also one that the server has not seen', async () => {
    const server = await testServer(database.sql, {}, { TRUSTED_PROXIES: '' })
    const ask = (key: string, client: string) =>
      fetch(server.url + path, { headers: { ...bearer(key), ...forwarded(client) } })
    const guesses = await Promise.all(
      Array.from({ length: 60 }, () => ask(makeKeyText('live'), '203.0.113.1')),
    )
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401, 429]))
    const key = await sellKey(database.sql)
    const meanwhile = Array.from({ length: 500 }, () => ask(makeKeyText('live'), '203.0.113.1'))
    const answer = await ask(key, '203.0.113.2')
    expect(answer.status).not.toBe(429)
    expect((await answer.json()).error?.code).not.toBe('key_unknown')
    for (const { status } of nonEmpty(await Promise.all(meanwhile))) expect(status).toBe(429)
    await server.stop()
  }, 30_000)

  test('the log warns, once; /ready, which anyone can read, answers as before', async () => {
    const server = await testServer(database.sql, {}, { TRUSTED_PROXIES: '10.0.0.0/8' })
    const ready = async (headers = {}) => (await fetch(`${server.url}/ready`, { headers })).text()
    const before = await ready()
    expect(JSON.parse(before).warnings).toEqual([])
    for (let i = 0; i < 3; i++)
      await fetch(server.url + path, { headers: { ...bearer('demo'), ...forwarded('203.0.113.1') } })
    expect([await ready(forwarded('203.0.113.1')), await ready()]).toEqual([before, before])
    const lines = server.logged.filter(({ msg }) => String(msg).includes('outside TRUSTED_PROXIES'))
    expect(lines).toMatchObject([{ level: 40, address: '127.0.0.1' }])
    await server.stop()
  })

  test('no warning from a proxy that is in it', async () => {
    const server = await testServer(database.sql)
    await fetch(server.url + path, { headers: { ...bearer('demo'), ...forwarded('203.0.113.1') } })
    expect((await (await fetch(`${server.url}/ready`)).json()).warnings).toEqual([])
    expect(nonEmpty(server.logged).filter(({ level }) => level === 40)).toEqual([])
    await server.stop()
  })
})
