import { afterAll, describe, expect, test } from 'bun:test'
import { Failure } from '../../src/errors.ts'
import { type HitCounter, type HitRequest, takeHits } from '../../src/limits/queries.ts'
import { RateLimiter } from '../../src/limits/rateLimiter.ts'
import { connect } from '../../src/postgres/client.ts'
import { testDatabase } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'

const database = await testDatabase()
afterAll(() => database.close(), 60_000)

const sixty = { perMinute: 60, perDay: null }
const elapsedMs = () => performance.now()

const limiterOn = (sql = database.sql) =>
  new RateLimiter({ takeHits: hits => takeHits(sql, hits), elapsedMs, timeoutMs: 5_000 })

const allowed = async (limiters: readonly RateLimiter[], subject: string, count: number) => {
  const verdicts = await Promise.all(
    Array.from({ length: count }, (_, hit) => limiters[hit % limiters.length].take(subject, sixty)),
  )
  return verdicts.filter(verdict => verdict.allowed).length
}

describe('200 parallel hits of a 60-a-minute key', () => {
  test('grant exactly 60 on one server', async () => {
    expect(await allowed([limiterOn()], 'one', 200)).toBe(60)
  })

  test('grant exactly 60 on two servers with one database', async () => {
    const other = connect({ url: database.url, connections: 2, statementTimeoutMs: 5_000 })
    expect(await allowed([limiterOn(), limiterOn(other)], 'two', 200)).toBe(60)
    await other.end()
  })

  test('grant no more after a restart of the server', async () => {
    expect(await allowed([limiterOn()], 'again', 45)).toBe(45)
    expect(await allowed([limiterOn()], 'again', 200)).toBe(15)
  })
})

test('requests granted in one batch get remaining counts in order of arrival', async () => {
  const limiter = limiterOn()
  const verdicts = await Promise.all(Array.from({ length: 5 }, () => limiter.take('order', sixty)))
  expect(verdicts.map(verdict => verdict.minuteRemaining)).toEqual([59, 58, 57, 56, 55])
})

/** A database that answers only after `finish`. */
function slowStore() {
  const calls: { hits: readonly HitRequest[]; finish: () => void; fail: (error: Error) => void }[] = []
  const store = (hits: readonly HitRequest[]) =>
    new Promise<HitCounter[]>((resolve, reject) => {
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

describe('while one query runs', () => {
  test('all waiting requests are counted by the next one', async () => {
    const { calls, store } = slowStore()
    const limiter = new RateLimiter({ takeHits: store, elapsedMs, timeoutMs: 5_000 })
    const first = limiter.take('a', sixty)
    await Bun.sleep(1)
    const rest = [limiter.take('a', sixty), limiter.take('b', sixty), limiter.take('a', sixty)]
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
    expect(nonEmpty(await Promise.all(rest)).every(verdict => verdict.allowed)).toBe(true)
  })

  test('a failing database grants nothing, and the next query is tried', async () => {
    const { calls, store } = slowStore()
    const limiter = new RateLimiter({ takeHits: store, elapsedMs, timeoutMs: 5_000 })
    const first = limiter.take('a', sixty)
    await Bun.sleep(1)
    calls[0].fail(new Error('ECONNREFUSED'))
    await expect(first).rejects.toMatchObject({ code: 'database_unavailable' })
    const second = limiter.take('a', sixty)
    await Bun.sleep(1)
    calls[1].finish()
    expect((await second).allowed).toBe(true)
  })

  test('a full disk is what the client hears of, and when to try again', async () => {
    const { calls, store } = slowStore()
    const limiter = new RateLimiter({ takeHits: store, elapsedMs, timeoutMs: 5_000 })
    const first = limiter.take('a', sixty)
    await Bun.sleep(1)
    const full = new Failure('database_unavailable', 'The disk is full.', { retryAfterSeconds: 30 })
    calls[0].fail(full)
    await expect(first).rejects.toBe(full)
  })

  test('a hanging database grants nothing, fails all requests soon, and is used again when it answers', async () => {
    const { calls, store } = slowStore()
    const limiter = new RateLimiter({ takeHits: store, elapsedMs, timeoutMs: 30 })
    const waiting = [limiter.take('a', sixty), Bun.sleep(5).then(() => limiter.take('b', sixty))]
    const outcomes = await Promise.allSettled(waiting)
    for (const outcome of nonEmpty(outcomes)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'database_unavailable' } })
    }
    await expect(limiter.take('c', sixty)).rejects.toMatchObject({ code: 'database_unavailable' })
    calls[0].finish()
    await Bun.sleep(1)
    const back = limiter.take('d', sixty)
    await Bun.sleep(1)
    calls[1].finish()
    expect((await back).allowed).toBe(true)
  })
})

test('a refused subject is refused without the database until it may be granted again', async () => {
  let calls = 0
  let nowMs = 0
  const limiter = new RateLimiter({
    takeHits: hits => {
      calls++
      return takeHits(database.sql, hits)
    },
    elapsedMs: () => nowMs,
    timeoutMs: 5_000,
  })
  for (let hit = 0; hit < 3; hit++) await limiter.take('hammer', { perMinute: 2, perDay: null })
  const wait = (await limiter.take('hammer', { perMinute: 2, perDay: null })).refused?.retryAfterSeconds ?? 0
  expect(calls).toBe(3)
  nowMs = 5_000
  const later = await limiter.take('hammer', { perMinute: 2, perDay: null })
  expect(later.refused?.retryAfterSeconds).toBe(wait - 5)
  expect(calls).toBe(3)
  // The refusal under the old limit does not apply to a new grant with a higher one.
  expect((await limiter.take('hammer', { perMinute: 10, perDay: null })).allowed).toBe(true)
})

test('the last second of a wait, which Retry-After rounds up, is left to the database', async () => {
  let calls = 0
  let nowMs = 0
  const two = { perMinute: 2, perDay: null }
  const limiter = new RateLimiter({
    takeHits: async ([hit]) => {
      calls++
      // Two of this minute, at its 40th second: 20 s until it ends, and 30 s until one of the two is out of the window.
      const counted = { subject: hit.subject, minute: 0, used: 2, used_before: 0, used_today: 2, at: 40 }
      return [{ ...counted, granted: calls === 1 ? 0 : 1 }]
    },
    elapsedMs: () => nowMs,
    timeoutMs: 5_000,
  })
  expect((await limiter.take('a', two)).refused).toEqual({ by: 'minute', retryAfterSeconds: 50 })
  nowMs = 48_999
  expect((await limiter.take('a', two)).refused).toEqual({ by: 'minute', retryAfterSeconds: 2 })
  expect(calls).toBe(1)
  nowMs = 49_000
  expect((await limiter.take('a', two)).allowed).toBe(true)
  expect(calls).toBe(2)
})
