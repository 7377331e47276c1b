import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/store/database.ts'
import { findNamed } from '../../src/store/fundamentals/findNamed.ts'
import { type TestDatabase, testDatabase } from '../database.ts'

let database: TestDatabase
let once: Sql
beforeAll(async () => {
  database = await testDatabase()
  once = connect({ url: database.url, connections: 1, statementTimeoutMs: 5_000, byIndex: true })
}, 60_000)
afterAll(async () => {
  await once.end({ timeout: 5 })
  await database.close()
}, 60_000)

test('a pool that looks up by index never plans a statement for one question alone', async () => {
  for (const id of ['AAPL', 'SNOW', 'GOOG', 'MSFT', 'AMZN', 'META', 'NVDA']) await findNamed(once, [id])
  const plans = await once<{ generic: number; custom: number }[]>`
    select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
    where statement like '%entity_ticker%' and statement not like '%pg_prepared_statements%'`
  expect([...plans]).toEqual([{ generic: 7, custom: 0 }])
})
