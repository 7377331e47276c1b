import type { HitCounter } from './queries.ts'

export interface Limits {
  readonly perMinute: number
  /** null: no daily cap. */
  readonly perDay: number | null
}

/** Whether a request is granted, and the values of its rate limit headers. Seconds are rounded up. */
export interface Verdict {
  readonly allowed: boolean
  readonly limits: Limits
  readonly minuteRemaining: number
  /** Until the next request is granted if none remains, else until the minute ends. */
  readonly minuteResetSeconds: number
  /** null: no daily cap. */
  readonly dayRemaining: number | null
  readonly dayResetSeconds: number
  /** Clock of the database, seconds since 1970. */
  readonly at: number
  /** Set if the request is refused. After `retryAfterSeconds` the next one is granted. */
  readonly refused: { readonly by: 'minute' | 'day'; readonly retryAfterSeconds: number } | null
}

const minuteSeconds = 60
const daySeconds = 86_400
/** Prevents that rounding errors turn 60 into 59.999999 and then 59. Far below a microsecond. */
const roundingSlack = 1e-7

/** The verdict on one hit of a batch.
 *
 * @param grantedAfter hits of the batch that were granted after this one: they still remained when it was counted */
export function verdictOf(
  counter: HitCounter,
  limits: Limits,
  granted: boolean,
  grantedAfter: number,
): Verdict {
  const elapsed = Math.max(0, counter.at - counter.minute * minuteSeconds)
  const weighted = (counter.used_before * (minuteSeconds - elapsed)) / minuteSeconds
  const minuteLeft = Math.max(0, Math.floor(limits.perMinute - counter.used - weighted + roundingSlack))
  const dayLeft = limits.perDay === null ? null : Math.max(0, limits.perDay - counter.used_today)
  const waitMinute = secondsUntilGranted(counter, limits.perMinute, elapsed)
  const dayReset = Math.ceil(daySeconds - (counter.at % daySeconds))
  const minuteReset = Math.max(1, Math.ceil(minuteLeft === 0 ? waitMinute : minuteSeconds - elapsed))
  const byDay = dayLeft === 0
  return {
    allowed: granted,
    limits,
    minuteRemaining: minuteLeft + grantedAfter,
    minuteResetSeconds: minuteReset,
    dayRemaining: dayLeft === null ? null : dayLeft + grantedAfter,
    dayResetSeconds: dayReset,
    at: counter.at,
    refused: granted
      ? null
      : {
          by: byDay ? 'day' : 'minute',
          retryAfterSeconds: byDay ? Math.max(dayReset, minuteReset) : minuteReset,
        },
  }
}

/** The verdict on hits that are granted all or not at all.
 *
 * @param wanted at most as many as a minute has */
export function verdictOfWhole(counter: HitCounter, { perMinute }: Limits, wanted: number): Verdict {
  const limits = { perMinute, perDay: null }
  const verdict = verdictOf(counter, limits, true, 0)
  if (counter.granted === wanted) return verdict
  const elapsed = Math.max(0, counter.at - counter.minute * minuteSeconds)
  const waitSeconds = Math.max(1, Math.ceil(secondsUntilGranted(counter, perMinute, elapsed, wanted)))
  return { ...verdict, allowed: false, refused: { by: 'minute', retryAfterSeconds: waitSeconds } }
}

/** Seconds until the sliding window admits so many more hits, if no others arrive. The weight of the previous minute decreases
 * linearly. When the current minute ends, it becomes the previous one. */
function secondsUntilGranted(counter: HitCounter, perMinute: number, elapsed: number, wanted = 1): number {
  const room = perMinute - wanted - counter.used
  if (room >= 0) {
    if (counter.used_before <= room) return 0
    return Math.max(0, minuteSeconds * (1 - room / counter.used_before) - elapsed)
  }
  return minuteSeconds - elapsed + minuteSeconds * (1 - (perMinute - wanted) / counter.used)
}
