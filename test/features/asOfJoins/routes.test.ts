import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { parquetReadObjects } from 'hyparquet'
import { advanceDataVersion } from '../../../src/postgres/dataVersion.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { rawRequest } from '../../http/rawRequest.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { insertCompanies, insertEntity, insertVintages, type Vintage } from '../companies/fixtures.ts'
import type { JoinedAnswer, JoinRequest } from './joinBench.ts'

setDefaultTimeout(180_000)

/** A company that amends its year 2009 after it has reported 2010, has quarters, and then withdraws nothing. */
const planted: Vintage[] = [
  ['revenue', 0, 2009, '2009-01-01', '2009-12-31', '2010-02-20', 100, 'p-1'],
  ['revenue', 1, 2010, '2010-01-01', '2010-03-31', '2010-05-10', 30, 'p-2'],
  ['revenue', 0, 2010, '2010-01-01', '2010-12-31', '2011-02-20', 130, 'p-3'],
  // The amendment of the old year comes last.
  ['revenue', 0, 2009, '2009-01-01', '2009-12-31', '2011-06-01', 90, 'p-4'],
  ['revenue', 1, 2010, '2010-01-01', '2010-03-31', '2011-06-01', 28, 'p-4'],
  ['assets', 0, 2010, null, '2010-12-31', '2011-02-20', 500, 'p-3'],
  // Due, but not filed yet: the day is later than the test's today.
  ['revenue', 0, 2025, '2025-01-01', '2025-12-31', '2026-07-02', 999, 'p-9'],
]

let database: TestDatabase
let server: TestServer
beforeAll(async () => {
  database = await testDatabase()
  const { sql } = database
  await insertCompanies(sql)
  const planter = await insertEntity(sql, {
    market: 'US',
    issuerId: '0000000077',
    ticker: 'PLANT',
    name: 'Planted Inc.',
  })
  await insertVintages(sql, planter, planted)
  await sql`insert into entity_former_id (ticker, entity_id, place) values ('SEED', ${planter}, 1)`.catch(
    async () => sql`insert into entity_former_id (ticker, entity_id) values ('SEED', ${planter})`,
  )
  server = await testServer(sql, {}, { FLAGSHIP_TICKERS: 'AAPL' })
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

const bearer = async (licence: 'personal' | 'evaluation' | 'free', cap?: number) => {
  const key = await sellKey(database.sql, { licence, expires: '2099-01-01' })
  if (cap !== undefined)
    await database.sql`update key_grant set entity_cap = ${cap}
      where key_id = (select max(key_id) from api_key)`
  return `Bearer ${key}`
}

async function post(
  request: JoinRequest | string,
  authorization: string,
  query = '',
  type = 'application/json',
) {
  return fetch(`${server.url}/api/v1/as-of${query}`, {
    method: 'POST',
    headers: { Authorization: authorization, 'Content-Type': type, 'Accept-Encoding': 'identity' },
    body: typeof request === 'string' ? request : JSON.stringify(request),
  })
}

async function joined(request: JoinRequest, authorization?: string): Promise<JoinedAnswer> {
  const response = await post(request, authorization ?? (await bearer('personal')))
  if (response.status !== 200) throw new Error(await response.text())
  return response.json()
}

const dates = ['2010-02-20', '2010-02-21', '2010-05-11', '2011-02-21', '2011-06-02', '2013-01-01']
const ofPlant = (more: Partial<JoinRequest> = {}): JoinRequest => ({
  rows: { date: dates, ticker: dates.map(() => 'PLANT') },
  metrics: ['revenue'],
  ...more,
})

describe('which figure a row shows', () => {
  test('an amendment of an old year does not displace the newest year', async () => {
    const { columns } = await joined(ofPlant({ with: ['end', 'filed'] }))
    expect(columns.revenue).toEqual([null, 100, 100, 130, 130, 130])
    expect(columns.revenue_end?.at(-1)).toBe('2010-12-31')
    expect(columns.revenue_filed?.at(-1)).toBe('2011-02-20')
  })

  test('a filing of the date itself counts only with inclusive', async () => {
    const request = { ...ofPlant(), rows: { date: ['2010-02-20'], ticker: ['PLANT'] } }
    expect((await joined(request)).columns.revenue).toEqual([null])
    expect((await joined({ ...request, inclusive: true })).columns.revenue).toEqual([100])
  })

  test('quarters, and the latest period of any kind', async () => {
    expect((await joined(ofPlant({ fp: 'Q' }))).columns.revenue).toEqual([null, null, 30, 30, 28, 28])
    expect((await joined(ofPlant({ fp: 'latest' }))).columns.revenue).toEqual([null, 100, 30, 130, 130, 130])
    expect((await joined(ofPlant({ fp: 'Q', metrics: ['assets'] }))).columns.assets.at(-1)).toBe(500)
  })

  test('max_age_days counts from the end of the period to the date of the row, both included', async () => {
    const age = { rows: { date: ['2011-12-31', '2012-01-01'], ticker: ['PLANT', 'PLANT'] } }
    expect((await joined({ ...ofPlant(), ...age, max_age_days: 365 })).columns.revenue).toEqual([130, null])
  })

  test('no row shows a figure that is filed after today, and no date may ask for one', async () => {
    // Today is 2026-07-01. A row dated one day later sees everything that is known today.
    const rows = { date: ['2026-07-02'], ticker: ['PLANT'] }
    expect((await joined({ ...ofPlant(), rows })).columns.revenue).toEqual([130])
    for (const [date, inclusive] of [
      ['2026-07-03', false],
      ['2026-07-02', true],
    ] as const) {
      const refused = await post(
        { ...ofPlant(), rows: { date: [date], ticker: ['PLANT'] }, inclusive },
        await bearer('personal'),
      )
      expect(refused.status).toBe(400)
      const { error } = await refused.json()
      expect([error.code, error.param]).toEqual(['parameter_invalid', 'rows.date[0]'])
    }
  })

  test('rows stay in the order sent, unknown tickers are named and former ones lead to their company', async () => {
    const rows = {
      date: ['2013-01-01', '2010-03-01', '2013-01-01', '2013-01-01', '2010-02-20'],
      ticker: ['PLANT', 'plant', 'NOSUCH', 'SEED', 'n o\u0000'],
    }
    const answer = await joined({ ...ofPlant(), rows })
    expect(answer.columns.ticker).toEqual(rows.ticker)
    expect(answer.columns.date).toEqual(rows.date)
    expect(answer.columns.revenue).toEqual([130, 100, null, 130, null])
    expect([answer.unknown, answer.unknown_count]).toEqual([['NOSUCH', 'n o\u0000'], 2])
    expect(answer.renamed).toEqual([{ sent: 'SEED', ticker: 'PLANT' }])
  })
})

/** The headers of an answer and its body without framing, as a raw connection shows them. */
async function onTheWire(path: string, authorization: string, body: string, accepted: string) {
  const { text } = await rawRequest(
    server.port,
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\nContent-Type: text/csv\r\n` +
      `${accepted === '' ? '' : `Accept-Encoding: ${accepted}\r\n`}Content-Length: ${body.length}\r\n\r\n${body}`,
    { timeoutMs: 60_000, isWhole: () => false },
  )
  const bytes = Buffer.from(text, 'latin1')
  const head = bytes.indexOf('\r\n\r\n')
  const lines = bytes.toString('latin1', 0, head).split('\r\n').slice(1)
  const headers = new Map(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  const sent = bytes.subarray(head + 4)
  const length = headers.get('content-length')
  const framing = headers.get('transfer-encoding') ?? (length === undefined ? 'none' : 'length')
  expect(lines.filter(line => /^(content-length|transfer-encoding):/i.test(line)).length).toBe(1)
  if (framing === 'length') expect(sent.length).toBe(Number(length))
  else expect(framing).toBe('chunked')
  return { headers, content: framing === 'chunked' ? withoutChunks(sent) : sent }
}

/** Fails if the last chunk is missing, by which a client knows that it has everything. */
function withoutChunks(sent: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const end = sent.indexOf('\r\n', at)
    const size = Number.parseInt(sent.toString('latin1', at, end), 16)
    if (size === 0) {
      expect(sent.toString('latin1', end)).toBe('\r\n\r\n')
      return Buffer.concat(chunks)
    }
    expect(sent.length).toBeGreaterThan(end + 2 + size)
    chunks.push(sent.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}

describe('forms', () => {
  const csv = `date,ticker\n${dates.map(date => `${date},PLANT`).join('\n')}\n`
  const query = '?metrics=revenue,assets&with=end,filed&fp=FY'

  test('JSON, CSV, NDJSON and Parquet have the same cells, whatever the body was', async () => {
    const key = await bearer('personal')
    const { columns } = await joined(ofPlant({ metrics: ['revenue', 'assets'], with: ['end', 'filed'] }))
    const names = Object.keys(columns)
    const cells = dates.map((_, i) => names.map(name => columns[name][i]))
    const lines = await (await post(csv, key, `${query}&format=csv`, 'text/csv')).text()
    expect(lines).toBe([names, ...cells].map(row => `${row.map(cell => cell ?? '').join(',')}\r\n`).join(''))
    const ndjson = dates.map(date => `{"ticker":"PLANT","date":"${date}"}`).join('\n')
    const objects = await (await post(ndjson, key, `${query}&format=ndjson`, 'application/x-ndjson')).text()
    expect(
      objects
        .trim()
        .split('\n')
        .map(line => names.map(name => JSON.parse(line)[name])),
    ).toEqual(cells)
    const parquet = await post(csv, key, `${query}&format=parquet`, 'text/csv')
    const file = await parquet.arrayBuffer()
    const rows = await parquetReadObjects({ file })
    const days = (value: unknown) =>
      value instanceof Date ? value.toISOString().slice(0, 10) : (value ?? null)
    expect(rows.map(row => names.map(name => days(row[name])))).toEqual(cells)
    // And back: the file, without the columns of figures, is a body.
    const back = await fetch(`${server.url}/api/v1/as-of?metrics=revenue`, {
      method: 'POST',
      headers: { Authorization: key, 'Content-Type': 'application/vnd.apache.parquet' },
      body: file,
    })
    expect((await back.json()).error.message).toContain('has the column "revenue"')
  })

  test.each([6, 40_000])(
    'on the wire %d rows are framed once, and gzip has the same bytes inside',
    async count => {
      const key = await bearer('personal')
      const body = `date,ticker\n${'2013-01-01,PLANT\n'.repeat(count)}`
      for (const format of ['json', 'csv', 'ndjson', 'parquet', 'arrow']) {
        const query = `?metrics=revenue&format=${format}`
        const plain = Buffer.from(await (await post(body, key, query, 'text/csv')).arrayBuffer())
        const isPacked = format === 'parquet' || format === 'arrow'
        for (const accepted of ['', 'identity', 'gzip']) {
          const { headers, content } = await onTheWire(`/api/v1/as-of${query}`, key, body, accepted)
          const encoding = accepted === 'gzip' && !isPacked ? 'gzip' : undefined
          expect([format, accepted, headers.get('content-encoding')]).toEqual([format, accepted, encoding])
          const unpacked = encoding === 'gzip' ? gunzipSync(content) : content
          expect([format, accepted, plain.equals(unpacked)]).toEqual([format, accepted, true])
        }
      }
    },
  )

  test('settings in two places, a wrong type and compressed bodies are refused with their mend', async () => {
    const key = await bearer('personal')
    const refusals = [
      [await post(ofPlant(), key, '?metrics=roe'), 400, 'metrics as a query parameter is for bodies'],
      [
        await post('x', key, '', 'text/plain'),
        415,
        'application/json, text/csv, application/x-ndjson, application/vnd.apache.parquet or application/vnd.apache.arrow.stream',
      ],
      [await post(ofPlant({ metrics: ['revnue'] }), key), 400, 'Did you mean revenue'],
      [await post(ofPlant({ metrics: [] }), key), 400, 'metrics is an empty array'],
      [await post('date,ticker\n2010-01-01\n', key, '?metrics=roe', 'text/csv'), 400, 'Line 2 has 1 cell'],
      [await post('date,ticker\n2010-02-30,A\n', key, '?metrics=roe', 'text/csv'), 400, 'valid date'],
    ] as const
    for (const [response, status, message] of refusals) {
      expect(response.status).toBe(status)
      expect((await response.json()).error.message).toContain(message)
    }
  })
})

describe('rights', () => {
  test('demo and free keys join flagship companies and no other', async () => {
    const apple = { rows: { date: ['2010-01-26'], ticker: ['AAPL'] }, metrics: ['revenue'] }
    for (const key of ['Bearer demo', await bearer('free')]) {
      const answer = await joined(apple, key)
      expect(answer.columns.revenue).toEqual([42_905e6])
      expect(answer).toHaveProperty('licence')
      const refused = await post(
        { ...apple, rows: { date: ['2010-01-26', '2010-01-26'], ticker: ['AAPL', 'SNOW'] } },
        key,
      )
      expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'licence_required'])
    }
  })

  test('parallel joins of an evaluation key count every company exactly once, and none of a refused one', async () => {
    const tickers = Array.from({ length: 12 }, (_, i) => `CAP${i}`)
    for (const [i, ticker] of tickers.entries())
      await insertEntity(database.sql, { market: 'US', issuerId: `99${i}`, ticker, name: null })
    const key = await bearer('evaluation', 10)
    const of = (some: readonly string[]) => ({
      rows: { date: some.map(() => '2012-01-01'), ticker: some },
      metrics: ['roe'],
    })
    // Each asks for four of them; ten fit, so that some are refused whatever their order.
    const sent = Array.from({ length: 30 }, (_, i) => of([0, 3, 5, 7].map(step => tickers[(i + step) % 12])))
    const statuses = await Promise.all(sent.map(async request => (await post(request, key)).status))
    const allowed = new Set(sent.flatMap((request, i) => (statuses[i] === 200 ? request.rows.ticker : [])))
    expect(new Set(statuses)).toEqual(new Set([200, 403]))
    const [{ seen }] = await database.sql<{ seen: number }[]>`
      select count(*)::int as seen from key_entity where key_id = (select max(key_id) from api_key)`
    expect(seen).toBe(allowed.size)
    expect(seen).toBeLessThanOrEqual(10)
  })
})

test('a pinned join answers as before a correction', async () => {
  const { sql } = database
  const version = await sql.begin(transaction =>
    advanceDataVersion(transaction, { source: 'US', entities: 0, factsAdded: 0 }),
  )
  const before = await (await post(ofPlant({ data_version: version }), await bearer('personal'))).text()
  await sql.begin(async transaction => {
    await transaction`update fact set value = 131 where value = 130`
    await advanceDataVersion(transaction, { source: 'US', entities: 0, factsAdded: 0 })
  })
  expect(await (await post(ofPlant({ data_version: version }), await bearer('personal'))).text()).toBe(before)
  expect(JSON.parse(before).columns.revenue.at(-1)).toBe(130)
  expect((await joined(ofPlant({ data_version: version + 1 }))).columns.revenue.at(-1)).toBe(131)
  const future = await post(ofPlant({ data_version: version + 50 }), await bearer('personal'))
  expect([future.status, (await future.json()).error.param]).toEqual([400, 'data_version'])
  await sql`update fact set value = 130 where value = 131`
})

test('a client that hangs up ends its join, and the answer gives its memory back', async () => {
  const many = 200_000
  const request = {
    rows: {
      date: Array.from({ length: many }, () => '2013-01-01'),
      ticker: Array.from({ length: many }, () => 'PLANT'),
    },
    metrics: ['revenue'],
  }
  const big = await testServer(database.sql, {}, { BODY_LIMIT_MB: '16' })
  const ask = async (signal: AbortSignal) =>
    fetch(`${big.url}/api/v1/as-of`, {
      method: 'POST',
      headers: { Authorization: await bearer('personal'), 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    })
  for (const afterMs of [1, 20, 60, 120]) {
    const gone = new AbortController()
    const asking = ask(gone.signal).then(
      response => response.bytes(),
      () => null,
    )
    await Bun.sleep(afterMs)
    gone.abort()
    await asking.catch(() => null)
  }
  for (let wait = 0; wait < 100 && big.resources.answerMemory.held > 0; wait++) await Bun.sleep(50)
  expect(big.resources.answerMemory.held).toBe(0)
  const whole = await (await ask(new AbortController().signal)).json()
  expect(whole.count).toBe(many)
  await big.stop()
})
