import { afterEach, expect, test } from 'bun:test'
import type { Dataset } from '../../../src/backtest/dataset/dataset.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool, type PoolSettings } from '../../../src/backtest/pool/computePool.ts'
import { taskNames } from '../../../src/backtest/pool/taskMessages.ts'
import { Failure } from '../../../src/errors.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { datasetOf } from '../rows.ts'

const pools: ComputePool[] = []
const misbehave = new URL('./fixtures/misbehave.ts', import.meta.url)

function open(settings: Partial<PoolSettings> = {}): ComputePool {
  const pool = new ComputePool({ threads: 1, queue: 4, timeLimitMs: 20_000, worker: misbehave, ...settings })
  pools.push(pool)
  return pool
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map(pool => pool.close()))
}, 180_000)

function counter(): Dataset {
  const data = datasetOf([{ day: 0, asset: 'A', market: 'M', score: 1, forwardReturn: 0 }])
  return { ...data, days: new Int32Array(new SharedArrayBuffer(4)) }
}

const filter = (pool: ComputePool, market: string, data = counter(), signal?: AbortSignal) =>
  pool.tasks.filterDataset({ data, market }, { caller: operator, signal })

async function failure(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return error
  throw new Error(`expected a Failure, got ${error}`)
}

test('turns a task away when all threads are busy and the queue is full, with a time to retry', async () => {
  const pool = open({ queue: 2 })
  const running = [filter(pool, 'sleep'), filter(pool, 'sleep'), filter(pool, 'sleep')]
  const refused = await failure(filter(pool, 'sleep'))
  expect(refused.code).toBe('compute_busy')
  expect(refused.details.retryAfterSeconds).toBeGreaterThanOrEqual(1)
  expect(await Promise.all(running)).toEqual([null, null, null])
  expect(await filter(pool, 'fine')).toBeNull()
})

test('ends a task past its time and is whole again', async () => {
  const pool = open({ timeLimitMs: 1_000 })
  const late = await failure(filter(pool, 'spin'))
  expect(late.code).toBe('compute_timeout')
  expect(late.message).toBe("Choosing the market's rows took longer than 1 s. Choose a shorter period.")
  expect(await filter(pool, 'fine')).toBeNull()
})

test('a task that ends early is named for what it is: a join is no backtest', async () => {
  const pool = open({ timeLimitMs: 1_000 })
  const join = (command: string) => {
    const body = new TextEncoder().encode(command)
    return pool.tasks.readJoinBody(
      { body, format: 'csv', query: {}, today: '2024-01-02' },
      { caller: operator },
    )
  }
  const late = await failure(join('spin'))
  expect([late.code, late.message]).toEqual([
    'compute_timeout',
    'Reading the rows of the join took longer than 1 s. Send fewer rows.',
  ])
  const lost = await failure(join('crash'))
  expect([lost.code, lost.message]).toEqual([
    'compute_lost',
    'Reading the rows of the join could not be completed: its worker stopped, possibly out of memory. Try again, or send fewer rows.',
  ])
  for (const { what, mend } of nonEmpty(Object.values(taskNames))) {
    expect(`${what} took longer than 1 s.`).toMatch(/^[A-Z]/)
    expect(mend).toMatch(/^[a-z].*[^.]$/)
  }
})

test('an idle thread runs its event loop, without which its garbage is never collected', async () => {
  const pool = open()
  const data = counter()
  await filter(pool, 'later', data)
  // The timer ends after the task: a thread that blocks until its next task never gets there.
  for (let wait = 0; wait < 100 && Atomics.load(data.days, 0) < 2; wait++) await Bun.sleep(20)
  expect(Atomics.load(data.days, 0)).toBe(2)
})

test('time spent waiting does not count against the limit', async () => {
  const pool = open({ timeLimitMs: 1_000, queue: 20 })
  const tasks = Array.from({ length: 10 }, () => filter(pool, 'sleep'))
  expect(await Promise.all(tasks)).toEqual(new Array(10).fill(null))
})

test("ends a running task whose caller gave up, with the caller's reason", async () => {
  const pool = open()
  const controller = new AbortController()
  const data = counter()
  const task = filter(pool, 'spin', data, controller.signal)
  while (Atomics.load(data.days, 0) === 0) await Bun.sleep(5)
  controller.abort(new Error('the client left'))
  await expect(task).rejects.toThrow('the client left')
  expect(await filter(pool, 'fine')).toBeNull()
})

test('takes a waiting task out of the queue when its caller gives up', async () => {
  const pool = open({ queue: 1 })
  const running = filter(pool, 'sleep')
  const controller = new AbortController()
  const data = counter()
  const waiting = filter(pool, 'fine', data, controller.signal)
  controller.abort(new Error('the client left'))
  await expect(waiting).rejects.toThrow('the client left')
  expect(await filter(pool, 'fine')).toBeNull()
  await running
  expect(data.days[0]).toBe(0)
})

test('tries a task once more when its thread dies, and fails when it dies again', async () => {
  const pool = open()
  const once = counter()
  expect(await filter(pool, 'crash once', once)).toBeNull()
  expect(once.days[0]).toBe(2)
  const always = counter()
  expect((await failure(filter(pool, 'crash', always))).code).toBe('compute_lost')
  expect(always.days[0]).toBe(2)
  expect(await filter(pool, 'fine')).toBeNull()
})

test('does not try again if the memory was transferred', async () => {
  const pool = open()
  const body = new Uint8Array([1, 2, 3])
  const costs = { markets: {}, standard: { roundTripBps: 1, source: '', date: '' } }
  const lost = await failure(
    pool.tasks.runBodyRequest(
      { body, format: 'json', query: {}, archives: [], named: null, costs, resultFormat: 'json' },
      { caller: operator, transfer: [body.buffer] },
    ),
  )
  expect(lost.code).toBe('compute_lost')
  expect(body.length).toBe(0)
  expect(await filter(pool, 'fine')).toBeNull()
})

test('close lets running and waiting tasks finish and refuses new ones', async () => {
  const pool = open()
  const tasks = [filter(pool, 'sleep'), filter(pool, 'sleep')]
  const closed = pool.close()
  expect((await failure(filter(pool, 'fine'))).code).toBe('shutting_down')
  await closed
  expect(await Promise.all(tasks)).toEqual([null, null])
})

test('a bug in the thread is reported without its text, which goes to the log', async () => {
  const pool = open({ worker: new URL('../../../workers/compute.ts', import.meta.url) })
  const broken = { ...counter(), markets: { bytes: new Uint8Array(1), offsets: new Int32Array(0) } }
  const failed = await failure(filter(pool, 'M', { ...broken, markets: Object.create(null) }))
  expect(failed.code).toBe('compute_failed')
  expect(failed.message).toBe("Choosing the market's rows could not be completed.")
  expect(String(failed.details.cause)).toContain('TypeError')
})
