import { afterAll, beforeAll, expect, test } from 'bun:test'
import { warmSearch } from '../../../src/features/search/warmQueries.ts'
import { connect } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 180_000)
afterAll(() => db.close(), 60_000)

const relationBytes = async () => {
  const [{ bytes }] = await db.sql<{ bytes: number }[]>`
    select sum(pg_relation_size(name::regclass))::float8 as bytes
    from unnest('{entity_names,entity_other_names,entity,entity_other_name,entity_ticker_search,entity_former_id_search,entity_ticker,entity_pkey}'::text[]) name`
  return bytes
}

test('a database without pg_prewarm is left as it is', async () => {
  expect(await warmSearch(db.sql, 1e9)).toBeNull()
})

test('every table and index of searches is read, and no more bytes than are allowed', async () => {
  const admin = connect({ url: db.adminUrl, connections: 1, statementTimeoutMs: 0 })
  await admin`create extension pg_prewarm`
  await admin.end({ timeout: 5 })
  const bytes = await relationBytes()
  expect(await warmSearch(db.sql, bytes)).toBe(bytes)
  expect(await warmSearch(db.sql, 20_000)).toBeLessThanOrEqual(20_000)
  expect(await warmSearch(db.sql, 0)).toBe(0)
})
