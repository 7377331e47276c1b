import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { equalRows } from '../../../bench/neighbours/senders.ts'
import { readJoinBody } from '../../../src/backtest/asOf/joinBody.ts'
import { isoDate } from '../../../src/dates.ts'
import type { Failure } from '../../../src/errors.ts'
import { migrateQueue } from '../../../src/jobs/queue.ts'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { insertEntity, insertVintages } from '../companies/fixtures.ts'

const today = isoDate(20_000)

let database: TestDatabase
let second: Sql
let servers: TestServer[]
beforeAll(async () => {
  database = await testDatabase()
  const apple = { market: 'US', issuerId: '320193', ticker: 'AAPL', name: 'Apple Inc.' }
  await insertVintages(database.sql, await insertEntity(database.sql, apple), [
    ['revenue', 0, 2020, '2020-01-01', '2020-12-31', '2021-01-28', 100, 'p-1'],
  ])
  await migrateQueue(database.url)
  second = connect({ url: database.url, connections: 3, statementTimeoutMs: 5_000 })
  servers = [await testServer(database.sql), await testServer(second)]
}, 180_000)
afterAll(async () => {
  for (const server of servers) await server.stop()
  await second.end()
  await database.close()
}, 180_000)

interface Sent {
  readonly server?: number
  readonly key?: string
  readonly address?: string
  readonly type?: string
  readonly more?: Record<string, string>
}

const parquet = 'application/vnd.apache.parquet'

async function join(
  body: string | Uint8Array<ArrayBuffer>,
  { server = 0, key = 'demo', address = '198.51.100.1', type = parquet, more = {} }: Sent = {},
) {
  const query = type === 'application/json' ? '' : '?metrics=revenue'
  const response = await fetch(`${servers[server].url}/api/v1/as-of${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': type, 'X-Forwarded-For': address, ...more },
    body,
  })
  const text = await response.text()
  const error: { code: string; message: string } | null = response.ok ? null : JSON.parse(text).error
  return {
    status: response.status,
    code: error?.code,
    message: error?.message ?? '',
    headers: response.headers,
  }
}

/** The budget is that of a minute of the database's clock. All requests of a test fit into what is left of one. */
async function minuteWithRoom(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 10_000) await Bun.sleep(left)
}

describe('a minute of the demo key', () => {
  beforeEach(minuteWithRoom)

  test('has 100,000 rows an address on all servers together, and a refusal says how many are left and when', async () => {
    const address = '192.0.2.7'
    expect((await join(equalRows(60_000), { address })).status).toBe(200)
    const refused = await join(equalRows(60_000), { address, server: 1 })
    expect([refused.status, refused.code]).toEqual([429, 'rate_limited_minute'])
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeWithin(1, 121)
    expect(refused.message).toStartWith(
      `The request joins 60,000 rows, but only 40,000 are left of the 100,000 rows per minute of your address with the demo key. Wait ${wait} s`,
    )
    // The refused rows have not been counted.
    expect((await join(equalRows(40_000), { address, server: 1 })).status).toBe(200)
    expect((await join(equalRows(1), { address })).status).toBe(429)
    expect((await join(equalRows(1), { address: '192.0.2.8' })).status).toBe(200)
  })

  test('has 500,000 rows a network, and an address of another network is not concerned', async () => {
    for (let host = 1; host <= 5; host++) {
      const sent = { address: `198.18.5.${host}`, server: host % 2 }
      expect((await join(equalRows(100_000), sent)).status).toBe(200)
    }
    const refused = await join(equalRows(10), { address: '198.18.5.99' })
    expect([refused.status, refused.code]).toEqual([429, 'rate_limited_minute'])
    expect(refused.message).toContain(
      '0 are left of the 500,000 rows per minute with the demo key from your network, 198.18.5.0/24',
    )
    expect((await join(equalRows(10), { address: '198.18.6.99' })).status).toBe(200)
    // The address gets back what the network's limit refused.
    const [row] = await database.sql`select used from limit_counter where subject = 'rows:demo:198.18.5.99'`
    expect(row.used).toBe(0)
  })

  test('counts IPv6 by /64, and its networks by /48', async () => {
    for (const part of ['1', '2', '3', '4', '5'])
      expect((await join(equalRows(100_000), { address: `2001:db8:7:${part}::1` })).status).toBe(200)
    const refused = await join(equalRows(1), { address: '2001:db8:7:6::1' })
    expect(refused.message).toContain('from your network, 2001:db8:7::/48')
    expect((await join(equalRows(1), { address: '2001:db8:8:6::1' })).status).toBe(200)
  })
})

describe('a body of more rows than a minute has', () => {
  const message = 'the demo key and free keys may join 100,000 a minute'

  test('is refused by the metadata of a Parquet file, before a value is read', async () => {
    const body = equalRows(5_000_000)
    const { status, code, message: said } = await join(body, { address: '203.0.113.5' })
    expect([status, code]).toEqual([413, 'body_too_large'])
    expect(said).toStartWith(`rows has 5,000,000 rows; ${message}.`)
    // With its pages destroyed it is refused in the same words: they were not looked at.
    body.fill(0xff, 4, 200)
    expect((await join(body, { address: '203.0.113.5' })).message).toBe(said)
  })

  // Over HTTP 1 MB of these formats has fewer rows than the budget, so the reader itself is given the body.
  test('is read up to its first row too many in every other format', async () => {
    const count = 100_001
    const each = (row: string) => Array<string>(count).fill(row)
    const wrong = 'not a row at all'
    const bodies = {
      json: `{"metrics":["revenue"],"rows":{"date":[${each('"2022-01-10"').join(',')},${wrong}`,
      csv: `date,ticker\n${each('2022-01-10,A').join('\n')}\n${wrong},"\n`,
      ndjson: `${each('{"date":"2022-01-10","ticker":"A"}').join('\n')}\n${wrong}\n`,
    }
    for (const [format, text] of Object.entries(bodies)) {
      const body = new TextEncoder().encode(text)
      const query = { metrics: 'revenue' }
      const input = { body, format: format as keyof typeof bodies, query, today, maxRows: 100_000 }
      const refused = await readJoinBody(input).then(
        () => null,
        (failure: Failure) => failure,
      )
      expect([format, refused?.code, refused?.message.slice(0, 84)]).toEqual([
        format,
        'body_too_large',
        `rows has more than 100,000 rows; ${message}`.slice(0, 84),
      ])
    }
  })
})

describe('keys', () => {
  test('a free key has its own 100,000 rows, from wherever it sends, and submitted joins count', async () => {
    const key = await sellKey(database.sql, { licence: 'free' })
    expect((await join(equalRows(70_000), { key, address: '198.51.100.20' })).status).toBe(200)
    const more = { Prefer: 'respond-async' }
    const refused = await join(equalRows(70_000), { key, address: '203.0.113.20', server: 1, more })
    expect(refused.message).toContain('30,000 are left of the 100,000 rows per minute of this free key')
    expect((await join(equalRows(30_000), { key, more })).status).toBe(202)
    expect((await join(equalRows(1), { key, server: 1 })).status).toBe(429)
  })

  test('a data licence and the quant plan have no budget of rows', async () => {
    for (const terms of [{ licence: 'personal' }, { licence: 'free', quant: true }] as const) {
      const key = await sellKey(database.sql, terms)
      for (let i = 0; i < 2; i++) expect((await join(equalRows(120_000), { key })).status).toBe(200)
    }
  })
})
