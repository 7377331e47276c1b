import { afterAll, afterEach, beforeEach, expect } from 'bun:test'
import { stopTestDatabase } from './database.ts'
import { takeUndeclared } from './http/undeclared.ts'

beforeEach(() => {
  expect.hasAssertions()
})

// Whatever a test is about: what its servers answered is in their OpenAPI document. Not an expectation, which every test would then have.
afterEach(() => {
  const undeclared = takeUndeclared()
  if (undeclared.length > 0)
    throw new Error(`The OpenAPI document does not have these answers:\n${undeclared.join('\n')}`)
})

afterAll(async () => {
  await stopTestDatabase()
}, 60_000)
