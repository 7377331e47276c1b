import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readSignalPage, resolvedHorizons, type SignalFilter } from '../../../src/features/signals/queries.ts'
import { connect } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

let db: TestDatabase
const all: SignalFilter = { market: null, horizonDays: null, from: null, to: null, after: null }

beforeAll(async () => {
  db = await testDatabase()
  await db.sql`
    insert into signal (date, horizon, ticker, market, predicted, actual, source, resolved_at)
    select date '2000-01-01' + n / 50, 1, 'T' || n % 50, case when n % 50 < 10 then 'US' else 'JP' end, n, 1, 'backfill', now()
    from generate_series(1, 40000) n`
  await db.sql`
    insert into signal (date, horizon, ticker, market, predicted, source)
    select date '2001-01-01', 3, 'OPEN' || n, 'US', 1, 'live' from generate_series(1, 1000) n`
  await db.sql`analyze signal`
}, 180_000)
afterAll(() => db.close(), 60_000)

test('count, next place and rows are of one moment, whatever is written meanwhile', async () => {
  const page = await readSignalPage(db.sql, all, 30_000, 'csv')
  let text = Buffer.from((await page.rows.next()).value ?? '').toString()
  await db.sql`
    insert into signal (date, horizon, ticker, market, predicted, actual, source, resolved_at)
    select date '2000-01-01' + n, 7, 'NEW', 'US', 1, 1, 'backfill', now() from generate_series(1, 500) n`
  for await (const rows of page.rows) text += Buffer.from(rows).toString()
  await db.sql`delete from signal where ticker = 'NEW'`
  const lines = text.trimEnd().split('\r\n')
  expect(lines.length).toBe(30_000)
  expect(page.count).toBe(30_000)
  expect(text).not.toContain('NEW')
  const [date, ticker, market, horizon] = lines.at(-1)?.split(',') ?? []
  expect(page.last).toEqual({ date, ticker, market, horizonDays: Number(horizon[0]) })
})

test('a server process that dies amid the rows fails the page, and the pool goes on', async () => {
  const pool = connect({ url: db.url, connections: 1, statementTimeoutMs: 5_000 })
  const page = await readSignalPage(pool, all, 30_000, 'json')
  await page.rows.next()
  await db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`
  await Bun.sleep(50)
  const rest = async () => {
    for await (const _ of page.rows);
  }
  await expect(rest()).rejects.toThrow('CONNECTION_CLOSED')
  const next = await readSignalPage(pool, all, 1, 'json')
  expect(Buffer.from((await next.rows.next()).value ?? '').toString()).toStartWith(',{"date":')
  await next.rows.next()
  await pool.end({ timeout: 1 })
})

test.each([
  ['all markets', all, 'signal_served'],
  ['one market', { ...all, market: 'US' }, 'signal_served_market'],
])('%s are read in the order of an index, never sorted', async (_, filter, index) => {
  const { market } = filter
  const plan = await db.sql`
    explain select date from signal
    where actual is not null ${market === null ? db.sql`` : db.sql`and market = ${market}`}
    order by date desc, ticker, horizon, market limit 5001`
  const text = plan.map(row => row['QUERY PLAN']).join('\n')
  expect(text).toContain(index)
  expect(text).not.toContain('Sort')
})

test('open forecasts are in no index that serves', async () => {
  const sizes = await db.sql`
    select indexname, indexdef from pg_indexes where tablename = 'signal' and indexname like 'signal_served%'`
  expect(sizes.length).toBe(2)
  for (const { indexdef } of sizes) expect(indexdef).toContain('WHERE (actual IS NOT NULL)')
})

test('a horizon of which every forecast is open is not among the resolved ones', async () => {
  expect(await resolvedHorizons(db.sql)).toEqual(['1d'])
  await db.sql`update signal set actual = 0, resolved_at = now() where ticker = 'OPEN7'`
  expect(await resolvedHorizons(db.sql)).toEqual(['1d', '3d'])
})
