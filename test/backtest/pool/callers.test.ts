import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ComputeCaller, paidKey, sharedData } from '../../../src/backtest/pool/caller.ts'
import { Simulation } from './simulation.ts'

const innocent = paidKey(1)
const flooder = paidKey(2)
const freeKey = (id: number): ComputeCaller => ({ tier: 'free', name: `key:${id}`, network: null })
const demo = (address: string): ComputeCaller => ({
  tier: 'demo',
  name: address,
  network: `${address.slice(0, address.lastIndexOf('.'))}.0/24`,
})

/** Sends a request after the other until a time. */
async function flood(simulation: Simulation, caller: ComputeCaller, ms: number, untilMs: number) {
  while (simulation.clock.nowMs() < untilMs) await simulation.request(caller, ms)
}

describe('free and demo callers', () => {
  test('never hold every thread, and a paid request starts at once, however long their tasks are', async () => {
    for (const slots of [1, 2, 4, 16]) {
      const simulation = new Simulation(slots, 64)
      for (let i = 0; i < 60; i++)
        simulation.request(i % 3 === 0 ? freeKey(100 + i) : demo(`10.0.${i}.1`), 45_000).catch(() => {})
      await simulation.runUntil(1_000)
      const before = simulation.running.length
      expect(before).toBe(slots === 1 ? 1 : slots - Math.max(1, Math.floor(slots / 4)))
      simulation.request(innocent, 30)
      await simulation.runUntil(1_031)
      expect(simulation.served).toEqual([{ caller: innocent, askedMs: 1_000, startMs: 1_000, endMs: 1_030 }])
      // Where there is one thread, the paid task had one more.
      expect(simulation.mostUnpaid).toBe(before)
    }
  })

  test('do not starve while paid callers send without a pause', async () => {
    const simulation = new Simulation(2, 64)
    for (let key = 0; key < 10; key++) flood(simulation, paidKey(key), 20, 60_000)
    flood(simulation, freeKey(100), 20, 60_000)
    flood(simulation, demo('10.0.0.1'), 20, 60_000)
    await simulation.runUntil(60_000)
    // By the weights 8 : 2 : 1 of two threads, and of three while paid callers use the one more.
    const ofTwo = 2 * 60_000
    const ofThree = 3 * 60_000
    expect(simulation.usedBy(freeKey(100))).toBeWithin((0.9 * 2 * ofTwo) / 11, (1.1 * 2 * ofThree) / 11)
    expect(simulation.usedBy(demo('10.0.0.1'))).toBeWithin((0.9 * ofTwo) / 11, (1.1 * ofThree) / 11)
  })

  test('many addresses of one network share what another network gets alone', async () => {
    const simulation = new Simulation(2, 640)
    for (let host = 0; host < 50; host++) flood(simulation, demo(`10.0.0.${host}`), 20, 30_000)
    flood(simulation, demo('10.9.9.9'), 20, 30_000)
    await simulation.runUntil(30_000)
    expect(simulation.usedBy(demo('10.9.9.9'))).toBeGreaterThan(0.48 * 30_000)
  })
})

describe('the queue', () => {
  const codeOf = (work: () => unknown) => {
    try {
      work()
      return 'admitted'
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  test('is bounded for each free or demo caller, for a network, and for all of a tier', () => {
    const { scheduler } = new Simulation(2, 64)
    const admitAll = (caller: ComputeCaller, count: number) =>
      Array.from({ length: count }, () => codeOf(() => scheduler.admit(caller)))
    expect(admitAll(demo('10.0.0.1'), 6).map(text => text.slice(0, 42))).toEqual([
      ...Array<string>(4).fill('admitted'),
      ...Array<string>(2).fill('4 requests of your address with the demo k'),
    ])
    for (const host of [2, 3, 4]) expect(admitAll(demo(`10.0.0.${host}`), 4)).not.toContain('4 requests')
    expect(codeOf(() => scheduler.admit(demo('10.0.0.5')))).toStartWith(
      '16 requests with the demo key from your network (10.0.0.0/24)',
    )
    for (let network = 1; network <= 17; network++) scheduler.admit(demo(`10.0.${network}.1`))
    expect(codeOf(() => scheduler.admit(demo('10.0.99.1')))).toStartWith('32 requests with the demo key wait')
    expect(codeOf(() => scheduler.admit(freeKey(5)))).toBe('admitted')
    expect(codeOf(() => scheduler.admit(innocent))).toBe('admitted')
  })

  test('has a place for a paid key that has none, when another one has filled it', () => {
    const { scheduler } = new Simulation(2, 4)
    const outcomes = Array.from({ length: 8 }, () => codeOf(() => scheduler.admit(flooder)))
    expect(outcomes.filter(outcome => outcome === 'admitted').length).toBe(6)
    expect(codeOf(() => scheduler.admit(innocent))).toBe('admitted')
    expect(codeOf(() => scheduler.admit(innocent))).toBe(
      'All 2 workers are busy and 5 backtests wait. Try again later.',
    )
  })

  test('forgets callers that have left, so that addresses do not fill the memory', async () => {
    const simulation = new Simulation(2, 64)
    for (let i = 0; i < 5_000; i++) {
      simulation.request(demo(`10.${i >> 8}.${i & 255}.1`), 5)
      await simulation.runUntil(simulation.clock.nowMs() + 6)
    }
    expect(simulation.served.length).toBe(5_000)
    expect(simulation.scheduler.callers).toBeLessThan(5)
  })
})

describe('paid callers', () => {
  test('a request is next, however many another key has here', async () => {
    const simulation = new Simulation(2, 64)
    for (let i = 0; i < 60; i++) simulation.request(flooder, 15)
    await simulation.runUntil(101)
    simulation.request(innocent, 15)
    await simulation.runUntil(2_000)
    const mine = simulation.served.find(({ caller }) => caller === innocent)
    expect((mine?.startMs ?? Infinity) - 101).toBeLessThanOrEqual(15)
  })

  test('a request starts soon though tasks of minutes hold every thread', async () => {
    const simulation = new Simulation(2, 64)
    for (let i = 0; i < 8; i++) simulation.request(flooder, 120_000)
    await simulation.runUntil(1_000)
    simulation.request(innocent, 30)
    simulation.request(paidKey(3), 30)
    await simulation.runUntil(2_000)
    const starts = simulation.served.map(({ startMs }) => startMs)
    expect(starts.length).toBe(2)
    expect(Math.max(...starts)).toBeLessThanOrEqual(1_030)
    expect(simulation.scheduler.use.running).toBe(2)
  })

  test('one key alone uses every thread, and no more than there are', async () => {
    const simulation = new Simulation(3, 64)
    for (let i = 0; i < 30; i++) simulation.request(flooder, 10)
    await simulation.runUntil(100)
    expect(simulation.served.length).toBe(30)
    expect(simulation.scheduler.use.busyMs).toBe(300)
  })

  test('who had many threads in short tasks and who had few in long ones get the same time', async () => {
    const simulation = new Simulation(2, 200)
    for (let i = 0; i < 50; i++) flood(simulation, flooder, 5, 20_000)
    for (let i = 0; i < 2; i++) flood(simulation, innocent, 200, 20_000)
    await simulation.runUntil(20_000)
    const [short, long] = [simulation.usedBy(flooder), simulation.usedBy(innocent)]
    expect(Math.abs(short - long)).toBeLessThanOrEqual(2 * 200 + 2 * 5)
  })

  test('shared datasets are loaded between the requests of others', async () => {
    const simulation = new Simulation(2, 64)
    for (let i = 0; i < 40; i++) simulation.request(flooder, 50)
    await simulation.runUntil(120)
    const ticket = simulation.scheduler.admit(sharedData, 'background')
    simulation.task(ticket, 10)
    await simulation.runUntil(400)
    const load = simulation.served.find(({ caller }) => caller === sharedData)
    expect((load?.startMs ?? Infinity) - 120).toBeLessThanOrEqual(50)
  })
})

describe('while all wait, whatever they send and the estimates say', () => {
  const flood = fc.record({
    // So many that each has one that waits, also when all of its others end at once.
    lanes: fc.integer({ min: 10, max: 16 }),
    ms: fc.integer({ min: 1, max: 100 }),
    estimateMs: fc.integer({ min: 0, max: 1_000 }),
  })
  const cases = fc.record({
    slots: fc.integer({ min: 1, max: 4 }),
    floods: fc.array(flood, { minLength: 2, maxLength: 6 }),
  })
  type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never
  const untilMs = 20_000

  /**
   * Thread time used by each caller, and the tolerance for a fair division: the tasks that are running or
   * were estimated.
   */
  async function measure({ slots, floods }: Case, callerOf: (place: number) => ComputeCaller) {
    const simulation = new Simulation(slots, 10_000)
    for (const [i, { lanes, ms, estimateMs }] of floods.entries()) {
      const ticket = simulation.scheduler.admit(callerOf(i), 'background')
      const repeat = async () => {
        while (simulation.clock.nowMs() < untilMs) await simulation.task(ticket, ms, estimateMs)
      }
      for (let lane = 0; lane < lanes; lane++) repeat()
    }
    await simulation.runUntil(untilMs)
    const largest = Math.max(...floods.map(({ ms, estimateMs }) => Math.max(ms, estimateMs)))
    return {
      used: floods.map((_, i) => simulation.usedBy(callerOf(i))),
      slack: 2 * (slots + 1) * largest,
    }
  }

  test('no demo caller gets more than another', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async sent => {
        const { used, slack } = await measure(sent, i => demo(`10.0.${i}.1`))
        expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(slack)
      }),
      { numRuns: 30 },
    )
  }, 180_000)

  test('no paid caller gets less than its share of the threads', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async sent => {
        const { used, slack } = await measure(sent, paidKey)
        expect(Math.min(...used)).toBeGreaterThanOrEqual((sent.slots * untilMs) / used.length - slack)
      }),
      { numRuns: 30 },
    )
  }, 180_000)
})

test('every ticket leaves: a task that gives up its wait frees its place, and nothing stays', async () => {
  const simulation = new Simulation(1, 8)
  const { scheduler } = simulation
  simulation.request(flooder, 100)
  const gone = new AbortController()
  const tickets = [demo('10.0.0.1'), freeKey(1), flooder].map(caller => scheduler.admit(caller))
  const waits = tickets.map(ticket => scheduler.acquire(ticket, gone.signal).catch(() => 'gave up'))
  await simulation.runUntil(1)
  expect(scheduler.use.waiting).toBe(3)
  gone.abort(new Error('The client left.'))
  expect(await Promise.all(waits)).toEqual(Array(3).fill('gave up'))
  for (const ticket of tickets) scheduler.leave(ticket)
  expect(scheduler.use.waiting).toBe(0)
  await simulation.runUntil(200)
  expect([scheduler.use.running, scheduler.callers]).toEqual([0, 0])
  let closed = false
  scheduler.close().then(() => {
    closed = true
  })
  await simulation.runUntil(201)
  expect(closed).toBe(true)
})
