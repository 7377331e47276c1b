import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Dataset } from '../../src/backtest/dataset/dataset.ts'
import { ComputePool, type PoolSettings } from '../../src/backtest/pool/computePool.ts'
import { makeBacktests, makeEvents } from '../../src/boot/resources.ts'
import { readConfig } from '../../src/config.ts'
import { datasetOf } from '../backtest/rows.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { markets } from '../features/companies/fixtures.ts'
import { pinsOf } from '../pins.ts'
import { sellKey } from './callers.ts'
import { type TestServer, testServer } from './testServer.ts'

/** The real routes and the real pool over threads that do what the body commands: sleep, spin, crash. */
const misbehave = new URL('../backtest/pool/fixtures/misbehave.ts', import.meta.url)
let db: TestDatabase
let key = ''
const opened: (() => Promise<void>)[] = []

beforeAll(async () => {
  db = await testDatabase()
  key = await sellKey(db.sql, { licence: 'oem', quant: true, perMinute: 1_000_000 })
}, 180_000)
afterAll(() => db.close(), 60_000)
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
}, 180_000)

/** A dataset whose days are the counter of the threads, in shared memory at place 0. */
function counter(): Dataset {
  const data = datasetOf([{ day: 0, asset: 'A', market: 'M', score: 1, forwardReturn: 0 }])
  return { ...data, days: new Int32Array(new SharedArrayBuffer(4)) }
}

interface Misbehaving {
  readonly server: TestServer
  readonly pool: ComputePool
  /** Of the tasks that were started. */
  started(): number
  /** Counts from 0 again. */
  forget(): void
}

async function open(settings: Partial<PoolSettings> = {}): Promise<Misbehaving> {
  const data = counter()
  const pool = new ComputePool({
    threads: 1,
    queue: 1,
    timeLimitMs: 20_000,
    worker: misbehave,
    ...settings,
  })
  const parts = {
    sql: db.sql,
    pool,
    config: readConfig({}),
    markets,
    pins: pinsOf(db.sql),
    dataVersion: () => 1,
    today: () => '2026-07-01',
  }
  const backtests = makeBacktests({ ...parts, events: makeEvents(parts) })
  const recent = async () => [{ horizon: '1d', market: null, data, dataVersion: 1 } as const]
  const archive = Object.assign(backtests.archive, { recent })
  const server = await testServer(db.sql, { pool, backtests: { ...backtests, archive } })
  opened.push(
    () => pool.close(),
    server.stop,
    () => parts.pins.close(),
  )
  return {
    server,
    pool,
    started: () => Atomics.load(data.days, 0),
    forget: () => Atomics.store(data.days, 0, 0),
  }
}

const post = ({ server }: Misbehaving, what: string, signal?: AbortSignal) =>
  fetch(`${server.url}/api/v1/backtest`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: what,
    ...(signal ? { signal } : {}),
  })

async function failed(response: Response) {
  const { code, message } = (await response.json()).error
  return { status: response.status, code, message, retryAfter: response.headers.get('retry-after') }
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await Bun.sleep(2)
}

test('with the queue full a backtest is refused at once, with a Retry-After', async () => {
  const service = await open()
  const left = new AbortController()
  const running = post(service, 'spin', left.signal).catch(() => null)
  await until(() => service.started() === 1)
  const waiting = [post(service, 'fine', left.signal).catch(() => null), post(service, 'fine')]
  // One of the two waits; the other is answered while the thread is still at work.
  const refused = await failed(await Promise.any(waiting.map(refusal)))
  expect(refused).toMatchObject({ status: 503, code: 'compute_busy' })
  expect(Number(refused.retryAfter)).toBeGreaterThanOrEqual(1)
  expect(service.started()).toBe(1)
  left.abort()
  await Promise.all([running, ...waiting])
})

async function refusal(answer: Promise<Response | null>): Promise<Response> {
  const response = await answer
  if (response?.status === 503) return response
  throw new Error('not refused')
}

test('a client that leaves frees its worker, and the next is served', async () => {
  const service = await open()
  for (let i = 0; i < 3; i++) {
    const before = service.started()
    const left = new AbortController()
    const running = post(service, 'spin', left.signal).catch(() => null)
    await until(() => service.started() > before)
    const next = post(service, 'fine')
    left.abort()
    expect((await next).status).toBe(200)
    await running
  }
})

test('a backtest past its time is a 504 that says so, and the worker is free again', async () => {
  const service = await open({ timeLimitMs: 1_000 })
  const late = await failed(await post(service, 'spin'))
  expect(late).toMatchObject({ status: 504, code: 'compute_timeout' })
  expect(late.message).toContain('longer than 1 s')
  expect((await post(service, 'fine')).status).toBe(200)
})

test('a backtest whose worker dies is tried once more', async () => {
  const service = await open()
  expect((await post(service, 'crash once')).status).toBe(200)
  expect(service.started()).toBe(2)
})

test('one whose worker dies twice is a 503 of its own; others go on, and every thread works again', async () => {
  const service = await open({ threads: 2, queue: 10 })
  const others = [post(service, 'sleep'), post(service, 'sleep'), post(service, 'sleep')]
  const lost = await failed(await post(service, 'crash'))
  expect(lost).toMatchObject({ status: 503, code: 'compute_lost', retryAfter: '1' })
  for (const other of others) expect((await other).status).toBe(200)
  // Each of these ends only when two of them run at a time.
  service.forget()
  const both = [post(service, 'meet'), post(service, 'meet')]
  for (const one of both) expect((await one).status).toBe(200)
})

test('a server that shuts down finishes what runs and turns the rest away', async () => {
  const service = await open()
  const running = post(service, 'sleep')
  await until(() => service.started() === 1)
  const closed = service.pool.close()
  const refused = await failed(await post(service, 'fine'))
  expect(refused).toMatchObject({ status: 503, code: 'shutting_down', retryAfter: '5' })
  expect((await running).status).toBe(200)
  await closed
})
