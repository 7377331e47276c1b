import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays } from '../../../src/dates.ts'
import { planSignals } from '../../../src/features/signals/plan.ts'
import { type SignalRow, signalTickerPattern } from '../../../src/features/signals/schema.ts'
import { openSignals } from '../../../src/features/signals/stream.ts'
import type { Horizon } from '../../../src/horizons.ts'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import { testCursors } from '../../cursors.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { rightsOf } from '../companies/fixtures.ts'
import { csv, demo, inServedOrder, list, personal, quant, take, today } from './fixtures.ts'

let db: TestDatabase
let sql: Sql
const tickers = ['AAPL', 'BRK-A', '0700.HK', 'A&B', 'A^B=C', 'ZZ/Z:1', '^GSPC']
const numbers = [
  0.1 + 0.2,
  1e-7,
  5e-324,
  1.7976931348623157e308,
  -0.000729,
  123456789.12345679,
  1e21,
  -1e-5,
  0,
]
const rows: SignalRow[] = []

beforeAll(async () => {
  db = await testDatabase()
  sql = db.sql
  const lines: string[] = []
  for (let n = 0; n < 900; n++) {
    const row = {
      date: addDays(today, -Math.floor(n / 6)),
      ticker: tickers[(n * 5) % tickers.length],
      market: n % 4 === 0 ? 'HK' : 'US',
      horizon: (['1d', '3d', '7d'] as Horizon[])[n % 3],
      predicted_pct: numbers[n % numbers.length],
      actual_pct: Math.max(-1, numbers[(n * 7 + 3) % numbers.length] * (n % 2 === 0 ? 1 : -1)) + 0,
    }
    lines.push(Object.values(row).join(','))
    const [p, a] = [Math.sign(row.predicted_pct), Math.sign(row.actual_pct)]
    rows.push({ ...row, status: p * a === 0 ? 'flat' : p === a ? 'won' : 'lost', source: 'backfill' })
  }
  // The last outcomes are known two weeks later.
  await take(sql, lines, { now: () => new Date('2026-03-20T12:00:00Z') })
  await take(sql, ['2026-01-05,OPEN,US,1d,0.01,', '2025-01-05,OPEN,US,1d,0.01,'])
}, 180_000)
afterAll(() => db.close(), 60_000)

test('every resolved row comes with its very numbers, in the served order, and no open one', async () => {
  const all = await list(sql, quant, { limit: 50_000 })
  expect(all.data).toEqual(inServedOrder(rows))
  expect(all.count).toBe(rows.length)
  expect(all.next).toBeNull()
})

test('the fields stand in the order of the specification (2.3)', async () => {
  const text = await new Response(
    (
      await openSignals(
        { sql, cursors: testCursors },
        planSignals({ today: () => today, cursors: testCursors }, demo, { limit: 1 }),
        'json',
      )
    ).body,
  ).text()
  expect(Object.keys(JSON.parse(text))).toEqual([
    ...[
      'object',
      'tier',
      'full_access',
      'delayed_days',
      'count',
      'schema',
      'data_version',
      'next',
      'licence',
      'data',
    ],
  ])
  const rowFields = ['date', 'ticker', 'market', 'horizon', 'predicted_pct', 'actual_pct', 'status', 'source']
  expect(Object.keys(JSON.parse(text).data[0])).toEqual(rowFields)
  expect(Object.keys(JSON.parse(text).schema)).toEqual(rowFields)
})

test('CSV has the same rows, the same number text, a header and RFC 4180 line ends', async () => {
  const [head, ...lines] = (await csv(sql, quant, { limit: 50_000 })).split('\r\n')
  expect(head).toBe('date,ticker,market,horizon,predicted_pct,actual_pct,status,source')
  expect(lines.pop()).toBe('')
  const text = await new Response(
    (
      await openSignals(
        { sql, cursors: testCursors },
        planSignals({ today: () => today, cursors: testCursors }, quant, { limit: 50_000 }),
        'json',
      )
    ).body,
  ).text()
  const objects = text.slice(text.indexOf('"data":[') + 8, -2).match(/\{[^}]*\}/g) ?? []
  const cells = objects.map(object =>
    Array.from(object.matchAll(/":"?([^",}]*)/g), match => match[1]).join(','),
  )
  expect(lines).toEqual(cells)
})

test('no ticker that may be stored opens a formula or needs escaping', () => {
  const ticker = fc.stringMatching(new RegExp(signalTickerPattern))
  fc.assert(
    fc.property(ticker, name => {
      expect(name).not.toMatch(/^[=+\-@\t\r]|[",\r\n\\\p{Cc}]/u)
      expect(JSON.stringify(name)).toBe(`"${name}"`)
    }),
  )
})

test('a response without rows says why', async () => {
  const noteOf = async (...of: Parameters<typeof list>) => (await list(...of)).note
  expect(await noteOf(sql, quant, { limit: 1 })).toBeUndefined()
  expect(await noteOf(sql, quant, { market: 'tw' })).toBe(
    'The archive has no resolved forecasts of market TW. Its markets: HK, US.',
  )
  expect(await noteOf(sql, quant, { market: 'HK', from: '2026-03-02' })).toBe(
    `No resolved forecast fits these parameters. The archive has forecasts of market HK from ${addDays(today, -149)} to ${today}. The horizons of the archive: 1d, 3d, 7d.`,
  )
  const end = addDays(today, -90)
  expect(await noteOf(sql, personal, { from: addDays(today, -80) })).toBe(
    `No resolved forecast fits these parameters. The view of this key, which ends on ${end}, has forecasts from ${addDays(today, -149)} to ${end}. The horizons of the archive: 1d, 3d, 7d.`,
  )
  await take(sql, [`${addDays(today, -3)},NEW,SG,1d,0.01,0.02`])
  expect(await noteOf(sql, personal, { market: 'SG' })).toBe(
    `The view of this key, which ends on ${end}, has no resolved forecasts of market SG. Its markets: HK, US.`,
  )
  await sql`delete from signal where ticker = 'NEW'`
})

test('a response without rows is whole too', async () => {
  const none = await list(sql, quant, { market: 'TW' })
  expect(none).toMatchObject({ object: 'signal_list', count: 0, next: null, data: [] })
  expect(await csv(sql, quant, { market: 'TW' })).toBe(
    'date,ticker,market,horizon,predicted_pct,actual_pct,status,source\r\n',
  )
})

const anyDay = fc.integer({ min: -160, max: 10 }).map(days => addDays(today, days))
const filters = fc.record(
  {
    market: fc.constantFrom('US', 'HK', 'TW'),
    horizon: fc.constantFrom<Horizon>('1d', '3d', '7d'),
    from: anyDay,
    to: anyDay,
  },
  { requiredKeys: [] },
)

test('filters and the delay pick the rows that they name', async () => {
  await fc.assert(
    fc.asyncProperty(filters, fc.constantFrom(quant, personal, demo), async (filter, rights) => {
      fc.pre(filter.from === undefined || filter.to === undefined || filter.from <= filter.to)
      const last = rights.quant ? '9999-12-31' : addDays(today, -90)
      const wanted = rows.filter(
        row =>
          (filter.market === undefined || row.market === filter.market) &&
          (filter.horizon === undefined || row.horizon === filter.horizon) &&
          (filter.from === undefined || row.date >= filter.from) &&
          (filter.to === undefined || row.date <= filter.to) &&
          row.date <= last,
      )
      expect((await list(sql, rights, { ...filter, limit: 50_000 })).data).toEqual(inServedOrder(wanted))
    }),
    { numRuns: 60 },
  )
})

test('the delayed view never shows a row later than 90 days before today', async () => {
  for (const [rights, tier] of [
    [demo, 'demo'],
    [personal, 'personal'],
  ] as const) {
    const view = await list(sql, rights, { limit: 50_000, to: today })
    expect(view).toMatchObject({ tier, full_access: false, delayed_days: 90 })
    expect(view.data[0].date).toBe('2025-12-01')
    expect(nonEmpty(view.data).every(row => row.date <= '2025-12-01')).toBe(true)
  }
  const full = await list(sql, quant, { limit: 50_000 })
  expect(full).toMatchObject({ tier: 'quant', full_access: true, delayed_days: 0 })
  expect(full.data[0].date).toBe(today)
})

test('only free and demo responses carry the licence', async () => {
  expect((await list(sql, demo)).licence).toContain('Free Licence')
  expect((await list(sql, rightsOf('free'))).licence).toContain('Free Licence')
  expect('licence' in (await list(sql, personal))).toBe(false)
})

test('paging with the cursor over any limit gives exactly the rows without it', async () => {
  const limits = fc.integer({ min: 1, max: 400 })
  await fc.assert(
    fc.asyncProperty(filters, limits, async (filter, limit) => {
      fc.pre(filter.from === undefined || filter.to === undefined || filter.from <= filter.to)
      const whole = (await list(sql, quant, { ...filter, limit: 50_000 })).data
      const paged: SignalRow[] = []
      let cursor: string | null = null
      do {
        const page = await list(sql, quant, { ...filter, limit, ...(cursor === null ? {} : { cursor }) })
        expect(page.count).toBe(page.data.length)
        expect(page.next === null || page.count === limit).toBe(true)
        paged.push(...page.data)
        cursor = page.next
      } while (cursor !== null)
      expect(paged).toEqual(whole)
    }),
    { numRuns: 15 },
  )
}, 180_000)

test('a client that leaves gives its connection back and cancels its statement', async () => {
  const few = connect({ url: db.url, connections: 1, statementTimeoutMs: 5_000 })
  await few`
    insert into signal (date, horizon, ticker, market, predicted, actual, source, resolved_at)
    select date '1950-01-01' + n, 1, 'GONE', 'GG', 1, 1, 'backfill', now() from generate_series(1, 20000) n`
  const plan = planSignals({ today: () => today, cursors: testCursors }, quant, {
    market: 'GG',
    limit: 50_000,
  })
  for (let round = 0; round < 5; round++) {
    const reader = (await openSignals({ sql: few, cursors: testCursors }, plan, 'json')).body.getReader()
    await reader.read()
    await reader.cancel()
    const gone = new AbortController()
    const { body, count } = await openSignals({ sql: few, cursors: testCursors }, plan, 'csv', gone.signal)
    gone.abort()
    await new Response(body).text().catch(() => {})
    expect(count).toBe(20_000)
    await expect(openSignals({ sql: few, cursors: testCursors }, plan, 'csv', gone.signal)).rejects.toThrow()
    const [{ one }] = await few<{ one: number }[]>`select 1 as one`
    expect(one).toBe(1)
  }
  const left =
    await db.sql`select 1 from pg_stat_activity where datname = current_database() and state like 'idle in%'`
  expect(left.length).toBe(0)
  await few.end({ timeout: 1 })
})

test('a statement that the server stops reaches the caller as an error, not as a short list', async () => {
  const strict = connect({ url: db.url, connections: 1, statementTimeoutMs: 5_000 })
  await strict`alter table signal rename to signal_away`
  const plan = planSignals({ today: () => today, cursors: testCursors }, quant, {})
  await expect(openSignals({ sql: strict, cursors: testCursors }, plan, 'json')).rejects.toThrow('signal')
  await strict`alter table signal_away rename to signal`
  expect(
    await new Response((await openSignals({ sql: strict, cursors: testCursors }, plan, 'json')).body).text(),
  ).toEndWith(']}')
  await strict.end({ timeout: 1 })
})

test.each([
  [{ cursor: 'AAAA' }, 'cursor'],
  [{ cursor: Buffer.from('2026-01-05 =A 1 US').toString('base64url') }, 'cursor'],
  [{ cursor: Buffer.from('2026-02-30 A 1 US').toString('base64url') }, 'cursor'],
  [{ cursor: `${Buffer.from('2026-01-05 A 1 US').toString('base64url')}A` }, 'cursor'],
  [{ from: '2024-02-30' }, 'from'],
  [{ to: '0000-01-01' }, 'to'],
  [{ from: '2026-01-02', to: '2026-01-01' }, 'from'],
])('%p is refused by name', (query, param) => {
  const attempt = () => planSignals({ today: () => today, cursors: testCursors }, quant, query)
  expect(attempt).toThrow(expect.objectContaining({ code: 'parameter_invalid', details: { param } }))
})

test('equal requests have equal cache keys, and what changes the bytes changes the key', () => {
  const key = (rights = quant, query = {}, day = today) =>
    planSignals({ today: () => day, cursors: testCursors }, rights, query).cacheKey
  expect(key()).toBe(key())
  expect(key(quant, { limit: 5_000 })).toBe(key())
  expect(key(quant, {}, '2026-03-02')).toBe(key())
  const keys = [key(), key(demo), key(personal), key(quant, { limit: 1 }), key(quant, { market: 'US' })]
  keys.push(key(demo, {}, '2026-03-02'))
  expect(new Set(keys).size).toBe(keys.length)
})
