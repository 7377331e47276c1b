import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parquetReadObjects } from 'hyparquet'
import { addDays } from '../../src/dates.ts'
import { crossSectionSheet } from '../../src/features/crossSection/schema.ts'
import { sheetOf } from '../../src/features/fundamentals/sheet.ts'
import { restatementSheet } from '../../src/features/restatements/schema.ts'
import { signalSchema } from '../../src/features/signals/schema.ts'
import type { Column } from '../../src/formats/columns.ts'
import { readSample } from '../../src/ingest/sample/loadSample.ts'
import { rounds } from '../rounds.ts'
import { sellKey } from './callers.ts'
import { realServer } from './realServer.ts'
import { testToday } from './testServer.ts'

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const runs = Number(process.env.FUZZ_CASES ?? rounds(1_500, 5_000)) / 10

const tireless = async (quant: boolean) =>
  `Bearer ${await sellKey(server.sql, { licence: 'oem', quant, perMinute: 1_000_000 })}`
const keys = { full: await tireless(false), quant: await tireless(true), demo: 'Bearer demo' }
type KeyName = keyof typeof keys
const keyName = fc.constantFrom<KeyName>('full', 'quant', 'demo')
let address = 0

async function ask(path: string, key: KeyName, headers: Record<string, string> = {}) {
  const forwarded = `10.${1 + (++address >> 16)}.${(address >> 8) & 255}.${address & 255}`
  const response = await fetch(server.url + path, {
    headers: { Authorization: keys[key], 'X-Forwarded-For': forwarded, ...headers },
  })
  return { response, text: await response.text() }
}

/** RFC 4180, read strictly: every record ends in CRLF and has as many cells as the header. */
function readCsv(text: string): Record<string, string>[] {
  const records: string[][] = [[]]
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  for (let at = 0; at < text.length; at = cell.lastIndex) {
    cell.lastIndex = at
    const found = cell.exec(text)
    if (found === null) throw new Error(`no cell at ${at}: ${text.slice(at, at + 60)}`)
    records[records.length - 1].push(found[1]?.replaceAll('""', '"') ?? found[2])
    if (found[3] === '\r\n') records.push([])
  }
  const [header, ...rows] = records.slice(0, -1)
  for (const row of rows) expect(row.length).toBe(header.length)
  return rows.map(row => Object.fromEntries(header.map((name, place) => [name, row[place]])))
}

/** NDJSON and Parquet have the very rows of the JSON answer. */
async function checkSheets(path: string, key: KeyName, rows: readonly object[], next?: string | null) {
  const ndjson = await ask(`${path}&format=ndjson`, key)
  expect(ndjson.response.headers.get('content-type')).toContain('application/x-ndjson')
  const lines = ndjson.text === '' ? [] : ndjson.text.trimEnd().split('\n')
  expect(lines.map(line => JSON.parse(line))).toEqual([...rows])
  const response = await fetch(`${server.url}${path}&format=parquet`, {
    headers: { Authorization: keys[key], 'X-Forwarded-For': `10.200.${++address & 255}.1` },
  })
  expect(response.headers.get('content-type')).toBe('application/vnd.apache.parquet')
  if (next !== undefined) {
    expect([ndjson.response, response].map(answer => answer.headers.get('x-next-cursor'))).toEqual([
      next,
      next,
    ])
  }
  const read = await parquetReadObjects({ file: await response.arrayBuffer() })
  const plain = read.map(row =>
    Object.fromEntries(
      Object.entries(row)
        // Rows without these marks have an empty cell here and no key in JSON.
        .filter(([name, value]) => !(name === 'stale' || name === 'generation') || value !== null)
        .map(([name, value]) => [name, value instanceof Date ? value.toISOString().slice(0, 10) : value]),
    ),
  )
  expect(plain).toEqual([...rows] as Record<string, unknown>[])
}

const day = fc.integer({ min: 0, max: 7_000 }).map(days => addDays('2007-06-01', days))
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const queryOf = (values: Record<string, string | number | undefined>) =>
  new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString()

interface Row {
  m: string
  fy: number
  end: string
  filed: string
}

/** Every company of the sample: market and ID. */
const sampled = new Set(
  (await readSample()).map(
    ({ profile: { market, issuerId, tickers = [] } }) => `${market} ${tickers[0] ?? `CIK${issuerId}`}`,
  ),
)

/** Companies of the sample by market, of the United States some; one has no figures. */
const companies: Readonly<Record<string, readonly string[]>> = {
  US: ['AAPL', 'GOOGL', 'SNOW', 'LPA', 'IBM', 'WMT'],
  JP: ['E02367.JP'],
  KR: ['005930.KS'],
  TW: ['2330.TW'],
  NZ: ['CC40675.NZ'],
  BE: ['0410682657.BE'],
}
const flagship = ['AAPL', 'GOOGL', 'GOOG']
const marketOf = (ticker: string) =>
  Object.keys(companies).find(market => companies[market].includes(ticker)) ?? 'US'

const fundamentalsQuery = fc.record({
  ticker: fc.constantFrom('GOOG', 'googl', 'lpa', ...Object.values(companies).flat()),
  as_of: optional(day.filter(date => date <= testToday)),
  view: optional(fc.constantFrom('history', 'latest')),
  metric: optional(
    fc
      .subarray(['revenue', 'net_margin', 'eps', 'assets', 'roe', 'revenue_ytd', 'cash'], { minLength: 1 })
      .map(names => names.join(',')),
  ),
  from: optional(day),
  market: optional(fc.constantFrom('US', 'us', 'JP')),
})

test('fundamentals: nothing filed after as_of, counts that are true, CSV and JSON that agree', async () => {
  const property = fc.asyncProperty(fundamentalsQuery, keyName, async (query, key) => {
    const path = `/api/v1/fundamentals?${queryOf(query)}`
    const { response, text } = await ask(path, key)
    const restricted = key === 'demo' && !flagship.includes(query.ticker.toUpperCase())
    if (restricted && query.as_of !== undefined) {
      expect([response.status, JSON.parse(text).error.code]).toEqual([403, 'licence_required'])
      return
    }
    expect([path, response.status]).toEqual([path, 200])
    const list = JSON.parse(text)
    const asOf = query.as_of ?? testToday
    const rows: Row[] = list.data
    expect([list.as_of, list.count, list.licence !== undefined]).toEqual([asOf, rows.length, key === 'demo'])
    for (const row of rows) {
      expect(row.filed <= asOf).toBe(true)
      expect(row.end >= (query.from ?? '')).toBe(true)
      expect(query.metric === undefined || query.metric.split(',').includes(row.m)).toBe(true)
      expect([undefined, marketOf(query.ticker)]).toContain(query.market?.toUpperCase())
    }
    if (query.view === 'latest') expect(new Set(rows.map(row => row.m)).size).toBe(rows.length)
    if (restricted) expect(new Set(rows.map(row => row.fy)).size).toBeLessThanOrEqual(1)
    if (rows.length === 0) expect(list.note).toBeTruthy()
    const csv = await ask(`${path}&format=csv`, key)
    expect(csv.response.headers.get('content-type')).toContain('text/csv')
    const columns = sheetOf({ view: list.view, adjust: null, fields: [] }).map(({ name }) => name)
    expect(readCsv(csv.text)).toEqual(
      list.data.map((row: Record<string, unknown>) =>
        Object.fromEntries(columns.map(name => [name, String(row[name] ?? '')])),
      ),
    )
    if (rows.length % 8 === 0) await checkSheets(path, key, rows)
  })
  await fc.assert(property, { numRuns: runs })
}, 120_000)

const marketQueryOfFewPages = fc.record({
  metric: fc.constantFrom('revenue', 'roe', 'eps', 'assets', 'shares_outstanding', 'revenue_ytd'),
  market: fc.constantFrom('US', 'us', 'US', 'JP', 'KR', 'TW', 'NZ', 'BE'),
  as_of: optional(day.filter(date => date <= testToday)),
  limit: optional(fc.integer({ min: 1, max: 5 })),
})
/** The United States have 487 companies: single ones on a page would be too many requests. */
const marketQuery = marketQueryOfFewPages.map(query => ({
  ...query,
  limit: query.limit !== undefined && /us/i.test(query.market) ? 97 * query.limit : query.limit,
}))
const crossSectionQuery = fc
  .tuple(
    marketQuery,
    fc.record({
      fp: optional(fc.constantFrom('FY', 'Q1', 'Q4', 'latest')),
      max_age_days: optional(fc.constantFrom(0, 100, 550, 36_500)),
    }),
  )
  .map(([one, other]) => ({ ...one, ...other }))
const restatementsQuery = fc
  .tuple(marketQuery, fc.record({ from: optional(day) }))
  .map(([one, other]) => ({ ...one, ...other }))

/** All pages of a question for a whole market: nothing filed after as_of, no row twice, the forms agree. */
async function checkMarket(
  route: string,
  query: { as_of?: string | undefined },
  key: KeyName,
  columns: readonly Column[],
): Promise<(Row & { ticker: string })[] | null> {
  const all: (Row & { ticker: string })[] = []
  let cursor: string | undefined
  do {
    const path = `${route}?${queryOf({ ...query, cursor })}`
    const { response, text } = await ask(path, key)
    if (key === 'demo' && query.as_of !== undefined) {
      expect([response.status, JSON.parse(text).error.code]).toEqual([403, 'licence_required'])
      return null
    }
    expect([path, response.status]).toEqual([path, 200])
    const list = JSON.parse(text)
    expect([list.as_of, list.count, list.licence !== undefined]).toEqual([
      query.as_of ?? testToday,
      list.data.length,
      key === 'demo',
    ])
    expect(response.headers.get('x-next-cursor')).toBe(list.next)
    const csv = await ask(`${path}&format=csv`, key)
    expect(csv.response.headers.get('x-next-cursor')).toBe(list.next)
    expect(readCsv(csv.text)).toEqual(
      list.data.map((row: Record<string, unknown>) =>
        Object.fromEntries(columns.map(({ name }) => [name, String(row[name] ?? '')])),
      ),
    )
    await checkSheets(path, key, list.data, list.next)
    all.push(...list.data)
    cursor = list.next ?? undefined
  } while (cursor !== undefined)
  for (const row of all) expect(row.filed <= (query.as_of ?? testToday)).toBe(true)
  expect(new Set(all.map(row => JSON.stringify(row))).size).toBe(all.length)
  return all
}

test('cross-section: what view=latest and the history of each company say, page by page', async () => {
  const property = fc.asyncProperty(crossSectionQuery, keyName, async (query, key) => {
    const rows = await checkMarket('/api/v1/cross-section', query, key, crossSectionSheet)
    if (rows === null) return
    expect(new Set(rows.map(row => row.ticker)).size).toBe(rows.length)
    const market = query.market.toUpperCase()
    const known = companies[market]
    for (const row of rows)
      expect([row.ticker, sampled.has(`${market} ${row.ticker}`)]).toEqual([row.ticker, true])
    if (query.market === 'BE') expect(rows).toEqual([])
    for (const ticker of known) {
      // Under Q4 alone a balance of the year end answers.
      const fp = query.fp === 'Q4' ? 'Q4' : undefined
      const wanted = { ticker, metric: query.metric, as_of: query.as_of, vintage: 'latest', fp }
      const single = JSON.parse((await ask(`/api/v1/fundamentals?${queryOf(wanted)}`, key)).text)
      const oldest = addDays(query.as_of ?? testToday, -(query.max_age_days ?? 36_500))
      const fitting = single.data
        .filter((row: { fp: string }) => query.fp === 'latest' || row.fp === (query.fp ?? 'FY'))
        .filter((row: Row) => row.end >= oldest)
      // A flagship company is shown to the demo key in full when it is requested alone, not here.
      if (key === 'demo' && flagship.includes(ticker)) continue
      const end = fitting
        .map((row: Row) => row.end)
        .sort()
        .at(-1)
      const [want] = fitting
        .filter((row: Row) => row.end === end)
        .sort((a: { fp: string }, b: { fp: string }) =>
          a.fp === 'FY' ? -1 : b.fp === 'FY' ? 1 : a.fp < b.fp ? 1 : -1,
        )
      const got = rows.find(row => row.ticker === ticker)
      const { v: value, u: unit, m: _, ...same } = want ?? {}
      expect([query, got]).toEqual([query, want === undefined ? undefined : { ...same, value, unit }])
    }
  })
  await fc.assert(property, { numRuns: runs / 5 })
}, 120_000)

test('restatements: each is two neighbouring vintages of the history, page by page', async () => {
  const property = fc.asyncProperty(restatementsQuery, keyName, async (query, key) => {
    const rows = await checkMarket('/api/v1/restatements', query, key, restatementSheet)
    for (const row of rows ?? []) expect(row.filed >= (query.from ?? '')).toBe(true)
  })
  await fc.assert(property, { numRuns: runs / 5 })
}, 120_000)

interface Signal {
  date: string
}

const signalsQuery = fc.record({
  market: optional(fc.constantFrom('US', 'JP')),
  horizon: optional(fc.constantFrom('1d', '3d', '7d')),
  from: optional(day),
  to: optional(day),
  limit: fc.integer({ min: 1, max: 400 }),
})

test('signals: inside their bounds, in order, counts that are true, CSV and JSON that agree', async () => {
  const property = fc.asyncProperty(signalsQuery, keyName, async (query, key) => {
    const path = `/api/v1/signals?${queryOf(query)}`
    const { response, text } = await ask(path, key)
    const body = JSON.parse(text)
    if (query.from !== undefined && query.to !== undefined && query.from > query.to) {
      expect([response.status, body.error.param]).toEqual([400, 'from'])
      return
    }
    expect([path, response.status]).toEqual([path, 200])
    const rows: Signal[] = body.data
    const last = key === 'quant' ? testToday : addDays(testToday, -90)
    expect([body.count, rows.length <= query.limit]).toEqual([rows.length, true])
    expect(body.next).toBe(response.headers.get('x-next-cursor'))
    for (const { date } of rows) {
      expect(date <= last && date >= (query.from ?? '') && date <= (query.to ?? '9999')).toBe(true)
    }
    const csv = await ask(`${path}&format=csv`, key)
    expect(csv.response.headers.get('x-next-cursor')).toBe(body.next)
    const same = (rows: Record<string, unknown>[]) =>
      rows.map(row => ({
        ...row,
        predicted_pct: Number(row.predicted_pct),
        actual_pct: Number(row.actual_pct),
      }))
    expect(Object.keys(body.schema)).toEqual(Object.keys(signalSchema))
    expect(same(readCsv(csv.text))).toEqual(same(body.data))
    if (rows.length % 4 === 0) await checkSheets(path, key, rows, body.next)
  })
  await fc.assert(property, { numRuns: runs / 2 })
}, 120_000)

/** Two callers, the same or not, ask for the same in any encoding and with each other's tags. */
test('one key never gets what another may see, whatever encoding or tag it asks with', async () => {
  const target = fc.oneof(
    fundamentalsQuery.map(query => `/api/v1/fundamentals?${queryOf({ ...query, as_of: undefined })}`),
    fundamentalsQuery.map(
      query => `/api/v1/fundamentals?${queryOf({ ...query, as_of: undefined })}&format=csv`,
    ),
    signalsQuery.map(query => `/api/v1/signals?${queryOf({ ...query, from: undefined })}`),
    fundamentalsQuery.map(
      query => `/api/v1/fundamentals?${queryOf({ ...query, as_of: undefined, ticker: 'SNOW,AAPL' })}`,
    ),
    crossSectionQuery.map(query => `/api/v1/cross-section?${queryOf({ ...query, as_of: undefined })}`),
    restatementsQuery.map(query => `/api/v1/restatements?${queryOf({ ...query, as_of: undefined })}`),
  )
  const encoding = fc.constantFrom('identity', 'gzip', 'zstd', 'gzip;q=0.5, zstd', '*')
  const property = fc.asyncProperty(
    target,
    keyName,
    keyName,
    encoding,
    encoding,
    async (path, one, other, a, b) => {
      const first = await ask(path, one, { 'Accept-Encoding': a })
      const second = await ask(path, other, { 'Accept-Encoding': b })
      expect([first.response.status, second.response.status]).toEqual([200, 200])
      const tags = [first, second].map(({ response }) => response.headers.get('etag') ?? '')
      if (one === other) expect(tags[1]).toBe(tags[0])
      if (tags[0] === tags[1]) expect(second.text).toBe(first.text)
      const with304 = await ask(path, other, { 'Accept-Encoding': a, 'If-None-Match': tags[0] })
      expect(with304.response.status).toBe(tags[0] === tags[1] ? 304 : 200)
      expect(with304.text).toBe(tags[0] === tags[1] ? '' : second.text)
    },
  )
  await fc.assert(property, { numRuns: runs / 2 })
}, 120_000)
