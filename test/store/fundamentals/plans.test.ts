import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Sql } from '../../../src/store/database.ts'
import { historyRows } from '../../../src/store/fundamentals/historyRows.ts'
import { latestRows } from '../../../src/store/fundamentals/latestRows.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

// Enough facts that reading them all is never the cheaper way: 400 entities of 60 metrics and 5 years.
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  const { sql } = database
  await sql`insert into unit (name) values ('USD')`
  await sql`insert into metric (name) select 'metric_' || i from generate_series(1, 60) i`
  await sql`
    insert into fact (entity_id, metric_id, fp, fy, unit_id, period_start, period_end, filed, value, accession)
    select e, m, 0, 2015 + y, 1, make_date(2015 + y, 1, 1), make_date(2015 + y, 12, 31), make_date(2016 + y, 2, 20),
           e * m * y, e || '-' || y
    from generate_series(1, 400) e, generate_series(1, 60) m, generate_series(0, 4) y`
  await sql`vacuum analyze fact`
  await sql`analyze metric, unit, data_version`
}, 60_000)
afterAll(() => database.close())

/** How often the table was read from end to end, and how often through an index. */
async function reads(sql: Sql): Promise<{ scans: number; byIndex: number }> {
  await sql`select pg_stat_force_next_flush()`
  await sql`select pg_stat_clear_snapshot()`
  const [row] = await sql<{ scans: number; byIndex: number }[]>`
    select seq_scan::int as scans, idx_scan::int as "byIndex" from pg_stat_user_tables where relname = 'fact'`
  return row
}

test('one company is read through the index, also once its statements are prepared', async () => {
  // One connection, so that its statistics are complete when it is asked for them.
  const sql = connect({ url: database.url, connections: 1, statementTimeoutMs: 60_000 })
  const before = await reads(sql)
  for (let entityId = 1; entityId <= 12; entityId++) {
    const scope = {
      entityId,
      asOf: '2018-06-30',
      vintage: 'all',
      metrics: null,
      from: null,
      recentFiscalYearOnly: false,
    } as const
    expect((await latestRows(sql, scope)).rows.length).toBe(60)
    expect((await historyRows(sql, scope)).rows.length).toBe(180)
    expect((await latestRows(sql, { ...scope, recentFiscalYearOnly: true })).rows.length).toBe(60)
    expect(
      (await historyRows(sql, { ...scope, metrics: ['metric_7'], from: '2016-01-01' })).rows.length,
    ).toBe(2)
  }
  const after = await reads(sql)
  await sql.end()
  expect(after.scans).toBe(before.scans)
  expect(after.byIndex).toBeGreaterThan(before.byIndex)
})
