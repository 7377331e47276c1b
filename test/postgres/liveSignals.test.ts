import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../database.ts'

const database = await testDatabase()
afterAll(() => database.close(), 60_000)

test('a claim to live from before the rule is withdrawn where the day had ended, and stays where it had not', async () => {
  const { sql } = database
  await sql`
    insert into signal (date, horizon, ticker, market, predicted, source, recorded_at) values
      ('2026-01-05', 1, 'IN', 'US', 1, 'live', '2026-01-06T04:59:59Z'),
      ('2026-01-05', 1, 'LATE', 'US', 1, 'live', '2026-01-06T05:00:00Z'),
      ('2026-01-05', 1, 'IN', 'TW', 1, 'live', '2026-01-05T15:59:59Z'),
      ('2026-01-05', 1, 'LATE', 'TW', 1, 'live', '2026-01-05T16:00:00Z'),
      ('2026-01-05', 1, 'LATE', 'XX', 1, 'live', '2026-01-05T10:00:00Z')`
  await sql.file('sql/migrations/0017_live_signals.sql')
  const rows = await sql<{ ticker: string; source: string }[]>`select ticker, source from signal`
  expect(rows.map(row => row.source === 'live')).toEqual(rows.map(row => row.ticker === 'IN'))
})
