import { expect, test } from 'bun:test'
import { Turns } from '../../src/postgres/readLimiter.ts'

test('no more work at a time than there are turns, in order, whatever fails', async () => {
  const turns = new Turns(2)
  const started: number[] = []
  let working = 0
  let most = 0
  const work = (i: number) =>
    turns.use(async () => {
      started.push(i)
      most = Math.max(most, ++working)
      await Bun.sleep(2)
      working--
      if (i % 3 === 0) throw new Error(`fails ${i}`)
      return i
    })
  const ended = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => work(i)))
  expect(most).toBe(2)
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(ended.map(end => end.status === 'fulfilled')).toEqual(started.map(i => i % 3 !== 0))
})
