import { expect, test } from 'bun:test'
import { verdictOf } from '../../src/limits/decision.ts'

const day = 20_000 * 86_400
/** A counter of which a minute began ten seconds before midnight. */
const counter = {
  subject: 'key:1',
  granted: 0,
  minute: day / 60 - 1,
  used: 0,
  used_before: 0,
  used_today: 0,
  at: day - 10,
}

test('a minute that is used up refuses, and not the day that still has requests', () => {
  const used = { ...counter, used: 64, used_today: 64 }
  // 50 s of the minute are over. In ten the window still has all 64, and drops one of them in 60 s / 64.
  expect(verdictOf(used, { perMinute: 64, perDay: 1_000 }, false, 0)).toMatchObject({
    dayRemaining: 936,
    refused: { by: 'minute', retryAfterSeconds: 11 },
  })
})

test('where minute and day are used up the later of both ends is waited for', () => {
  const used = { ...counter, used: 64, used_today: 1_000 }
  const limits = { perMinute: 64, perDay: 1_000 }
  // Midnight is in 10 s, the minute has room in 10.94 s.
  expect(verdictOf(used, limits, false, 0)).toMatchObject({
    dayResetSeconds: 10,
    refused: { by: 'day', retryAfterSeconds: 11 },
  })
  const earlier = { ...used, minute: counter.minute - 60, at: counter.at - 3_600 }
  expect(verdictOf(earlier, limits, false, 0).refused).toEqual({ by: 'day', retryAfterSeconds: 3_610 })
})
