import { afterAll, beforeAll, expect, test } from 'bun:test'
import { findNamed } from '../../src/features/companies/queries.ts'
import { connect, type Sql } from '../../src/postgres/client.ts'
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

test('and plans neither scans of a table nor workers', async () => {
  const settings = await once<{ name: string; setting: string }[]>`
    select name, setting from pg_settings
    where name in ('enable_seqscan', 'max_parallel_workers_per_gather', 'jit', 'plan_cache_mode') order by name`
  expect(settings.map(({ name, setting }) => [name, setting])).toEqual([
    ['enable_seqscan', 'off'],
    ['jit', 'off'],
    ['max_parallel_workers_per_gather', '0'],
    ['plan_cache_mode', 'force_generic_plan'],
  ])
})
