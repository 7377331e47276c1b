import { afterAll, describe, expect, test } from 'bun:test'
import { deleteOldCounters, takeHits } from '../../src/limits/queries.ts'
import { verdictOf, verdictOfWhole } from '../../src/limits/verdict.ts'
import { testDatabase } from '../database.ts'

const database = await testDatabase()
const { sql } = database
afterAll(() => database.close(), 60_000)

/** 2026-07-01T00:00:00Z, a whole minute and a whole day. */
const midnight = Date.parse('2026-07-01T00:00:00Z') / 1_000

let counter = 0
function newSubject(perMinute: number, perDay: number | null = null) {
  const subject = `key:${++counter}`
  return async (wanted: number, clock: number) => {
    const [row] = await takeHits(sql, [{ subject, wanted, perMinute, perDay }], clock)
    return row
  }
}

describe('the minute limit', () => {
  test('grants up to the limit and no more, and a refused request does not count', async () => {
    const take = newSubject(60)
    expect((await take(50, midnight)).granted).toBe(50)
    expect((await take(50, midnight + 1)).granted).toBe(10)
    const refused = await take(50, midnight + 2)
    expect(refused.granted).toBe(0)
    expect(refused.used).toBe(60)
  })

  test('slides: in the next minute the part of the previous one that the window covers stays used', async () => {
    const take = newSubject(60)
    await take(60, midnight + 30)
    // Decision: current window plus the weighted previous one. After 15 s, three quarters of 60 still count.
    expect((await take(99, midnight + 60 + 15)).granted).toBe(15)
    // After 30 s: 30 of the previous minute, 15 of this one.
    expect((await take(99, midnight + 60 + 30)).granted).toBe(15)
  })

  test('ignores the minute before the previous one', async () => {
    const take = newSubject(60)
    await take(60, midnight)
    expect((await take(99, midnight + 120)).granted).toBe(60)
  })

  test('counts a burst across the end of a minute', async () => {
    const take = newSubject(60)
    expect((await take(60, midnight + 59.9)).granted).toBe(60)
    expect((await take(60, midnight + 60.1)).granted).toBe(0)
  })

  test('keeps its counts when the clock is set back', async () => {
    const take = newSubject(60)
    await take(40, midnight + 90)
    expect((await take(40, midnight + 30)).granted).toBe(20)
    expect((await take(1, midnight + 20)).granted).toBe(0)
  })
})

describe('the day limit', () => {
  test('resets at 00:00 UTC', async () => {
    const take = newSubject(1_000, 5)
    expect((await take(9, midnight - 1)).granted).toBe(5)
    const refused = await take(1, midnight - 0.5)
    expect(verdictOf(refused, { perMinute: 1_000, perDay: 5 }, false, 0).refused).toEqual({
      by: 'day',
      retryAfterSeconds: 1,
    })
    expect((await take(9, midnight)).granted).toBe(5)
  })
})

test('Retry-After is exact: a request is granted then, and not a second earlier', async () => {
  for (const [perMinute, burst, at] of [
    [60, 60, 0.2],
    [60, 61, 59.5],
    [7, 7, 12.25],
    [1, 1, 30],
    [3000, 3000, 59.999],
  ]) {
    const take = newSubject(perMinute)
    await take(Math.floor(burst / 2), midnight + at)
    await take(burst, midnight + at + 0.001)
    const refused = await take(1, midnight + at + 0.002)
    const verdict = verdictOf(refused, { perMinute, perDay: null }, false, 0)
    const wait = verdict.refused?.retryAfterSeconds ?? Number.NaN
    const early = await take(1, midnight + at + 0.002 + wait - 1)
    expect(early.granted).toBe(0)
    expect((await take(1, midnight + at + 0.002 + wait)).granted).toBe(1)
  }
})

test('Retry-After is also exact after a half-used minute', async () => {
  const take = newSubject(10)
  await take(10, midnight + 50)
  await take(10, midnight + 66)
  const refused = await take(1, midnight + 66)
  expect(refused.granted).toBe(0)
  const wait = verdictOf(refused, { perMinute: 10, perDay: null }, false, 0).refused?.retryAfterSeconds ?? 0
  expect((await take(1, midnight + 66 + wait - 1)).granted).toBe(0)
  expect((await take(1, midnight + 66 + wait)).granted).toBe(1)
})

test('hits of many subjects are counted in one query, each by its own limits', async () => {
  const rows = await takeHits(
    sql,
    [
      { subject: 'z', wanted: 5, perMinute: 3, perDay: null },
      { subject: 'a', wanted: 5, perMinute: 100, perDay: 2 },
      { subject: 'm', wanted: 5, perMinute: 100, perDay: null },
    ],
    midnight,
  )
  expect(rows.map(row => [row.subject, row.granted])).toEqual([
    ['z', 3],
    ['a', 2],
    ['m', 5],
  ])
})

test('parallel calls in different order neither deadlock nor grant too many', async () => {
  const want = (subject: string) => ({ subject, wanted: 1, perMinute: 10, perDay: null })
  const calls = Array.from({ length: 100 }, (_, call) =>
    takeHits(sql, call % 2 ? [want('p'), want('q')] : [want('q'), want('p')], midnight),
  )
  const rows = (await Promise.all(calls)).flat()
  const granted = (subject: string) =>
    rows.filter(row => row.subject === subject).reduce((sum, row) => sum + row.granted, 0)
  expect([granted('p'), granted('q')]).toEqual([10, 10])
})

test('deletes old counters in batches, and none of today', async () => {
  const today = Date.now() / 1_000
  const take = (subject: string, clock: number) =>
    takeHits(sql, [{ subject, wanted: 1, perMinute: 10, perDay: null }], clock)
  for (let age = 0; age < 6; age++) await take(`age:${age}`, today - age * 86_400)
  await sql`delete from limit_counter where subject not like 'age:%'`
  expect(await deleteOldCounters(sql, 3)).toBe(3)
  expect(await deleteOldCounters(sql, 3)).toBe(1)
  const left = await sql<{ subject: string }[]>`select subject from limit_counter order by subject`
  expect(left.map(row => row.subject)).toEqual(['age:0', 'age:1'])
})

describe('hits that are granted all or not at all', () => {
  let next = 0
  function newRows(perMinute: number) {
    const subject = `rows:${++next}`
    return async (wanted: number, clock: number) => {
      const [row] = await takeHits(sql, [{ subject, wanted, whole: true, perMinute, perDay: null }], clock)
      return row
    }
  }

  test('a refused request uses up nothing, and a smaller one is granted', async () => {
    const take = newRows(100_000)
    expect((await take(60_000, midnight)).granted).toBe(60_000)
    const refused = await take(60_000, midnight + 1)
    expect([refused.granted, refused.used]).toEqual([0, 60_000])
    expect((await take(40_000, midnight + 2)).granted).toBe(40_000)
  })

  test('Retry-After is exact: so many are granted then, and not a second earlier', async () => {
    for (const [first, second, at] of [
      [100_000, 1, 10],
      [100_000, 70_000, 59],
      [60_000, 100_000, 30],
    ]) {
      const take = newRows(100_000)
      await take(first, midnight + at)
      const limits = { perMinute: 100_000, perDay: null }
      const verdict = verdictOfWhole(await take(second, midnight + at), limits, second)
      const wait = verdict.refused?.retryAfterSeconds ?? 0
      expect((await take(second, midnight + at + wait - 1)).granted).toBe(0)
      expect((await take(second, midnight + at + wait)).granted).toBe(second)
    }
  })

  test('what is given back can be used again, also when the minute has ended meanwhile', async () => {
    const take = newRows(100)
    await take(80, midnight + 59)
    expect((await take(-80, midnight + 61)).used_before).toBe(0)
    expect((await take(100, midnight + 62)).granted).toBe(100)
    await take(-30, midnight + 63)
    expect((await take(31, midnight + 64)).granted).toBe(0)
    expect((await take(30, midnight + 64)).granted).toBe(30)
    // More than was counted leaves nothing below zero.
    expect((await take(-1_000, midnight + 65)).used).toBe(0)
  })

  test('one query counts several of one subject, each with its own answer in the order of the requests', async () => {
    const want = (subject: string, wanted: number) => ({
      ...{ subject, wanted, whole: true },
      perMinute: 100,
      perDay: null,
    })
    const hits = [want('rows:y', 70), want('rows:x', 10), want('rows:y', 40), want('rows:y', 30)]
    const rows = await takeHits(sql, hits, midnight)
    expect(rows.map(row => [row.subject, row.granted])).toEqual([
      ['rows:y', 70],
      ['rows:x', 10],
      ['rows:y', 0],
      ['rows:y', 30],
    ])
  })

  test('servers of the version before count as they did', async () => {
    const [row] = await sql<{ granted: number }[]>`
      select granted from take_hits(${['old']}::text[], ${[5]}::int[], ${[3]}::int[], ${[null]}::int[], ${midnight}::float8)`
    expect(row.granted).toBe(3)
  })
})
