import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  bulkIndexes,
  findMissingIndexes,
  setIndexesAside,
  writeIndexes,
} from '../../../src/store/facts/bulkIndexes.ts'
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

test('indexes that were set aside come back as the migrations made them', async () => {
  const made = await definitions()
  expect(made.map(definition => definition.length > 20)).toEqual(names.map(() => true))
  expect(await findMissingIndexes(db.sql)).toEqual([])
  expect(await writeIndexes(db.sql)).toBe(false)

  await setIndexesAside(db.sql)
  await setIndexesAside(db.sql)
  expect([...(await findMissingIndexes(db.sql))].sort()).toEqual([...names].sort())

  expect(await writeIndexes(db.sql)).toBe(true)
  expect(await definitions()).toEqual(made)
})

test('one that is missing by itself is written, and the others are left', async () => {
  const made = await definitions()
  await db.sql`drop index entity_search`
  expect(await findMissingIndexes(db.sql)).toEqual(['entity_search'])
  expect(await writeIndexes(db.sql)).toBe(true)
  expect(await definitions()).toEqual(made)
})
