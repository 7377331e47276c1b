import type { Limits, Verdict } from './verdict.ts'

interface Entry {
  readonly verdict: Verdict
  readonly seenMs: number
  readonly untilMs: number
}

const most = 10_000

/** Remembers who was refused and until when. Counters only grow before that moment, so the answer is known
 * without the database, and a client that hammers costs next to nothing. */
export class RefusedSubjects {
  readonly #entries = new Map<string, Entry>()

  remember(subject: string, verdict: Verdict, nowMs: number): void {
    if (verdict.refused === null) return
    if (this.#entries.size >= most) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#entries.delete(oldest.value)
    }
    // Whole seconds round up, so one is left off: the last second is the database's to judge.
    const untilMs = nowMs + (verdict.refused.retryAfterSeconds - 1) * 1_000
    this.#entries.set(subject, { verdict, seenMs: nowMs, untilMs })
  }

  /** The verdict as of now, null where the database has to be asked. Other limits (a new grant) are another matter. */
  find(subject: string, limits: Limits, nowMs: number): Verdict | null {
    if (this.#entries.size === 0) return null
    const entry = this.#entries.get(subject)
    if (entry === undefined) return null
    const { verdict } = entry
    const sameLimits =
      verdict.limits.perMinute === limits.perMinute && verdict.limits.perDay === limits.perDay
    if (nowMs < entry.untilMs && sameLimits) return later(verdict, (nowMs - entry.seenMs) / 1_000)
    this.#entries.delete(subject)
    return null
  }
}

/** Whole seconds that have passed come off; a part of one does not, so no promise is made too early. */
function later(verdict: Verdict, seconds: number): Verdict {
  const passed = Math.floor(seconds)
  if (passed === 0 || verdict.refused === null) return verdict
  const rest = (reset: number) => Math.max(1, reset - passed)
  return {
    ...verdict,
    minuteResetSeconds: rest(verdict.minuteResetSeconds),
    dayResetSeconds: rest(verdict.dayResetSeconds),
    at: verdict.at + passed,
    refused: { ...verdict.refused, retryAfterSeconds: rest(verdict.refused.retryAfterSeconds) },
  }
}
