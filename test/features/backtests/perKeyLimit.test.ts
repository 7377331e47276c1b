import { expect, test } from 'bun:test'
import { PerKeyLimit } from '../../../src/features/backtests/perKeyLimit.ts'

const mine = 1
const theirs = 2

/** Work that is under way until `end`. */
function open(limit: PerKeyLimit, keyId: number) {
  const { promise, resolve } = Promise.withResolvers<string>()
  return { done: limit.use(keyId, () => promise), end: () => resolve('done') }
}

test('a key that is at its limit is refused at once, and another key is not', async () => {
  const limit = new PerKeyLimit(2, 4)
  const running = [1, 2, 3].map(() => open(limit, mine))
  const refused = await limit.use(mine, () => Promise.resolve('done')).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'compute_busy', details: { retryAfterSeconds: 1 } })
  expect(await limit.use(theirs, () => Promise.resolve('done'))).toBe('done')
  for (const { end, done } of running) {
    end()
    await done
  }
  expect(await limit.use(mine, () => Promise.resolve('done'))).toBe('done')
})

test('work that fails gives its place back, and every thread can be used by one key', async () => {
  const limit = new PerKeyLimit(4, 1)
  for (let i = 0; i < 10; i++) {
    await limit.use(mine, () => Promise.reject(new Error('no'))).catch(() => {})
  }
  const running = [1, 2, 3, 4].map(() => open(limit, mine))
  for (const { end, done } of running) {
    end()
    expect(await done).toBe('done')
  }
})
