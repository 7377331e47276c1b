import { expect, test } from 'bun:test'
import { KeyRoom } from '../../../src/features/backtests/perKeyLimit.ts'

const mine = 1
const theirs = 2

/** Work that is under way until it is told to end. */
function open(room: KeyRoom, keyId: number) {
  const { promise, resolve } = Promise.withResolvers<string>()
  return { done: room.use(keyId, () => promise), end: () => resolve('done') }
}

test('a key that has half of the room is turned away at once, and another key is not', async () => {
  const room = new KeyRoom(2, 4)
  const held = [1, 2, 3].map(() => open(room, mine))
  const refused = await room.use(mine, () => Promise.resolve('done')).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'compute_busy', details: { retryAfterSeconds: 1 } })
  expect(await room.use(theirs, () => Promise.resolve('done'))).toBe('done')
  for (const { end, done } of held) {
    end()
    await done
  }
  expect(await room.use(mine, () => Promise.resolve('done'))).toBe('done')
})

test('work that fails gives its place back, and every thread can be used by one key', async () => {
  const room = new KeyRoom(4, 1)
  for (let i = 0; i < 10; i++) {
    await room.use(mine, () => Promise.reject(new Error('no'))).catch(() => {})
  }
  const held = [1, 2, 3, 4].map(() => open(room, mine))
  for (const { end, done } of held) {
    end()
    expect(await done).toBe('done')
  }
})
