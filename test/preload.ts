import { afterAll } from 'bun:test'
import { stopTestDatabase } from './database.ts'

afterAll(async () => {
  await stopTestDatabase()
}, 60_000)
