import { afterAll, describe, expect, test } from 'bun:test'
import { LimitGate } from '../../src/limits/gate.ts'
import { type Counter, takeHits, type WantedHits } from '../../src/limits/queries.ts'
import { connect } from '../../src/postgres/client.ts'
import { testDatabase } from '../database.ts'

const database = await testDatabase()
afterAll(() => database.close(), 60_000)

const sixty = { perMinute: 60, perDay: null }
const elapsedMs = () => performance.now()

const gateOn = (sql = database.sql) =>
  new LimitGate({ takeHits: hits => takeHits(sql, hits), elapsedMs, timeoutMs: 5_000 })

const allowed = async (gates: readonly LimitGate[], subject: string, count: number) => {
  const verdicts = await Promise.all(
    Array.from({ length: count }, (_, hit) => gates[hit % gates.length].take(subject, sixty)),
  )
  return verdicts.filter(verdict => verdict.allowed).length
}

describe('200 parallel hits of a 60-a-minute key', () => {
  test('grant exactly 60 on one server', async () => {
    expect(await allowed([gateOn()], 'one', 200)).toBe(60)
  })

  test('grant exactly 60 on two servers with one database', async () => {
    const other = connect({ url: database.url, connections: 2, statementTimeoutMs: 5_000 })
    expect(await allowed([gateOn(), gateOn(other)], 'two', 200)).toBe(60)
    await other.end()
  })

  test('grant no more after the server was started again', async () => {
    expect(await allowed([gateOn()], 'again', 45)).toBe(45)
    expect(await allowed([gateOn()], 'again', 200)).toBe(15)
  })
})

test('those granted in one call are told remaining counts in the order in which they came', async () => {
  const gate = gateOn()
  const verdicts = await Promise.all(Array.from({ length: 5 }, () => gate.take('order', sixty)))
  expect(verdicts.map(verdict => verdict.minuteRemaining)).toEqual([59, 58, 57, 56, 55])
})

/** A database that counts nothing until it is let to. */
function slowStore() {
  const calls: { hits: readonly WantedHits[]; finish: () => void; fail: (error: Error) => void }[] = []
  const store = (hits: readonly WantedHits[]) =>
    new Promise<Counter[]>((resolve, reject) => {
      const counters = hits.map(hit => ({
        subject: hit.subject,
        granted: Math.min(hit.wanted, hit.perMinute),
        minute: 1,
        used: hit.wanted,
        used_before: 0,
        used_today: 1,
        at: 61,
      }))
      calls.push({ hits, finish: () => resolve(counters), fail: reject })
    })
  return { calls, store }
}

describe('with one call under way', () => {
  test('all who wait are counted by the next one', async () => {
    const { calls, store } = slowStore()
    const gate = new LimitGate({ takeHits: store, elapsedMs, timeoutMs: 5_000 })
    const first = gate.take('a', sixty)
    await Bun.sleep(1)
    const rest = [gate.take('a', sixty), gate.take('b', sixty), gate.take('a', sixty)]
    await Bun.sleep(1)
    expect(calls.length).toBe(1)
    calls[0].finish()
    await first
    await Bun.sleep(1)
    expect(calls[1].hits.map(hit => [hit.subject, hit.wanted])).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    calls[1].finish()
    expect((await Promise.all(rest)).every(verdict => verdict.allowed)).toBe(true)
  })

  test('a database that fails grants nothing, and the next call is tried', async () => {
    const { calls, store } = slowStore()
    const gate = new LimitGate({ takeHits: store, elapsedMs, timeoutMs: 5_000 })
    const first = gate.take('a', sixty)
    await Bun.sleep(1)
    calls[0].fail(new Error('ECONNREFUSED'))
    await expect(first).rejects.toMatchObject({ code: 'database_unavailable' })
    const second = gate.take('a', sixty)
    await Bun.sleep(1)
    calls[1].finish()
    expect((await second).allowed).toBe(true)
  })

  test('a database that hangs grants nothing, tells everybody soon, and is used again when it is back', async () => {
    const { calls, store } = slowStore()
    const gate = new LimitGate({ takeHits: store, elapsedMs, timeoutMs: 30 })
    const waiting = [gate.take('a', sixty), Bun.sleep(5).then(() => gate.take('b', sixty))]
    const outcomes = await Promise.allSettled(waiting)
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'database_unavailable' } })
    }
    await expect(gate.take('c', sixty)).rejects.toMatchObject({ code: 'database_unavailable' })
    calls[0].finish()
    await Bun.sleep(1)
    const back = gate.take('d', sixty)
    await Bun.sleep(1)
    calls[1].finish()
    expect((await back).allowed).toBe(true)
  })
})

test('who is refused is refused without the database until another may pass', async () => {
  let calls = 0
  let nowMs = 0
  const gate = new LimitGate({
    takeHits: hits => {
      calls++
      return takeHits(database.sql, hits)
    },
    elapsedMs: () => nowMs,
    timeoutMs: 5_000,
  })
  for (let hit = 0; hit < 3; hit++) await gate.take('hammer', { perMinute: 2, perDay: null })
  const wait = (await gate.take('hammer', { perMinute: 2, perDay: null })).refused?.retryAfterSeconds ?? 0
  expect(calls).toBe(3)
  nowMs = 5_000
  const later = await gate.take('hammer', { perMinute: 2, perDay: null })
  expect(later.refused?.retryAfterSeconds).toBe(wait - 5)
  expect(calls).toBe(3)
  // A new grant with a higher limit is not held up by the old one's refusal.
  expect((await gate.take('hammer', { perMinute: 10, perDay: null })).allowed).toBe(true)
})
