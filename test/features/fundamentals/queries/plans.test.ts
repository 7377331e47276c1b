import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readSpans } from '../../../../src/features/backtests/scoreQueries.ts'
import { historyRows, latestRows } from '../../../../src/features/fundamentals/queries.ts'
import { connect, type Sql } from '../../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../../database.ts'

// Enough facts that reading them all is never the cheaper way: 400 entities of 60 metrics and 5 years.
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  const { sql } = database
  await sql`insert into unit (name) values ('USD')`
  await sql`insert into metric (name) select 'metric_' || i from generate_series(1, 60) i`
  await sql`
    insert into filing (accession, entity_id, form, filed)
    select e || '-' || y, e, '10-K', make_date(2016 + y, 2, 20) from generate_series(1, 400) e, generate_series(0, 4) y`
  await sql`
    insert into fact (entity_id, metric_id, fp, fy, unit_id, period_start, period_end, filed, value, filing_id)
    select l.entity_id, m, 0, 2015 + y, 1, make_date(2015 + y, 1, 1), make_date(2015 + y, 12, 31), l.filed,
           l.entity_id * m * y, l.filing_id
    from generate_series(1, 60) m, generate_series(0, 4) y join filing l on l.filed = make_date(2016 + y, 2, 20)`
  await sql`vacuum analyze fact, filing`
  await sql`analyze metric, unit, data_version`
}, 60_000)
afterAll(() => database.close(), 60_000)

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

test('the scores of a market are read through the index, also once their statement is prepared', async () => {
  await database.sql`
    insert into entity (entity_id, market, issuer_id, ticker) overriding system value
    select i, 'US', i::text, 'T' || i from generate_series(1, 400) i`
  await database.sql`insert into entity_ticker (ticker, entity_id) select ticker, entity_id from entity`
  await database.sql`analyze entity, entity_ticker`
  const sql = connect({ url: database.url, connections: 1, statementTimeoutMs: 60_000 })
  const before = await reads(sql)
  const names = Array.from({ length: 400 }, (_, i) => `T${i + 1}`).join('\n')
  for (let metric = 1; metric <= 8; metric++) {
    const { values, entityIds } = await readSpans(sql, {
      ...{ names, market: 'US', metric: `metric_${metric}`, unit: 'USD' },
      ...{ maxAgeDays: 550, lastDate: '2030-01-01' },
    })
    expect([values.length / 8, entityIds.length]).toEqual([2_000, 400])
  }
  const after = await reads(sql)
  await sql.end()
  expect(after.scans).toBe(before.scans)
})
