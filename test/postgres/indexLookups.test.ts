import { afterAll, beforeAll, expect, test } from 'bun:test'
import { findCompanies } from '../../src/features/companies/queries.ts'
import { connect, type Sql } from '../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../database.ts'

let database: TestDatabase
let lookups: Sql
beforeAll(async () => {
  database = await testDatabase()
  lookups = connect({ url: database.url, connections: 1, statementTimeoutMs: 5_000, indexLookupsOnly: true })
}, 180_000)
afterAll(async () => {
  await lookups.end({ timeout: 5 })
  await database.close()
}, 180_000)

test('a pool for index lookups uses one generic plan for all parameters', async () => {
  for (const id of ['AAPL', 'SNOW', 'GOOG', 'MSFT', 'AMZN', 'META', 'NVDA'])
    await findCompanies(lookups, [id])
  const plans = await lookups<{ generic: number; custom: number }[]>`
    select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
    where statement like '%entity_ticker%' and statement not like '%pg_prepared_statements%'`
  // One statement for current IDs, one for all others.
  const once = { generic: 7, custom: 0 }
  expect([...plans]).toEqual([once, once])
})

test('a pool for index lookups has table scans and parallel workers turned off', async () => {
  const settings = await lookups<{ name: string; setting: string }[]>`
    select name, setting from pg_settings
    where name in ('enable_seqscan', 'max_parallel_workers_per_gather', 'jit', 'plan_cache_mode') order by name`
  expect(settings.map(({ name, setting }) => [name, setting])).toEqual([
    ['enable_seqscan', 'off'],
    ['jit', 'off'],
    ['max_parallel_workers_per_gather', '0'],
    ['plan_cache_mode', 'force_generic_plan'],
  ])
})
