import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { dayNumber } from '../../../src/dates.ts'
import type { ParsedDocument } from '../../../src/facts/reportedFact.ts'
import { prepareBatch } from '../../../src/ingest/import/prepareBatch.ts'
import { writeBatch } from '../../../src/ingest/import/writeBatch.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { readKnownEntities } from '../../../src/ingest/store/entityQueries.ts'
import { loadFactNames } from '../../../src/ingest/store/nameQueries.ts'
import { connect } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

setDefaultTimeout(180_000)
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 180_000)
afterAll(() => db.close())

const { rules } = usRegister

const profile = (issuerId: string) => ({ market: 'US', issuerId, registers: true })

function document(issuerId: string): ParsedDocument {
  const filing = {
    accession: `${issuerId}-21-000001`,
    form: '10-K',
    filed: dayNumber('2021-02-01'),
    acceptedAt: null,
  }
  const days = { start: dayNumber('2020-01-01'), end: dayNumber('2020-12-31') }
  const stated = { ...days, tag: 'us-gaap:Revenues', unit: 'USD', rounded: false, filing }
  return {
    profile: profile(issuerId),
    reportedFacts: [
      { ...stated, metric: 'revenue', value: 5 },
      { ...stated, metric: 'net_income', tag: 'us-gaap:NetIncomeLoss', value: 2 },
    ],
    filings: [],
  }
}

test('a new filing is written once, with the number of its figures', async () => {
  const { sql } = db
  await sql`create function refuse_update() returns trigger language plpgsql as $$
    begin raise exception 'a filing was written twice'; end $$`
  await sql`create trigger refuse_update before update on filing for each row execute function refuse_update()`
  const prepared = await prepareBatch(sql, [{ parsed: [document('0000000001')] }], rules)
  const names = await loadFactNames(sql)
  await sql.begin(transaction => writeBatch(transaction, names, prepared, { rules }))
  await sql`drop trigger refuse_update on filing`
  const filings = await sql`select accession, figures from filing`
  expect([...filings]).toEqual([{ accession: '0000000001-21-000001', figures: 2 }])
})

test('a company is searched among those of its number, although the statistics know one company of a market', async () => {
  const { sql } = db
  await sql`insert into entity (market, issuer_id, ticker) select * from unnest(
    array['JP', 'KR', 'TW', 'FR', 'DK', 'BE', 'NZ'], array['1', '2', '3', '4', '5', '6', '7'], array['a', 'b', 'c', 'd', 'e', 'f', 'g'])`
  await sql`analyze entity`
  await sql`alter table entity set (autovacuum_enabled = false)`
  await sql`insert into entity (market, issuer_id, ticker)
    select 'US', 'N' || number, 'T' || number from generate_series(1, 2000) number`
  const one = connect({ url: db.url, connections: 1, statementTimeoutMs: 60_000 })
  const rowsRead = async () => {
    await one`select pg_stat_force_next_flush()`
    const [{ rows }] = await one<{ rows: number }[]>`
      select (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'entity')::int
        + (select seq_tup_read from pg_stat_user_tables where relname = 'entity')::int as rows`
    return rows
  }
  const before = await rowsRead()
  const profiles = Array.from({ length: 2_000 }, (_, i) => profile(`N${i + 1}`))
  const known = await readKnownEntities(one, profiles)
  expect(known.size).toBe(2_000)
  expect((await rowsRead()) - before).toBeLessThan(3 * 2_000)
  await one.end()
})
