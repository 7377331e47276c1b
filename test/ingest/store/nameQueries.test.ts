import { afterAll, expect, test } from 'bun:test'
import { loadFactNames, registerNames } from '../../../src/ingest/store/nameQueries.ts'
import { testDatabase } from '../../database.ts'

const database = await testDatabase()
afterAll(() => database.close(), 60_000)

test('with trailing twelve months their metric gets a number, by which readers find them', async () => {
  const { sql } = database
  const names = await loadFactNames(sql)
  await registerNames(names, [{ metric: 'roe_ttm', unit: 'pure', tag: null }])
  const stored = await sql<{ name: string }[]>`select name from metric order by name`
  expect(stored.map(({ name }) => name)).toEqual(['roe', 'roe_ttm'])
})
