import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { loadSample } from '../../../src/ingest/sample/loadSample.ts'
import { tidyFacts } from '../../../src/ingest/store/bulkIndexes.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

setDefaultTimeout(60_000)
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  await loadSample(db.sql)
})
afterAll(() => db.close())

/** Bytes of the index by metric, what the planner believes of the table, and indexes that nobody may use. */
async function state() {
  const [row] = await db.sql<{ bytes: number; believed: number; invalid: number }[]>`
    select pg_relation_size('fact_cross_section')::float8 as bytes,
      (select reltuples::float8 from pg_class where oid = 'fact'::regclass) as believed,
      (select count(*)::int from pg_index where not indisvalid) as invalid`
  return row
}

test('a small import leaves the tables to the database', async () => {
  const before = await state()
  await tidyFacts(db.sql, 49_999)
  expect(await state()).toEqual(before)
})

test('a large one writes the index anew, removes what a killed run left, and tells the planner', async () => {
  await db.sql`create index fact_cross_section_ccnew on fact (metric_id)`
  await db.sql`update pg_index set indisvalid = false where indexrelid = 'fact_cross_section_ccnew'::regclass`
  const before = await state()
  expect(before.invalid).toBe(1)
  await tidyFacts(db.sql, 1_000_000)
  const after = await state()
  const [{ facts }] = await db.sql<{ facts: number }[]>`select count(*)::int as facts from fact`
  expect(after.invalid).toBe(0)
  expect(after.believed).toBe(facts)
  expect(after.bytes).toBeLessThan(before.bytes)
})
