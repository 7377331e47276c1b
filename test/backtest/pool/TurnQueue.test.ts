import { expect, test } from 'bun:test'
import { TurnQueue, type Visit } from '../../../src/backtest/pool/scheduler.ts'

/** Takes `count` turns, one after the other or all at once, and writes each down as it starts and ends. */
async function work(
  queue: TurnQueue,
  visit: Visit,
  name: string,
  count: number,
  log: string[],
): Promise<void> {
  for (let i = 0; i < count; i++) {
    const started = await queue.take(visit)
    log.push(name)
    await Bun.sleep(2)
    queue.giveBack(visit, started)
  }
}

test('a visit of many turns makes a newcomer wait for one', async () => {
  const queue = new TurnQueue(2, 10)
  const log: string[] = []
  const sweep = queue.enter()
  const lanes = [work(queue, sweep, 'sweep', 20, log), work(queue, sweep, 'sweep', 20, log)]
  await Bun.sleep(5)
  const before = log.length
  const single = queue.enter()
  await work(queue, single, 'single', 1, log)
  expect(log.indexOf('single') - before).toBeLessThanOrEqual(1)
  await Promise.all(lanes)
  expect(log.filter(name => name === 'sweep').length).toBe(40)
})

test('two sweeps and a newcomer: the newcomer is next, and the sweeps share evenly', async () => {
  const queue = new TurnQueue(2, 10)
  const log: string[] = []
  const [a, b] = [queue.enter(), queue.enter()]
  const lanes = [a, a, b, b].map((visit, i) => work(queue, visit, i < 2 ? 'a' : 'b', 15, log))
  await Bun.sleep(7)
  const before = log.length
  await work(queue, queue.enter(), 'new', 1, log)
  expect(log.indexOf('new') - before).toBeLessThanOrEqual(1)
  await Promise.all(lanes)
  const middle = log.slice(4, 40)
  const ofA = middle.filter(name => name === 'a').length
  expect(Math.abs(ofA - middle.filter(name => name === 'b').length)).toBeLessThanOrEqual(4)
})

test('work that nobody waits for enters again and again and is no newcomer: who comes is next', async () => {
  const queue = new TurnQueue(2, 20)
  const log: string[] = []
  let over = false
  const share = async () => {
    while (!over) {
      const visit = queue.enter(false)
      await work(queue, visit, 'share', 2, log)
      queue.leave(visit)
    }
  }
  const lanes = [share(), share(), share(), share()]
  for (let i = 0; i < 10; i++) {
    await Bun.sleep(5)
    const before = log.length
    const single = queue.enter()
    await work(queue, single, `single ${i}`, 1, log)
    queue.leave(single)
    expect(log.indexOf(`single ${i}`) - before).toBeLessThanOrEqual(1)
  }
  over = true
  await Promise.all(lanes)
})

test('who is inside is not turned away, however many came after', async () => {
  const queue = new TurnQueue(1, 1)
  const [first, second] = [queue.enter(), queue.enter()]
  expect(() => queue.enter()).toThrow('All 1 workers are busy and 1 backtests wait')
  const log: string[] = []
  await Promise.all([work(queue, first, 'first', 3, log), work(queue, second, 'second', 3, log)])
  expect(log).toEqual(['first', 'second', 'first', 'second', 'first', 'second'])
  queue.leave(first)
  expect(queue.enter()).toBeDefined()
})

test('closing waits for visits, not for turns: a sweep finishes its slices', async () => {
  const queue = new TurnQueue(1, 1)
  const visit = queue.enter()
  let closed = false
  const closing = queue.close().then(() => {
    closed = true
  })
  const log: string[] = []
  await work(queue, visit, 'slice', 3, log)
  expect([closed, log.length]).toEqual([false, 3])
  expect(() => queue.enter()).toThrow('shutting down')
  queue.leave(visit)
  await closing
  expect(closed).toBe(true)
})
