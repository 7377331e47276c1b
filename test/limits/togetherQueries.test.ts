import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { takeHits } from '../../src/limits/queries.ts'
import { type Budget, giveBack, takeTogether } from '../../src/limits/togetherQueries.ts'
import { connect } from '../../src/postgres/client.ts'
import { testDatabase } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'

const database = await testDatabase()
const { sql } = database
const other = connect({ url: database.url, connections: 4, statementTimeoutMs: 10_000 })
afterAll(async () => {
  await other.end()
  await database.close()
}, 180_000)

/** 2026-07-01T00:00:00Z, a whole minute and a whole day. */
const midnight = Date.parse('2026-07-01T00:00:00Z') / 1_000

const budget = (subject: string, perMinute: number, perDay: number | null = null): Budget => ({
  subject,
  limits: { perMinute, perDay },
})

async function usedOf(subject: string): Promise<number> {
  const [row] = await sql<
    { n: number }[]
  >`select used_today as n from limit_counter where subject = ${subject}`
  return row?.n ?? 0
}

test('a hit that one budget refuses counts at none of them, in whatever order they are passed', async () => {
  const [wide, narrow] = [budget('a-wide', 100), budget('b-narrow', 1)]
  expect(await takeTogether(sql, [wide, narrow], midnight)).toEqual({ granted: true, at: midnight })
  for (const order of [
    [wide, narrow],
    [narrow, wide],
  ]) {
    const refused = await takeTogether(sql, order, midnight + 1)
    expect(refused).toMatchObject({
      granted: false,
      refusals: [{ budget: narrow, refused: { by: 'minute' } }],
    })
  }
  expect([await usedOf('a-wide'), await usedOf('b-narrow')]).toEqual([1, 1])
})

test('all budgets that have nothing left are named, each with its wait', async () => {
  const budgets = [budget('day', 10, 1), budget('free', 10), budget('minute', 1)]
  await takeTogether(sql, budgets, midnight)
  const refused = await takeTogether(sql, budgets, midnight + 30)
  expect(refused).toMatchObject({
    granted: false,
    refusals: [
      { budget: budgets[0], refused: { by: 'day', retryAfterSeconds: 86_370 } },
      { budget: budgets[2], refused: { by: 'minute', retryAfterSeconds: 90 } },
    ],
  })
})

test('it counts on the counters of single hits, so that both see each other', async () => {
  await takeHits(sql, [{ subject: 'both', wanted: 4, perMinute: 5, perDay: null }], midnight)
  expect((await takeTogether(sql, [budget('both', 5)], midnight + 1)).granted).toBe(true)
  expect((await takeTogether(sql, [budget('both', 5)], midnight + 2)).granted).toBe(false)
  const [row] = await takeHits(
    sql,
    [{ subject: 'both', wanted: 3, perMinute: 7, perDay: null }],
    midnight + 3,
  )
  expect([row.granted, row.used]).toEqual([2, 7])
})

test('random budgets, many requests at once on two servers: each budget has counted exactly the granted ones', async () => {
  let run = 0
  const shape = fc.record({
    limits: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 5 }),
    requests: fc.array(fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 4 }), {
      minLength: 5,
      maxLength: 40,
    }),
  })
  await fc.assert(
    fc.asyncProperty(shape, async ({ limits, requests }) => {
      run++
      const all = limits.map((perMinute, n) => budget(`run${run}:${n}`, perMinute, 10))
      const wanted = requests.map(numbers => [...new Set(numbers.map(n => all[n % all.length]))])
      const results = await Promise.all(
        wanted.map((budgets, n) => takeTogether(n % 2 === 0 ? sql : other, budgets, midnight)),
      )
      const granted = all.map(
        one => wanted.filter((budgets, n) => results[n].granted && budgets.includes(one)).length,
      )
      expect(await Promise.all(all.map(({ subject }) => usedOf(subject)))).toEqual(granted)
      for (const [
        n,
        {
          limits: { perMinute },
        },
      ] of nonEmpty(all.entries()))
        expect(granted[n]).toBeLessThanOrEqual(Math.min(10, perMinute))
      // A refused request had an empty budget: none was refused because another was counted and taken back.
      for (const [n, result] of nonEmpty(results.entries())) {
        if (result.granted) continue
        const isEmpty = (one: Budget) => granted[all.indexOf(one)] === Math.min(10, one.limits.perMinute)
        expect(wanted[n].some(isEmpty)).toBe(true)
      }
    }),
    { numRuns: 40 },
  )
}, 180_000)

test('what is given back can be taken again: in its minute, in the next one and later that day', async () => {
  const of = (subject: string) => [budget(subject, 2, 3)]
  for (const later of [1, 61, 3_600]) {
    const subject = `back${later}`
    await takeTogether(sql, of(subject), midnight)
    const taken = await takeTogether(sql, of(subject), midnight + 0.5)
    if (!taken.granted) throw new Error('two were to be granted')
    // A later hit moves the counter to its own minute.
    if (later > 1) await takeTogether(sql, of(subject), midnight + later)
    const before = await usedOf(subject)
    await giveBack(sql, [subject], taken.at)
    expect([later, await usedOf(subject)]).toEqual([later, before - 1])
    expect((await takeTogether(sql, of(subject), midnight + later + 40)).granted).toBe(true)
  }
})

test('a hit of yesterday gives nothing back today', async () => {
  const one = [budget('yesterday', 5, 5)]
  await takeTogether(sql, one, midnight - 1)
  await takeTogether(sql, one, midnight + 200)
  await giveBack(sql, ['yesterday'], midnight - 1)
  expect(await usedOf('yesterday')).toBe(1)
})
