import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  bulkIndexes,
  findMissingIndexes,
  setIndexesAside,
  writeIndexes,
} from '../../../src/ingest/store/bulkIndexes.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

setDefaultTimeout(60_000)
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 60_000)
afterAll(() => db.close())

const names = Object.keys(bulkIndexes)

async function definitions(): Promise<readonly string[]> {
  const rows = await db.sql<{ definition: string }[]>`
    select pg_get_indexdef(to_regclass(name)) as definition from unnest(${names}::text[]) name order by name`
  return rows.map(row => row.definition)
}

const leftAlone = async () => {
  const rows = await db.sql<{ name: string }[]>`
    select relname as name from pg_class where reloptions @> array['autovacuum_enabled=false'] order by 1`
  return rows.map(row => row.name)
}

test('indexes that were set aside come back as the migrations made them', async () => {
  const made = await definitions()
  expect(made.map(definition => definition.length > 20)).toEqual(names.map(() => true))
  expect(await findMissingIndexes(db.sql)).toEqual([])
  expect(await writeIndexes(db.sql)).toBe(false)

  await setIndexesAside(db.sql)
  await setIndexesAside(db.sql)
  expect([...(await findMissingIndexes(db.sql))].sort()).toEqual([...names].sort())

  expect(await leftAlone()).toEqual(['entity', 'entity_ticker', 'fact', 'fact_repeat', 'filing'])

  expect(await writeIndexes(db.sql)).toBe(true)
  expect(await definitions()).toEqual(made)
  expect(await leftAlone()).toEqual([])
})

test('a reader that does not end is not cut off, and those behind it wait no longer than told', async () => {
  const reader = await db.sql.reserve()
  try {
    await reader`begin`
    await reader`select count(*) from fact`
    await expect(setIndexesAside(db.sql)).rejects.toMatchObject({ code: 'conflict' })
    expect(await leftAlone()).toEqual([])
    expect(await findMissingIndexes(db.sql)).toEqual([])
  } finally {
    await reader`rollback`
    reader.release()
  }
}, 60_000)

test('one that is missing by itself is written, and the others are left', async () => {
  const made = await definitions()
  await db.sql`drop index entity_search`
  expect(await findMissingIndexes(db.sql)).toEqual(['entity_search'])
  expect(await writeIndexes(db.sql)).toBe(true)
  expect(await definitions()).toEqual(made)
})
