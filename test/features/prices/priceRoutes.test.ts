import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { parquetReadObjects } from 'hyparquet'
import { registerFormats } from '../../../src/dates.ts'
import { importPrices } from '../../../src/features/prices/import/importPrices.ts'
import { ForwardReturnList, PriceList, PriceSetList } from '../../../src/features/prices/schema.ts'
import { changeAccess, removeSet } from '../../../src/features/prices/setQueries.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { findPriceSet } from '../../../src/prices/priceQueries.ts'
import type { PriceBasis } from '../../../src/prices/priceSeries.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { insertEntity } from '../companies/fixtures.ts'

setDefaultTimeout(180_000)
registerFormats()

let database: TestDatabase
let server: TestServer
/** The data version of which the server has heard. */
let heard = 1
let personal: string
let stranger: string
let free: string
let capped: string
const markets = await loadMarkets()

const text = [
  'date,symbol,close,split_factor,dividend,delisting_return',
  '2020-08-27,AAPL,500.04,,,',
  '2020-08-28,AAPL,499.23,,,',
  '2020-08-31,AAPL,129.04,4,,',
  '2020-09-01,AAPL,134.18,,,',
  '2020-08-27,GONE,10,,,',
  '2020-08-28,GONE,8,,,',
  '2020-08-27,BANK,10,,,',
  '2020-08-28,BANK,5,,,-1',
  ...Array.from(
    { length: 20 },
    (_, at) => `2020-09-${String(at + 2).padStart(2, '0')},AAPL,134.18,,,`,
  ).filter(line => new Date(line.slice(0, 10)).getUTCDay() % 6 !== 0),
  '',
].join('\n')

async function load(name: string, content = text, basis: PriceBasis = 'raw') {
  return importPrices(
    database.sql,
    { name: 'prices.csv', body: new TextEncoder().encode(content) },
    {
      name,
      currency: 'USD',
      basis,
      known: content.includes(',known\n') ? null : 'date',
      adjustedOn: null,
      markets,
      now: () => new Date('2026-07-01T12:00:00Z'),
    },
  )
}

beforeAll(async () => {
  database = await testDatabase()
  const { sql } = database
  for (const [at, ticker] of ['AAPL', 'GONE', 'BANK', 'OTHER'].entries())
    await insertEntity(sql, {
      market: 'US',
      issuerId: String(at + 1).padStart(10, '0'),
      ticker,
      name: ticker,
    })
  await load('open')
  await load('closed')
  personal = await sellKey(sql, { licence: 'personal' })
  stranger = await sellKey(sql, { licence: 'commercial' })
  free = await sellKey(sql, { licence: 'free' })
  capped = await sellKey(sql, { licence: 'evaluation' })
  await sql`update key_grant set entity_cap = 1, expires_at = null where licence = 'evaluation'`
  await sql`update key_grant set per_minute = 100000, per_day = null`
  await showToPersonal('open')
  heard = await readDataVersion(sql)
  server = await testServer(sql, { dataVersion: () => heard })
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

async function showToPersonal(name: string): Promise<void> {
  const set = await findPriceSet(database.sql, name)
  if (set === null) throw new Error(`There is no set ${name}.`)
  await changeAccess(database.sql, set, { licences: ['personal', 'evaluation'], allowed: [], denied: [] })
  heard = await readDataVersion(database.sql)
}

async function ask(path: string, key = personal, body?: unknown) {
  const answer = await fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, headers: answer.headers, json: await answer.json().catch(() => null) }
}

const asText = async (path: string, key = personal) =>
  (await (await fetch(server.url + path, { headers: { Authorization: `Bearer ${key}` } })).text()).replaceAll(
    '\r\n',
    '\n',
  )

describe('prices over HTTP', () => {
  test('rows as known on a day, in every format', async () => {
    const { status, json, headers } = await ask(
      '/api/v1/prices/open?ticker=AAPL&to=2020-09-01&as_of=2020-08-31',
    )
    expect(status).toBe(200)
    expect(Value.Check(PriceList, json)).toBe(true)
    expect(json.data.map((row: { close: number }) => row.close)).toEqual([500.04, 499.23, 129.04])
    const tag = headers.get('etag') ?? ''
    const again = await fetch(`${server.url}/api/v1/prices/open?ticker=AAPL&to=2020-09-01&as_of=2020-08-31`, {
      headers: { Authorization: `Bearer ${personal}`, 'If-None-Match': tag },
    })
    expect(again.status).toBe(304)
    const csv = await asText('/api/v1/prices/open?ticker=AAPL&from=2020-08-31&to=2020-08-31&format=csv')
    expect(csv).toBe(
      'date,ticker,symbol,close,close_as_traded,volume,split_factor,dividend,delisting_return,known\n2020-08-31,AAPL,AAPL,129.04,129.04,,4,0,,2020-08-31\n',
    )
  })

  test('an adjusted close is restored with splits that nobody knew on the day that is read', async () => {
    // Apple closed at 499.23 on 2020-08-28, before its split 4-for-1: adjusted for it, at 124.8075.
    const header = 'date,symbol,close,split_factor'
    await load(
      'adjusted',
      `${header}\n2020-08-28,AAPL,124.8075,\n2020-08-31,AAPL,129.04,4\n`,
      'split_adjusted',
    )
    await showToPersonal('adjusted')
    const asTraded = async (asOf: string) => {
      const { json } = await ask(`/api/v1/prices/adjusted?ticker=AAPL&to=2020-08-28&as_of=${asOf}`)
      return json.data.map((row: { close_as_traded: number }) => row.close_as_traded)
    }
    expect(await asTraded('2020-08-28')).toEqual([499.23])
    expect(await asTraded('2020-12-31')).toEqual([499.23])
    // An import without the column leaves the splits of its days unknown.
    await load('adjusted', 'date,symbol,close\n2020-09-01,AAPL,134.18\n', 'split_adjusted')
    heard = await readDataVersion(database.sql)
    expect(await asTraded('2020-08-28')).toEqual([null])
    expect(await removeSet(database.sql, 'adjusted')).toBe(true)
    heard = await readDataVersion(database.sql)
  })

  test('an issuer_id finds the rows of its ticker', async () => {
    const query = 'from=2020-08-27&to=2020-08-31'
    for (const path of ['/api/v1/prices/open', '/api/v1/prices/open/forward-returns']) {
      const byTicker = await ask(`${path}?ticker=AAPL&${query}`)
      const byNumber = await ask(`${path}?ticker=0000000001&${query}`)
      expect(byTicker.json.data.length).toBeGreaterThan(0)
      expect([byNumber.status, byNumber.json.data]).toEqual([200, byTicker.json.data])
    }
  })

  test('an import changes the answer and its ETag', async () => {
    const path = '/api/v1/prices/open?ticker=AAPL&from=2020-08-27&to=2020-08-27'
    const before = await ask(path)
    await load('open', 'date,symbol,close\n2020-08-27,OTHER,1\n')
    const version = await readDataVersion(database.sql)
    heard = version
    const after = await ask(path)
    expect(after.json.data_version).toBe(version)
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
  })

  test('forward returns follow splits, stated delistings and the assumption', async () => {
    const rows = {
      date: ['2020-08-27', '2020-08-28', '2020-08-28', '2020-08-27', '2020-08-27'],
      ticker: ['AAPL', 'AAPL', 'GONE', 'BANK', 'NOSUCH'],
    }
    const { status, json } = await ask('/api/v1/prices/open/forward-returns', personal, {
      rows,
      horizons: [1, 2],
      entry_lag: 0,
    })
    expect([status, json.error]).toEqual([200, undefined])
    expect(Value.Check(ForwardReturnList, json)).toBe(true)
    const found = json.data.map((row: { state: string; forward_return: number | null }) => [
      row.state,
      row.forward_return,
    ])
    expect(found).toEqual([
      ['closes', expect.closeTo(499.23 / 500.04 - 1, 12)],
      ['closes', expect.closeTo((129.04 * 4) / 500.04 - 1, 12)],
      ['closes', expect.closeTo((129.04 * 4) / 499.23 - 1, 12)],
      ['closes', expect.closeTo((134.18 * 4) / 499.23 - 1, 12)],
      ['assumed_delisting', expect.closeTo(-0.3, 12)],
      ['assumed_delisting', expect.closeTo(-0.3, 12)],
      ['stated_delisting', -1],
      ['stated_delisting', -1],
      ['unknown_company', null],
      ['unknown_company', null],
    ])
    expect(json.data[4]).toMatchObject({ return_at_0: 0, return_at_total_loss: -1 })
    expect(json.summary[0]).toMatchObject({
      rows: 4,
      missing: 1,
      assumed_delistings: 1,
      stated_delistings: 1,
    })
    const whole = await ask(
      '/api/v1/prices/open/forward-returns?from=2020-08-27&to=2020-08-28&horizons=1&entry_lag=0',
    )
    expect(whole.json.count).toBe(8)
  })

  test('forward returns of rows are the same in every format', async () => {
    const path = '/api/v1/prices/open/forward-returns'
    const body = {
      rows: {
        date: [
          '2020-08-27',
          '2020-08-28',
          '2020-08-29',
          '2020-08-28',
          '2020-08-27',
          '2020-08-27',
          '2020-09-18',
        ],
        ticker: ['AAPL', 'aapl', 'AAPL', 'GONE', 'BANK', 'NOSUCH', 'AAPL'],
      },
      horizons: [1, 2, 5],
      entry_lag: 0,
      delisting: -0.55,
    }
    const { json } = await ask(path, personal, body)
    expect(json.data).toHaveLength(21)
    expect(new Set(json.data.map((row: { state: string }) => row.state)).size).toBeGreaterThan(3)
    const send = (query: string, accept: string) =>
      fetch(`${server.url}${path}${query}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${personal}`, 'Content-Type': 'application/json', Accept: accept },
        body: JSON.stringify(body),
      })
    const both = async (format: string, type: string) => {
      const named = await send(`?format=${format}`, '*/*')
      const accepted = await send('', type)
      expect([named.status, accepted.status]).toEqual([200, 200])
      for (const { headers } of [named, accepted]) {
        expect(headers.get('content-type')).toStartWith(type)
        expect(headers.get('cache-control')).toBe('private, no-cache')
        expect(headers.get('content-disposition')).toContain(`.${format}`)
      }
      const bytes = await named.arrayBuffer()
      expect(Buffer.from(await accepted.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
      return bytes
    }

    const lines = Buffer.from(await both('ndjson', 'application/x-ndjson'))
      .toString()
      .trimEnd()
      .split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(json.data)

    const [head, ...csv] = Buffer.from(await both('csv', 'text/csv'))
      .toString()
      .trimEnd()
      .split('\r\n')
    const names = Object.keys(json.data[0])
    expect(head).toBe(names.join(','))
    // Each number is written with all of its digits.
    expect(csv.map(line => line.split(','))).toEqual(
      json.data.map((row: object) => Object.values(row).map(value => (value === null ? '' : String(value)))),
    )
    const commented = await (await send('?format=csv&comments=true', '*/*')).text()
    expect(commented).toStartWith('#')
    expect(commented).toContain('Prices: the set open')
    expect(commented.replace(/^#.*\r?\n/gm, '').trimEnd()).toBe([head, ...csv].join('\r\n'))

    const parquet = await parquetReadObjects({
      file: await both('parquet', 'application/vnd.apache.parquet'),
    })
    const day = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : value)
    expect(parquet.map(row => ({ ...row, date: day(row.date), horizon: Number(row.horizon) }))).toEqual(
      json.data,
    )

    const refused = await send('?format=xlsx', '*/*')
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, 'format'])
    const other = await fetch(`${server.url}/api/v1/prices/closed/forward-returns?format=csv`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${personal}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(other.status).toBe(404)
  })

  test('a security of another market does not continue one that has the same symbol and ended', async () => {
    const lines = [
      'date,symbol,market,close',
      '2020-08-27,BANK,US,10',
      '2020-08-28,BANK,US,5',
      // No company of Taiwan is on record, so these rows are a security of nobody.
      ...['2020-09-01', '2020-09-02', '2020-09-03'].map(day => `${day},BANK,TW,500`),
      ...text
        .split('\n')
        .filter(line => line.includes('AAPL'))
        .map(line => `${line.slice(0, 10)},AAPL,US,100`),
    ]
    await load('markets', `${lines.join('\n')}\n`)
    await showToPersonal('markets')
    const { json } = await ask('/api/v1/prices/markets/forward-returns', personal, {
      rows: { date: ['2020-08-27'], ticker: ['BANK'] },
      horizons: [1, 4],
      entry_lag: 0,
    })
    // 10 to 5, then the assumption of -30%.
    expect(json.data).toMatchObject([
      { state: 'closes', forward_return: -0.5 },
      { state: 'assumed_delisting', forward_return: expect.closeTo(0.5 * 0.7 - 1, 12) },
    ])
    await removeSet(database.sql, 'markets')
  })

  test('of an instant no market has prices of a day that has not ended in it, whichever company comes first', async () => {
    const { sql } = database
    for (const [at, id] of ['0050.TW', 'ZZ.TW'].entries())
      await insertEntity(sql, { market: 'TW', issuerId: `9${at}`, ticker: id, name: id })
    const days = ['2020-08-27', '2020-08-28', '2020-08-31']
    const rows = (symbol: string, market: string) =>
      days.map((day, at) => `${day},${symbol},${market},${at + 1},${day}`)
    await load(
      'zones',
      ['date,symbol,market,close,known', ...rows('AAPL', 'US'), ...rows('ZZ.TW', 'TW'), ''].join('\n'),
    )
    await showToPersonal('zones')
    // 03:00 of September 1st in Taipei, 15:00 of August 31st in New York, an hour before the close.
    const asOf = encodeURIComponent('2020-08-31T19:00:00Z')
    const read = async (query: string) => {
      const path = `/api/v1/prices/zones/forward-returns?from=2020-08-28&to=2020-08-28&horizons=1&entry_lag=0&as_of=${asOf}`
      const { status, json } = await ask(path + query)
      expect([status, json.error]).toEqual([200, undefined])
      return json.data
        .filter(({ ticker }: { ticker: string }) => ticker === 'AAPL')
        .map(({ forward_return }: { forward_return: number | null }) => forward_return)
    }
    for (const query of ['', '&ticker=AAPL', '&ticker=AAPL,ZZ.TW', '&ticker=ZZ.TW,AAPL'])
      expect(await read(query)).toEqual([null])
    // A company whose prices became known later does not decide in which zone the instant is read.
    const before = await ask(
      `/api/v1/prices/zones/forward-returns?from=2020-08-28&to=2020-08-31&as_of=${asOf}`,
    )
    await load('zones', `date,symbol,market,close,known\n2020-08-27,0050.TW,TW,1,2020-12-01\n`)
    await showToPersonal('zones')
    const after = await ask(
      `/api/v1/prices/zones/forward-returns?from=2020-08-28&to=2020-08-31&as_of=${asOf}`,
    )
    expect({ ...after.json, data_version: 0 }).toEqual({ ...before.json, data_version: 0 })
    await removeSet(sql, 'zones')
  })

  test('a stated delisting return ends a security although another company takes its symbol', async () => {
    const { sql } = database
    const successor = await insertEntity(sql, {
      market: 'US',
      issuerId: '0000000099',
      ticker: 'SHELL',
      name: 'Shell',
    })
    await load(
      'stated',
      `${[
        'date,symbol,close,delisting_return',
        '2020-08-27,GONE,10,',
        '2020-08-28,GONE,5,-0.8',
        ...['2020-08-27', '2020-08-28', '2020-08-31', '2020-09-01', '2020-09-02'].map(
          day => `${day},AAPL,100,`,
        ),
        ...['2020-09-01', '2020-09-02'].map(day => `${day},SHELL,500,`),
      ].join('\n')}\n`,
    )
    await sql`
      with changed as (
        update price_asset set symbols = array['GONE']
        where entity_id = ${successor} and price_set_id = (select price_set_id from price_set where name = 'stated')
        returning asset_id)
      update price_symbol set symbol = 'GONE' where asset_id in (select asset_id from changed)`
    await showToPersonal('stated')
    const { json } = await ask('/api/v1/prices/stated/forward-returns', personal, {
      rows: { date: ['2020-08-27'], ticker: ['GONE'] },
      horizons: [1, 3],
      entry_lag: 0,
    })
    // 10 to 5, then a loss of 80%.
    expect(json.data).toMatchObject([
      { state: 'stated_delisting', forward_return: expect.closeTo(-0.9, 12) },
      { state: 'stated_delisting', forward_return: expect.closeTo(-0.9, 12) },
    ])
    await removeSet(database.sql, 'stated')
  })

  test('bad input is explained', async () => {
    const post = (body: unknown) => ask('/api/v1/prices/open/forward-returns', personal, body)
    const rows = { date: ['2020-08-27'], ticker: ['AAPL'] }
    for (const [body, code] of [
      [{}, 'parameter_invalid'],
      [{ rows: { date: ['2020-08-27'], ticker: [] } }, 'parameter_invalid'],
      [{ rows: { date: ['2020-08-27', '2020-08-28'], ticker: ['AAPL'] } }, 'parameter_invalid'],
      [{ rows: { date: ['2020-02-30'], ticker: ['AAPL'] } }, 'parameter_invalid'],
      [{ rows, horizons: [0] }, 'parameter_invalid'],
      [{ rows, delisting: -2 }, 'parameter_invalid'],
      [{ rows, extra: 1 }, 'parameter_unknown'],
      [{ rows, as_of: '2999-01-01' }, 'parameter_invalid'],
    ] as const) {
      const { status, json } = await post(body)
      expect([body, status, json.error.code]).toEqual([body, 400, code])
    }
    for (const [body, found] of [
      [null, 'null'],
      [[], 'an empty array'],
      ['AAPL', '"AAPL"'],
    ] as const) {
      const { status, json } = await post(body)
      const message = `The body is ${found}; it must be an object.`
      expect([status, json.error]).toMatchObject([400, { code: 'body_invalid', message }])
    }
    const untyped = await fetch(`${server.url}/api/v1/prices/open/forward-returns`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${personal}`, 'Content-Type': 'text/plain' },
      body: JSON.stringify({ rows }),
    })
    expect([untyped.status, (await untyped.json()).error.message]).toEqual([
      415,
      'Send the body with the Content-Type application/json.',
    ])
    for (const path of [
      '/api/v1/prices/open',
      '/api/v1/prices/open?ticker=AAPL&from=2020-09-01&to=2020-08-01',
      '/api/v1/prices/UPPER?ticker=AAPL',
      '/api/v1/prices/open/forward-returns?from=2020-08-27&to=2020-08-28&horizons=0',
    ])
      expect((await ask(path)).status).toBe(400)
  })
})

describe('rights', () => {
  const paths = (set: string) => [
    `/api/v1/prices/${set}?ticker=AAPL`,
    `/api/v1/prices/${set}/forward-returns?from=2020-08-27&to=2020-08-28&ticker=AAPL`,
  ]
  const listed = async (key: string) => {
    const { json } = await ask('/api/v1/prices', key)
    expect(Value.Check(PriceSetList, json)).toBe(true)
    return json.data.map(({ name }: { name: string }) => name)
  }

  test('a set is there for its licences and readers; for others it is like one that does not exist', async () => {
    expect([await listed(personal), await listed(stranger), await listed(free)]).toEqual([['open'], [], []])
    for (const key of [stranger, free])
      for (const [at, path] of paths('open').entries()) {
        const refused = await ask(path, key)
        const unknown = await ask(paths('nosuch')[at], key)
        expect(refused.status).toBe(404)
        const said = ({ json }: typeof refused) => [json.error.code, json.error.param, json.error.message]
        expect(said(refused).join().replaceAll('open', 'nosuch')).toBe(said(unknown).join())
      }
    for (const path of paths('closed')) expect((await ask(path)).status).toBe(404)
    const body = { rows: { date: ['2020-08-27'], ticker: ['AAPL'] } }
    expect((await ask('/api/v1/prices/closed/forward-returns', personal, body)).status).toBe(404)
  })

  test('a key or an address can be named, and its right ends at once', async () => {
    const { sql } = database
    const set = await findPriceSet(sql, 'closed')
    if (set === null) throw new Error('The set is missing.')
    const [{ keyId, email }] = await sql<{ keyId: number; email: string }[]>`
      select key_id as "keyId", email from api_key where last_four = ${stranger.slice(-4)}`
    for (const reader of [
      { keyId, email: null },
      { keyId: null, email: email.toLowerCase() },
    ] as const) {
      await changeAccess(sql, set, { licences: null, allowed: [reader], denied: [] })
      for (const path of paths('closed')) expect((await ask(path, stranger)).status).toBe(200)
      expect(await listed(stranger)).toEqual(['closed'])
      await changeAccess(sql, set, { licences: null, allowed: [], denied: [reader] })
      for (const path of paths('closed')) expect((await ask(path, stranger)).status).toBe(404)
    }
  })

  test('a key with a cap learns nothing of companies beyond it', async () => {
    expect((await ask('/api/v1/prices/open?ticker=AAPL', capped)).status).toBe(200)
    const known = await ask('/api/v1/prices/open?ticker=GONE', capped)
    const without = await ask('/api/v1/prices/open?ticker=OTHER', capped)
    expect([known.status, known.json.error.code, without.status]).toEqual([403, 'entity_cap_reached', 403])
    const body = { rows: { date: ['2020-08-27'], ticker: ['GONE'] } }
    expect((await ask('/api/v1/prices/open/forward-returns', capped, body)).status).toBe(403)
    const whole = await ask('/api/v1/prices/open/forward-returns?from=2020-08-27&to=2020-08-28', capped)
    expect([whole.status, whole.json.error.param]).toEqual([400, 'ticker'])
  })

  test('a removed set is gone in every data version', async () => {
    const version = await readDataVersion(database.sql)
    await load('gone')
    const set = await findPriceSet(database.sql, 'gone')
    if (set !== null)
      await changeAccess(database.sql, set, { licences: ['personal'], allowed: [], denied: [] })
    expect((await ask(paths('gone')[0])).status).toBe(200)
    await removeSet(database.sql, 'gone')
    expect((await ask(paths('gone')[0])).status).toBe(404)
    expect((await ask(`${paths('gone')[0]}&data_version=${version + 1}`)).status).toBe(404)
    const [{ left }] = await database.sql<[{ left: number }]>`
      select count(*)::int as left from price_block b join price_asset a using (asset_id) left join price_set s using (price_set_id) where s is null`
    expect(left).toBe(0)
  })
})
