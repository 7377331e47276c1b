import { expect, test } from 'bun:test'
import { Semaphore } from '../src/semaphore.ts'

test('a semaphore limits the tasks at a time and starts them in order, also after failures', async () => {
  const semaphore = new Semaphore({ slots: 2 })
  const started: number[] = []
  let working = 0
  let max = 0
  const work = (i: number) =>
    semaphore.run(async () => {
      started.push(i)
      max = Math.max(max, ++working)
      await Bun.sleep(2)
      working--
      if (i % 3 === 0) throw new Error(`fails ${i}`)
      return i
    })
  const ended = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => work(i)))
  expect(max).toBe(2)
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(ended.map(end => end.status === 'fulfilled')).toEqual(started.map(i => i % 3 !== 0))
})

test('a key at its bound lets later keys pass, and gets the next slot that it may use', async () => {
  const semaphore = new Semaphore({ slots: 2, slotsPerKey: 1 })
  const gates = ['a', 'a', 'b'].map(key => ({ key, ...Promise.withResolvers<void>() }))
  const started: string[] = []
  const runs = gates.map(({ key, promise }) =>
    semaphore.run(() => {
      started.push(key)
      return promise
    }, key),
  )
  await Bun.sleep(0)
  expect(started).toEqual(['a', 'b'])
  gates[2].resolve()
  await runs[2]
  expect(started).toEqual(['a', 'b'])
  gates[0].resolve()
  gates[1].resolve()
  await Promise.all(runs)
  expect(started).toEqual(['a', 'b', 'a'])
})

test('a task beyond the bounds of waiting is refused with the counts of its key', async () => {
  const refusal = (counts: object) => new Error(JSON.stringify(counts))
  const semaphore = new Semaphore({ slots: 1, maxWaiting: 2, maxWaitingPerKey: 1, refusal })
  const { promise, resolve } = Promise.withResolvers<void>()
  const admitted = ['a', 'a', 'b'].map(key => semaphore.run(() => promise, key))
  const refused = await Promise.allSettled(['a', 'c'].map(key => semaphore.run(() => promise, key)))
  expect(refused.map(end => (end.status === 'rejected' ? end.reason.message : null))).toEqual([
    '{"running":1,"waiting":1}',
    '{"running":0,"waiting":0}',
  ])
  resolve()
  await Promise.all(admitted)
})

test('a task whose caller gives up leaves the queue and never runs', async () => {
  const semaphore = new Semaphore({ slots: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = semaphore.run(() => promise)
  const caller = new AbortController()
  let ran = false
  const second = semaphore.run(
    async () => {
      ran = true
    },
    '',
    caller.signal,
  )
  caller.abort(new Error('left'))
  await expect(second).rejects.toThrow('left')
  resolve()
  await first
  expect(await semaphore.run(async () => 'third')).toBe('third')
  expect(ran).toBe(false)
})
