import type { Counter } from './queries.ts'

export interface Limits {
  readonly perMinute: number
  /** null: no daily cap. */
  readonly perDay: number | null
}

/** Whether a request may go on, and what its headers say. Seconds are whole, and never less than the truth. */
export interface Verdict {
  readonly allowed: boolean
  readonly limits: Limits
  readonly minuteRemaining: number
  /** Until another request is granted (nothing remains) or the minute ends. */
  readonly minuteResetSeconds: number
  /** null where there is no daily cap. */
  readonly dayRemaining: number | null
  readonly dayResetSeconds: number
  /** The database's clock, seconds since 1970. */
  readonly at: number
  /** Set where the request is refused: after so many seconds one is granted. */
  readonly refused: { readonly by: 'minute' | 'day'; readonly retryAfterSeconds: number } | null
}

const minuteSeconds = 60
const daySeconds = 86_400
/** Against 59.999999 where 60 is meant. Far below a microsecond. */
const slack = 1e-7

/** The verdict for the hit that is `later` hits before the last one granted; `granted` false: it was refused. */
export function verdictOf(counter: Counter, limits: Limits, granted: boolean, later: number): Verdict {
  const elapsed = Math.max(0, counter.at - counter.minute * minuteSeconds)
  const weighted = (counter.used_before * (minuteSeconds - elapsed)) / minuteSeconds
  const minuteRoom = Math.max(0, Math.floor(limits.perMinute - counter.used - weighted + slack))
  const dayRoom = limits.perDay === null ? null : Math.max(0, limits.perDay - counter.used_today)
  const waitMinute = secondsUntilGranted(counter, limits.perMinute, elapsed)
  const dayReset = Math.ceil(daySeconds - (counter.at % daySeconds))
  const minuteReset = Math.max(1, Math.ceil(minuteRoom === 0 ? waitMinute : minuteSeconds - elapsed))
  const byDay = dayRoom === 0
  return {
    allowed: granted,
    limits,
    minuteRemaining: minuteRoom + later,
    minuteResetSeconds: minuteReset,
    dayRemaining: dayRoom === null ? null : dayRoom + later,
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

/** How long until the sliding minute leaves room for one more, if nobody else asks. The previous minute fades
 * linearly; once this minute is over, it becomes the previous one and fades in turn. */
function secondsUntilGranted(counter: Counter, perMinute: number, elapsed: number): number {
  const room = perMinute - 1 - counter.used
  if (room >= 0) {
    if (counter.used_before <= room) return 0
    return Math.max(0, minuteSeconds * (1 - room / counter.used_before) - elapsed)
  }
  return minuteSeconds - elapsed + minuteSeconds * (1 - (perMinute - 1) / counter.used)
}
