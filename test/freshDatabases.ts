import { afterAll } from 'bun:test'
import type { Sql } from '../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from './database.ts'

/** Returns a function that creates an empty database. All are dropped after the tests of the file. */
export function freshDatabases(): () => Promise<Sql> {
  const databases: TestDatabase[] = []
  afterAll(async () => {
    for (const database of databases) await database.close()
  }, 60_000)
  return async () => {
    const database = await testDatabase()
    databases.push(database)
    return database.sql
  }
}
