import { expect, test } from 'bun:test'
import { SharedLookup } from '../../src/access/sharedLookup.ts'

test('10,000 secrets may wait for a query, and one more is refused until it has run', async () => {
  const sizes: number[] = []
  const lookup = new SharedLookup<string>({
    findAll: async digests => {
      sizes.push(digests.length)
      return new Map(digests.map(digest => [digest, `of ${digest}`]))
    },
    pauseMs: 0,
  })
  const waiting = Array.from({ length: 10_000 }, (_, n) => lookup.find(`${n}`))
  expect(() => lookup.find('one more')).toThrow('Too many keys or sessions are waiting')
  // The same secret again waits with the first.
  expect(await lookup.find('7')).toBe('of 7')
  expect((await Promise.all(waiting)).at(-1)).toBe('of 9999')
  expect(await lookup.find('one more')).toBe('of one more')
  expect(Math.max(...sizes)).toBe(1_000)
})
