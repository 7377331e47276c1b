import { afterAll, afterEach, expect } from 'bun:test'
import { stopTestDatabase } from './database.ts'
import { takeUndeclared } from './http/undeclared.ts'

// Whatever a test is about: what its servers answered is in their OpenAPI document.
afterEach(() => {
  expect(takeUndeclared()).toEqual([])
})

afterAll(async () => {
  await stopTestDatabase()
}, 60_000)
