import type { Sql } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

/** A database with so many facts that reading them all is never the cheaper way: 400 entities of 60 metrics and 5 years. */
export async function manyFacts(): Promise<TestDatabase> {
  const database = await testDatabase()
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
  return database
}

/** How often the table of facts was read from end to end, and how often through an index. `sql` has one connection, so that its
 * statistics are complete. */
export async function factReads(sql: Sql): Promise<{ scans: number; byIndex: number }> {
  await sql`select pg_stat_force_next_flush()`
  await sql`select pg_stat_clear_snapshot()`
  const [row] = await sql<{ scans: number; byIndex: number }[]>`
    select seq_scan::int as scans, idx_scan::int as "byIndex" from pg_stat_user_tables where relname = 'fact'`
  return row
}
