import { Failure } from '../errors.ts'
import type { Counter, WantedHits } from './queries.ts'
import { type Limits, type Verdict, verdictOf } from './verdict.ts'

export interface LimitGateDeps {
  /** One statement that counts all of them, exactly, whoever else counts. */
  readonly takeHits: (hits: readonly WantedHits[]) => Promise<Counter[]>
  /** Milliseconds that only grow (performance.now). */
  readonly elapsedMs: () => number
  /** A database that does not answer within this time counts as away. */
  readonly timeoutMs: number
}

/** The hits of one subject that one call counts. They share one promise: thousands a second wait on it. */
interface Group {
  readonly limits: Limits
  readonly counted: Promise<Counter>
  readonly resolve: (counter: Counter) => void
  readonly reject: (failure: Failure) => void
  wanted: number
}

type Batch = Map<string, Group>

const mostWaiting = 20_000
const mostSubjects = 1_000

/** Where every request of a server passes to be counted. Counters live in the database, shared by all servers;
 * to ask it once for each request would cost more than the request. So whoever arrives while the database counts
 * waits for the next call, which then counts all of them: one call under way, one gathering, nobody is granted
 * what the database has not counted. */
export class LimitGate {
  readonly #deps: LimitGateDeps
  readonly #refused = new RefusedSubjects()
  #gathering: Batch = new Map()
  #underWay: Batch | null = null
  #waiting = 0
  /** The call under way has outlived its time: the database is away until it ends. */
  #stalled = false

  constructor(deps: LimitGateDeps) {
    this.#deps = deps
  }

  /** Counts one request of `subject`. Never granted without the database: `database_unavailable` instead. */
  async take(subject: string, limits: Limits): Promise<Verdict> {
    const refused = this.#refused.find(subject, limits, this.#deps.elapsedMs())
    if (refused !== null) return refused
    const group = this.#join(subject, limits)
    const place = group.wanted++
    const counter = await group.counted
    const granted = place < counter.granted
    return verdictOf(counter, group.limits, granted, granted ? counter.granted - 1 - place : 0)
  }

  /** Whether `take` would refuse without asking: lets costly work be skipped for who is refused anyway. */
  isRefused(subject: string, limits: Limits): boolean {
    return this.#refused.find(subject, limits, this.#deps.elapsedMs()) !== null
  }

  #join(subject: string, limits: Limits): Group {
    if (this.#stalled) throw databaseAway()
    if (this.#waiting >= mostWaiting || this.#gathering.size >= mostSubjects) throw tooMany()
    this.#waiting++
    const known = this.#gathering.get(subject)
    if (known !== undefined) return known
    const { promise: counted, resolve, reject } = Promise.withResolvers<Counter>()
    const group = { limits, counted, resolve, reject, wanted: 0 }
    this.#gathering.set(subject, group)
    if (this.#underWay === null && this.#waiting === 1) queueMicrotask(() => this.#flush())
    return group
  }

  #flush(): void {
    if (this.#underWay !== null || this.#gathering.size === 0) return
    const batch = this.#gathering
    this.#underWay = batch
    this.#gathering = new Map()
    this.#waiting = 0
    const hits: WantedHits[] = []
    for (const [subject, { wanted, limits }] of batch) hits.push({ subject, wanted, ...limits })
    const timer = setTimeout(() => this.#giveUp(batch), this.#deps.timeoutMs)
    this.#deps
      .takeHits(hits)
      .then(
        counters => this.#settle(batch, counters),
        cause => rejectAll(batch, databaseAway(cause)),
      )
      .finally(() => {
        clearTimeout(timer)
        this.#underWay = null
        this.#stalled = false
        this.#flush()
      })
  }

  #settle(batch: Batch, counters: readonly Counter[]): void {
    for (const counter of counters) {
      const group = batch.get(counter.subject)
      if (group === undefined) continue
      if (counter.granted < group.wanted) {
        const verdict = verdictOf(counter, group.limits, false, 0)
        this.#refused.remember(counter.subject, verdict, this.#deps.elapsedMs())
      }
      group.resolve(counter)
    }
    if (counters.length < batch.size) rejectAll(batch, databaseAway())
  }

  #giveUp(batch: Batch): void {
    this.#stalled = true
    rejectAll(batch, databaseAway())
    rejectAll(this.#gathering, databaseAway())
    this.#gathering = new Map()
    this.#waiting = 0
  }
}

/** Promises that are settled already stay as they are. */
function rejectAll(batch: Batch, failure: Failure): void {
  for (const { reject } of batch.values()) reject(failure)
}

function databaseAway(cause?: unknown): Failure {
  return new Failure(
    'database_unavailable',
    'The database does not answer right now. Try again in a moment.',
    { retryAfterSeconds: 2, cause },
  )
}

function tooMany(): Failure {
  return new Failure(
    'compute_busy',
    'More requests are waiting than this server can count. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

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
