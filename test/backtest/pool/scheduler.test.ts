import { expect, test } from 'bun:test'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { FairScheduler } from '../../../src/backtest/pool/scheduler.ts'
import type { Ticket } from '../../../src/backtest/pool/tickets.ts'

/** Uses `count` slots, one after the other, and logs each as it starts. */
async function work(
  scheduler: FairScheduler,
  ticket: Ticket,
  name: string,
  count: number,
  log: string[],
): Promise<void> {
  for (let i = 0; i < count; i++) {
    const started = await scheduler.acquire(ticket)
    log.push(name)
    await Bun.sleep(2)
    scheduler.release(ticket, started)
  }
}

test('a ticket of many slots makes a newcomer wait for one', async () => {
  const scheduler = new FairScheduler(2, 10)
  const log: string[] = []
  const sweep = scheduler.admit(operator)
  const lanes = [work(scheduler, sweep, 'sweep', 20, log), work(scheduler, sweep, 'sweep', 20, log)]
  await Bun.sleep(5)
  const before = log.length
  const single = scheduler.admit(operator)
  await work(scheduler, single, 'single', 1, log)
  expect(log.indexOf('single') - before).toBeLessThanOrEqual(1)
  await Promise.all(lanes)
  expect(log.filter(name => name === 'sweep').length).toBe(40)
})

test('two sweeps and a newcomer: the newcomer is next, and the sweeps share evenly', async () => {
  const scheduler = new FairScheduler(2, 10)
  const log: string[] = []
  const [a, b] = [scheduler.admit(operator), scheduler.admit(operator)]
  const lanes = [a, a, b, b].map((ticket, i) => work(scheduler, ticket, i < 2 ? 'a' : 'b', 15, log))
  await Bun.sleep(7)
  const before = log.length
  await work(scheduler, scheduler.admit(operator), 'new', 1, log)
  expect(log.indexOf('new') - before).toBeLessThanOrEqual(1)
  await Promise.all(lanes)
  const middle = log.slice(4, 40)
  const ofA = middle.filter(name => name === 'a').length
  expect(Math.abs(ofA - middle.filter(name => name === 'b').length)).toBeLessThanOrEqual(4)
})

test('background work admitted again and again is never a newcomer: an interactive request is next', async () => {
  const scheduler = new FairScheduler(2, 20)
  const log: string[] = []
  let over = false
  const share = async () => {
    while (!over) {
      const ticket = scheduler.admit(operator, 'background')
      await work(scheduler, ticket, 'share', 2, log)
      scheduler.leave(ticket)
    }
  }
  const lanes = [share(), share(), share(), share()]
  for (let i = 0; i < 10; i++) {
    await Bun.sleep(5)
    const before = log.length
    const single = scheduler.admit(operator)
    await work(scheduler, single, `single ${i}`, 1, log)
    scheduler.leave(single)
    expect(log.indexOf(`single ${i}`) - before).toBeLessThanOrEqual(1)
  }
  over = true
  await Promise.all(lanes)
})

test('a full queue turns away requests, never background work, which takes no place of theirs', () => {
  const scheduler = new FairScheduler(1, 1)
  const background = [scheduler.admit(operator, 'background'), scheduler.admit(operator, 'background')]
  const requests = [scheduler.admit(operator), scheduler.admit(operator)]
  expect(() => scheduler.admit(operator)).toThrow('All 1 workers are busy and 1 backtests wait')
  expect(scheduler.admit(operator, 'background')).toBeDefined()
  for (const ticket of background) scheduler.leave(ticket)
  expect(() => scheduler.admit(operator)).toThrow('1 backtests wait')
  scheduler.leave(requests[0])
  expect(scheduler.admit(operator)).toBeDefined()
})

test('an admitted request is not turned away, however many come after it', async () => {
  const scheduler = new FairScheduler(1, 1)
  const [first, second] = [scheduler.admit(operator), scheduler.admit(operator)]
  expect(() => scheduler.admit(operator)).toThrow('All 1 workers are busy and 1 backtests wait')
  const log: string[] = []
  await Promise.all([work(scheduler, first, 'first', 3, log), work(scheduler, second, 'second', 3, log)])
  expect(log).toEqual(['first', 'second', 'first', 'second', 'first', 'second'])
  scheduler.leave(first)
  expect(scheduler.admit(operator)).toBeDefined()
})

test('closing waits for tickets, not for slots: a sweep finishes its slices', async () => {
  const scheduler = new FairScheduler(1, 1)
  const ticket = scheduler.admit(operator)
  let closed = false
  const closing = scheduler.close().then(() => {
    closed = true
  })
  const log: string[] = []
  await work(scheduler, ticket, 'slice', 3, log)
  expect([closed, log.length]).toEqual([false, 3])
  expect(() => scheduler.admit(operator)).toThrow('shutting down')
  scheduler.leave(ticket)
  await closing
  expect(closed).toBe(true)
})
