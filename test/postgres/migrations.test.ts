import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { migrate } from '../../src/postgres/migrations.ts'
import { testDatabase } from '../database.ts'

const database = await testDatabase()
afterAll(() => database.close(), 60_000)

test('a second run does not change a migrated database', async () => {
  expect(await migrate(database.sql)).toEqual([])
  const names = readdirSync('sql/migrations').sort()
  const rows = await database.sql<{ name: string }[]>`select name from migration order by name`
  expect(rows.map(row => row.name)).toEqual(names)
})
