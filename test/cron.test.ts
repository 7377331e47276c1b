import { describe, expect, test } from 'bun:test'
import { Cron } from 'croner'
import { parseCronItem } from 'graphile-worker'
import { matchesCron, nextTime, readCron, readSchedule } from '../src/cron.ts'

const cronOf = (text: string) => {
  const cron = readCron(text)
  if (cron instanceof Cron) return cron
  throw new Error(cron.join())
}
const instantOf = (ms: number) => {
  const at = new Date(ms)
  return {
    min: at.getUTCMinutes(),
    hour: at.getUTCHours(),
    date: at.getUTCDate(),
    month: at.getUTCMonth() + 1,
    dow: at.getUTCDay(),
  }
}
const next = (text: string, after: string) =>
  new Date(nextTime(cronOf(text), Date.parse(after))).toISOString().slice(0, 16)

test('the next time is the first minute of the schedule after an instant, in UTC', () => {
  expect(next('15 6 * * *', '2026-11-22T06:14:59.999Z')).toBe('2026-11-22T06:15')
  expect(next('15 6 * * *', '2026-11-22T06:15:00Z')).toBe('2026-11-23T06:15')
  // 2026-11-22 is a Sunday.
  expect(next('30 9 * * 1-5', '2026-11-20T10:00:00Z')).toBe('2026-11-23T09:30')
  expect(next('0 0 29 2 *', '2026-11-22T00:00:00Z')).toBe('2028-02-29T00:00')
  expect(next('0 0 29 2 *', '2096-03-01T00:00:00Z')).toBe('2104-02-29T00:00')
  // If both a day of the month and a day of the week are given, either one is enough.
  expect(next('0 12 1 * 7', '2026-11-23T00:00:00Z')).toBe('2026-11-29T12:00')
  expect(next('0 12 1 * 7', '2026-11-30T00:00:00Z')).toBe('2026-12-01T12:00')
})

test('a day is one of either field when both are restricted, and a "*" in any form restricts nothing', () => {
  // 2026-11-23 is a Monday.
  for (const days of ['*', '*/1', '*,5'])
    expect([days, next(`0 12 ${days} * 3`, '2026-11-23T00:00:00Z')]).toEqual([days, '2026-11-25T12:00'])
  expect(next('0 12 */2 * 3', '2026-11-23T00:00:00Z')).toBe('2026-11-23T12:00')
  expect(next('0 12 24-30/3 * *', '2026-11-25T00:00:00Z')).toBe('2026-11-27T12:00')
  expect(next('50/4 * * * *', '2026-11-23T00:50:00Z')).toBe('2026-11-23T00:54')
  // 2 and 7: Tuesday and Sunday.
  expect(next('0 12 * * 2/5', '2026-11-24T12:00:00Z')).toBe('2026-11-29T12:00')
  expect(next('0 12 * * 7/1', '2026-11-24T12:00:00Z')).toBe('2026-11-29T12:00')
})

test('every schedule has the times that the queue gives it', () => {
  const random = seeded(20_261_122)
  const field = (min: number, max: number) => {
    const one = () => min + Math.floor(random() * (max - min + 1))
    const kind = Math.floor(random() * 5)
    if (kind < 2) return '*'
    if (kind === 2) return `*/${1 + Math.floor(random() * max)}`
    if (kind === 3) return [...new Set([one(), one(), one()])].join(',')
    const from = min + 1 + Math.floor(random() * (max - min - 1))
    // From the second value: the queue reads a range of all values as "*", where POSIX has any day that either field names.
    return `${from}-${from + 1 + Math.floor(random() * (max - from))}`
  }
  for (let round = 0; round < 300; round++) {
    const text = [field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6)].join(' ')
    const queue = parseCronItem({ task: 'a', match: text })
    const cron = cronOf(text)
    for (let instant = 0; instant < 50; instant++) {
      const at = instantOf(Math.floor(random() * 2e12))
      expect([text, at, matchesCron(cron, at)]).toEqual([text, at, queue.match(at)])
    }
    const found = nextTime(cron, Math.floor(random() * 2e12))
    expect([text, queue.match(instantOf(found))]).toEqual([text, true])
  }
})

describe('a schedule', () => {
  test('is read by market', () => {
    const { schedule, faults } = readSchedule(' us=15 6 * * *;JP = 30 9 * * 1-5 ; ')
    expect(faults).toEqual([])
    expect(schedule.map(({ market, cron }) => [market, cron.getPattern()])).toEqual([
      ['US', '15 6 * * *'],
      ['JP', '30 9 * * 1-5'],
    ])
    expect(readSchedule('')).toEqual({ schedule: [], faults: [] })
  })

  test('has all its faults named at once, in words', () => {
    const { faults } = readSchedule(
      'us=15 25 * * *; us=60 6 */0 13 8; jp=daily; 6 * * *; kr=1 1 1 1 1; kr=1 1 1 1 1; tw=0 0 31 2,4 *; nz=5-1 * * * mon',
    )
    expect(faults).toEqual([
      'for us: its hour is 25. Write *, a number from 0 to 23, a range like 1-5, a step like */15, or several with commas',
      'for us: its minute is 60. Write *, a number from 0 to 59, a range like 1-5, a step like */15, or several with commas',
      'for us: its day of the month is */0. Write *, a number from 1 to 31, a range like 1-5, a step like */15, or several with commas',
      'for us: its month is 13. Write *, a number from 1 to 12, a range like 1-5, a step like */15, or several with commas',
      'for us: its day of the week is 8. Write *, a number from 0 to 7, a range like 1-5, a step like */15, or several with commas',
      'for jp: it has one field. Write five: minute, hour, day of the month, month, day of the week (15 6 * * *)',
      'has "6 * * *", which is not a market with its times. Write us=15 6 * * *; jp=30 9 * * 1-5',
      'has kr twice. Write it once',
      'for tw: no month of it has a day 31',
      'for nz: its minute is 5-1. Write *, a number from 0 to 59, a range like 1-5, a step like */15, or several with commas',
      'for nz: its day of the week is mon. Write *, a number from 0 to 7, a range like 1-5, a step like */15, or several with commas',
    ])
  })
})

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
