import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pino } from 'pino'
import { companyDirectory } from '../../../src/features/companies/directory.ts'
import { connect } from '../../../src/postgres/client.ts'
import { advanceDataVersion, readDataVersion, watchDataVersion } from '../../../src/postgres/dataVersion.ts'
import { callers } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { testServer, testToday } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { isLong } from '../../rounds.ts'
import { importAs, statementsOf } from '../companies/randomFilings.ts'
import { take } from '../signals/fixtures.ts'

const closing: (() => Promise<unknown>)[] = []
let first: RealServer
let second: { readonly url: string }
let keys: Awaited<ReturnType<typeof callers>>
let version: number

beforeAll(async () => {
  first = await realServer()
  closing.push(first.stop)
  second = await anotherServer(first.databaseUrl)
  keys = await callers(first.sql)
  version = await readDataVersion(first.sql)
}, 180_000)
afterAll(async () => {
  for (const close of closing.reverse()) await close()
}, 180_000)

async function anotherServer(url: string) {
  const sql = connect({ url, connections: 4, statementTimeoutMs: 60_000 })
  const directory = companyDirectory(sql)
  const watch = await watchDataVersion(sql, () => directory.forget())
  const server = await testServer(sql, {
    today: () => testToday,
    directory,
    dataVersion: watch.current,
    log: pino({ level: 'silent' }),
  })
  closing.push(async () => {
    await server.stop()
    await watch.close()
    await sql.end()
  })
  return server
}

/** Requests to each route, in each format of its response. */
const paths = [
  '/api/v1/fundamentals?ticker=AAPL&fields=accession,form,tag,inputs',
  '/api/v1/fundamentals?ticker=AAPL&view=latest',
  '/api/v1/fundamentals?ticker=AAPL&layout=wide&metric=revenue,roe',
  '/api/v1/fundamentals?ticker=AAPL&fp=TTM',
  '/api/v1/fundamentals?ticker=AAPL,GOOG,005930.KS&metric=revenue,net_income',
  '/api/v1/cross-section?metric=roe&market=US&as_of=2010-03-31',
  '/api/v1/frames?tag=us-gaap:Assets&period=CY2009Q2I&market=US&as_of=2010-03-31',
  '/api/v1/cross-section?metric=roe,revenue&market=US&as_of=2010-03-31',
  '/api/v1/restatements?metric=revenue&market=US&as_of=2010-06-30',
  '/api/v1/filings?market=US&ticker=AAPL',
  '/api/v1/filings?market=US&as_of=2010-06-30',
  '/api/v1/signals?limit=2000',
]
  // CI asks for JSON and for one of the others, in turn.
  .flatMap((path, place) => {
    const others = ['csv', 'ndjson', 'parquet']
    const formats = isLong ? others : [others[place % 3]]
    return ['json', ...formats].map(format => `${path}&format=${format}`)
  })
const jsonPaths = [
  '/api/v1/fundamentals?limit=50&market=US',
  '/api/v1/coverage/AAPL',
  '/api/v1/coverage/320193',
  '/api/v1/companies/AAPL',
  '/api/v1/companies/AAPL?as_of=2010-03-31',
  '/api/v1/metrics',
  '/api/v1/metrics?market=US',
]
const all = [...paths, ...jsonPaths]

const pinnedPath = (path: string, to: number) => `${path}${path.includes('?') ? '&' : '?'}data_version=${to}`

async function get(server: { readonly url: string }, path: string, key = keys.redistribution, headers = {}) {
  const response = await fetch(`${server.url}${path}`, { headers: { Authorization: key ?? '', ...headers } })
  const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1')
  return {
    status: response.status,
    tag: response.headers.get('etag'),
    next: response.headers.get('x-next-cursor'),
    bytes,
  }
}

/** Corrects, removes, renames and imports, so that every route answers otherwise. */
async function changeEverything(): Promise<void> {
  const { sql } = first
  const drafts = [
    { day: 1, hour: 8, name: 'New', figures: [{ metric: 'revenue', period, value: 3 }] },
    { day: 3, hour: 8, name: 'Newer', figures: [{ metric: 'revenue', period, value: 4 }] },
  ]
  await importAs(sql, 'US', 320193, statementsOf(7, drafts))
  await take(sql, ['2017-10-31,AAPL,US,1d,0.5,0.5', '2017-10-30,NEWER,US,3d,0.1,-0.1'], { correct: true })
  await sql.begin(async transaction => {
    const apple = transaction`(select entity_id from entity_ticker where ticker = 'AAPL')`
    await transaction`update entity set name = 'Renamed Inc.', sector = 'SIC 1', status = 'x' where entity_id = ${apple}`
    await transaction`update fact set value = value * 2`
    await transaction`delete from fact where metric_id % 3 = 0 and entity_id % 2 = 0`
    await transaction`update filing set form = form || '/B', figures = figures + 1`
    await transaction`delete from fact where filing_id in (select filing_id from filing where entity_id = ${apple} order by filed limit 2)`
    await transaction`delete from filing where filing_id in (select filing_id from filing where entity_id = ${apple} order by filed limit 2)`
    await transaction`update signal set predicted = -predicted where ticker < 'M'`
    await transaction`insert into entity_other_name (entity_id, market, name) values (${apple}, 'US', 'Apple Computer') on conflict do nothing`
    await advanceDataVersion(transaction, { source: 'us', entities: 1, factsAdded: 1 })
  })
}
const period = { start: '2019-01-01', end: '2019-12-31' }

async function untilSeen(server: RealServer['resources']): Promise<void> {
  const now = await readDataVersion(first.sql)
  for (let tries = 0; tries < 100 && server.dataVersion() < now; tries++) await Bun.sleep(50)
}

describe('an answer for a data version', () => {
  test('has the bytes and the tag that the answer of that version had, on every server, after what came since', async () => {
    const before = new Map<string, Awaited<ReturnType<typeof get>>>()
    for (const path of all) {
      const answer = await get(first, path)
      expect([path, answer.status]).toEqual([path, 200])
      before.set(path, answer)
      expect([path, await get(second, pinnedPath(path, version))]).toEqual([path, answer])
    }
    await changeEverything()
    await changeEverything()
    await untilSeen(first.resources)
    const same: string[] = []
    for (const [path, answer] of nonEmpty(before)) {
      const server = path.length % 2 === 0 ? first : second
      expect([path, await get(server, pinnedPath(path, version))]).toEqual([path, answer])
      const now = await get(first, path)
      const plain = (bytes: string) => bytes.replaceAll(/"data_version":\d+/g, '')
      if (plain(now.bytes) === plain(answer.bytes)) same.push(path)
    }
    // The response of every route must have changed, or the test would prove nothing.
    expect(same.filter(path => !path.includes('/metrics'))).toEqual([])
  }, 120_000)

  test('is the one that a condition names', async () => {
    const path = pinnedPath('/api/v1/fundamentals?ticker=AAPL', version)
    const { tag } = await get(first, path)
    expect(tag).toStartWith(`W/"${version}-`)
    expect((await get(second, path, keys.personal, { 'If-None-Match': tag ?? '' })).status).toBe(304)
  })

  test('is continued on the same version, page by page', async () => {
    const rows: string[] = []
    let cursor = ''
    for (let page = 0; page < 100; page++) {
      const path = `/api/v1/filings?market=US&as_of=2010-06-30&limit=60${cursor}`
      const answer = JSON.parse((await get(page % 2 ? first : second, pinnedPath(path, version))).bytes)
      expect(answer.note).toBeUndefined()
      rows.push(...answer.data.map((row: { accession: string }) => row.accession))
      if (answer.next === null) break
      cursor = `&cursor=${answer.next}`
    }
    const whole = JSON.parse(
      (await get(first, pinnedPath('/api/v1/filings?market=US&as_of=2010-06-30&limit=1000', version))).bytes,
    )
    expect(rows).toEqual(whole.data.map((row: { accession: string }) => row.accession))
  })

  test('of a version that is not yet there, or too old, is refused in words', async () => {
    const now = await readDataVersion(first.sql)
    const later = await get(first, pinnedPath('/api/v1/coverage/AAPL', now + 1))
    expect([later.status, later.bytes]).toEqual([400, expect.stringContaining(`the newest is ${now}`)])
    expect((await get(first, '/api/v1/coverage/AAPL?data_version=-1')).status).toBe(400)
    expect((await get(first, '/api/v1/coverage/AAPL?data_version=1.5')).status).toBe(400)
    const early = await get(first, pinnedPath('/api/v1/coverage/AAPL', 0))
    expect([early.status, early.bytes]).toEqual([404, expect.stringContaining('0 companies are loaded here')])
  })
})

describe('who may read an earlier version', () => {
  test('every licence with as_of; demo and free keys for flagship companies only, refused in words', async () => {
    for (const path of nonEmpty(all.filter(path => !/csv|ndjson|parquet/.test(path)))) {
      for (const key of ['evaluation', 'personal', 'commercial', 'redistribution', 'oem', 'quant'] as const) {
        const { status } = await get(first, pinnedPath(path, version), keys[key])
        expect([path, key, status]).toEqual([path, key, 200])
      }
    }
    for (const key of ['demo', 'free'] as const) {
      for (const path of all) {
        const { status, bytes } = await get(first, pinnedPath(path, version), keys[key])
        const isFlagship = /AAPL/.test(path) && !/005930/.test(path) && !/market=US&as_of/.test(path)
        expect([path, key, status]).toEqual([path, key, isFlagship ? 200 : 403])
        if (!isFlagship)
          expect(bytes).toMatch(
            /(data_version for|as_of for|any period of) .* requires an evaluation key or a Personal or Commercial/,
          )
      }
      const other = await get(
        first,
        pinnedPath('/api/v1/fundamentals?ticker=GOOG,005930.KS', version),
        keys[key],
      )
      expect([other.status, other.bytes]).toEqual([
        403,
        expect.stringContaining('data_version for 005930.KS requires'),
      ])
    }
  }, 120_000)
})

test('a stream holds its version until it ends or its reader leaves, and no longer', async () => {
  const { pins } = first.resources
  const headers = { Authorization: keys.quant ?? '' }
  const path = pinnedPath('/api/v1/signals?limit=50000&format=ndjson', version)
  for (let round = 0; round < 12; round++) {
    const left = new AbortController()
    const response = await fetch(`${first.url}${path}`, { headers, signal: left.signal })
    const reader = response.body?.getReader()
    await reader?.read()
    left.abort()
    await reader?.cancel().catch(() => {})
  }
  // Five other versions need the places of those that are not read.
  for (let other = 1; other <= 6; other++)
    expect((await get(first, pinnedPath('/api/v1/coverage/AAPL', other))).status).toBeLessThan(500)
  expect(pins.versions.length).toBeLessThanOrEqual(4)
  expect((await get(first, path, keys.quant)).status).toBe(200)
}, 180_000)
