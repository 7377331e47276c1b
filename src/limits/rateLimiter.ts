import { LRUCache } from 'lru-cache'
import { Failure } from '../errors.ts'
import type { HitCounter, HitRequest } from './queries.ts'
import { type Limits, type Verdict, verdictOf, verdictOfWhole } from './verdict.ts'

interface RateLimiterDeps {
  /** Counts all these hits in one query, which stays exact when other servers count at the same time. A
   * Failure that it throws reaches the client if it is `database_unavailable`. */
  readonly takeHits: (hits: readonly HitRequest[]) => Promise<HitCounter[]>
  /** A monotonic clock in milliseconds (performance.now). */
  readonly elapsedMs: () => number
  /** The database counts as unavailable if it does not respond within this time. */
  readonly timeoutMs: number
}

/** The hits of one subject within a batch. They share one promise, because thousands per second wait for
 * it. */
interface HitGroup {
  readonly limits: Limits
  readonly counted: Promise<HitCounter>
  readonly resolve: (counter: HitCounter) => void
  readonly reject: (failure: Failure) => void
  wanted: number
}

/** Hits of one request that are granted all or none; negative hits are given back. */
interface WholeHits extends Omit<HitGroup, 'wanted'> {
  readonly subject: string
  readonly wanted: number
}

/** The hits that one query counts. */
interface Batch {
  readonly groups: Map<string, HitGroup>
  readonly wholes: WholeHits[]
}

const emptyBatch = (): Batch => ({ groups: new Map(), wholes: [] })
const sizeOf = ({ groups, wholes }: Batch) => groups.size + wholes.length

const maxWaiting = 20_000
const maxSubjects = 1_000

/** Counts every request of this server against its limits; `rights/licences.ts` says what a key's limits are, and
 * `take_hits` (sql/migrations/0034_whole_hits.sql) which requests they allow. All servers share the counters in the database,
 * and a query per request would cost more than the request itself. So requests that arrive while a query
 * runs are gathered, and the next query counts them all. At most one batch is in flight and one is
 * gathering. No request is granted before the database has counted it. */
export class RateLimiter {
  readonly #deps: RateLimiterDeps
  readonly #refusals = new RefusalCache()
  #gathering = emptyBatch()
  #inFlight: Batch | null = null
  #waiting = 0
  /** The batch in flight has timed out. Requests fail immediately until its query ends. */
  #stalled = false

  constructor(deps: RateLimiterDeps) {
    this.#deps = deps
  }

  /** Counts one request of `subject`. Grants nothing without the database: throws `database_unavailable`. */
  async take(subject: string, limits: Limits): Promise<Verdict> {
    const refused = this.#refusals.find(subject, limits, this.#deps.elapsedMs())
    if (refused !== null) return refused
    const group = this.#join(subject, limits)
    const index = group.wanted++
    const counter = await group.counted
    const granted = index < counter.granted
    return verdictOf(counter, group.limits, granted, granted ? counter.granted - 1 - index : 0)
  }

  /** Counts several hits of one request, all or none.
   *
   * @param limits without a daily limit
   * @param wanted at most the minute limit */
  async takeWhole(subject: string, limits: Limits, wanted: number): Promise<Verdict> {
    return verdictOfWhole(await this.#count(subject, limits, wanted), limits, wanted)
  }

  /** Gives back hits that `takeWhole` has counted. */
  async giveBack(subject: string, limits: Limits, count: number): Promise<void> {
    await this.#count(subject, limits, -count)
  }

  /** What `subject` has left, without counting anything. */
  async peek(subject: string, limits: Limits): Promise<{ verdict: Verdict; usedToday: number }> {
    const group = this.#join(subject, limits)
    const counter = await group.counted
    return { verdict: verdictOf(counter, group.limits, true, 0), usedToday: counter.used_today }
  }

  /** True if `take` would refuse without a query. Lets a caller skip expensive work for a request that will
   * be refused anyway. */
  isRefused(subject: string, limits: Limits): boolean {
    return this.#refusals.find(subject, limits, this.#deps.elapsedMs()) !== null
  }

  #join(subject: string, limits: Limits): HitGroup {
    this.#requireRoom()
    const existing = this.#gathering.groups.get(subject)
    if (existing !== undefined) return existing
    const { promise: counted, resolve, reject } = Promise.withResolvers<HitCounter>()
    const group = { limits, counted, resolve, reject, wanted: 0 }
    this.#gathering.groups.set(subject, group)
    this.#flushSoon()
    return group
  }

  #count(subject: string, limits: Limits, wanted: number): Promise<HitCounter> {
    this.#requireRoom()
    const { promise: counted, resolve, reject } = Promise.withResolvers<HitCounter>()
    this.#gathering.wholes.push({ subject, limits, counted, resolve, reject, wanted })
    this.#flushSoon()
    return counted
  }

  #requireRoom(): void {
    if (this.#stalled) throw databaseUnavailable()
    if (this.#waiting >= maxWaiting || sizeOf(this.#gathering) >= maxSubjects) throw tooManyWaiting()
    this.#waiting++
  }

  #flushSoon(): void {
    if (this.#inFlight === null && this.#waiting === 1) queueMicrotask(() => this.#flush())
  }

  #flush(): void {
    if (this.#inFlight !== null || sizeOf(this.#gathering) === 0) return
    const batch = this.#gathering
    this.#inFlight = batch
    this.#gathering = emptyBatch()
    this.#waiting = 0
    const hits: HitRequest[] = []
    for (const [subject, { wanted, limits }] of batch.groups) hits.push({ subject, wanted, ...limits })
    for (const { subject, wanted, limits } of batch.wholes)
      hits.push({ subject, wanted, whole: true, ...limits })
    const timer = setTimeout(() => this.#abandon(batch), this.#deps.timeoutMs)
    this.#deps
      .takeHits(hits)
      .then(
        counters => this.#settle(batch, counters),
        cause => rejectAll(batch, databaseUnavailable(cause)),
      )
      .finally(() => {
        clearTimeout(timer)
        this.#inFlight = null
        this.#stalled = false
        this.#flush()
      })
  }

  #settle(batch: Batch, counters: readonly HitCounter[]): void {
    const groups = [...batch.groups.values()]
    for (const [index, counter] of counters.entries()) {
      const group = groups[index]
      if (group === undefined) {
        batch.wholes[index - groups.length]?.resolve(counter)
        continue
      }
      if (counter.granted < group.wanted) {
        const verdict = verdictOf(counter, group.limits, false, 0)
        this.#refusals.store(counter.subject, verdict, this.#deps.elapsedMs())
      }
      group.resolve(counter)
    }
    if (counters.length < sizeOf(batch)) rejectAll(batch, databaseUnavailable())
  }

  #abandon(batch: Batch): void {
    this.#stalled = true
    rejectAll(batch, databaseUnavailable())
    rejectAll(this.#gathering, databaseUnavailable())
    this.#gathering = emptyBatch()
    this.#waiting = 0
  }
}

/** Rejects the groups that are still pending; a promise that is already settled does not change. */
function rejectAll({ groups, wholes }: Batch, failure: Failure): void {
  for (const { reject } of groups.values()) reject(failure)
  for (const { reject } of wholes) reject(failure)
}

/** Wraps the cause, unless it is already such a failure: one caused by a full disk says when to retry. */
function databaseUnavailable(cause?: unknown): Failure {
  if (cause instanceof Failure && cause.code === 'database_unavailable') return cause
  return new Failure(
    'database_unavailable',
    'The database does not respond at the moment. Try again in a few seconds.',
    { retryAfterSeconds: 2, cause },
  )
}

function tooManyWaiting(): Failure {
  return new Failure(
    'compute_busy',
    'Too many requests are waiting to be counted on this server. Try again in a second.',
    { retryAfterSeconds: 1 },
  )
}

interface Refusal {
  readonly verdict: Verdict
  readonly seenMs: number
  readonly untilMs: number
}

const maxRefusals = 10_000

/** Remembers refused subjects until they may be granted again. Until then a counter can only grow, so the
 * verdict is known without the database, and a client that keeps sending costs next to nothing. */
class RefusalCache {
  readonly #refusals = new LRUCache<string, Refusal>({ max: maxRefusals })

  store(subject: string, verdict: Verdict, nowMs: number): void {
    if (verdict.refused === null) return
    // Retry-After is rounded up to whole seconds. Subtracting one lets a request in the last second reach the
    // database.
    const untilMs = nowMs + (verdict.refused.retryAfterSeconds - 1) * 1_000
    this.#refusals.set(subject, { verdict, seenMs: nowMs, untilMs })
  }

  /** The refusal as of now; null if only the database can decide. A refusal under different limits (before a
   * new grant) is ignored. */
  find(subject: string, limits: Limits, nowMs: number): Verdict | null {
    if (this.#refusals.size === 0) return null
    const refusal = this.#refusals.get(subject)
    if (refusal === undefined) return null
    const { verdict } = refusal
    const sameLimits =
      verdict.limits.perMinute === limits.perMinute && verdict.limits.perDay === limits.perDay
    if (nowMs < refusal.untilMs && sameLimits) return advance(verdict, (nowMs - refusal.seenMs) / 1_000)
    this.#refusals.delete(subject)
    return null
  }
}

/** The refusal some seconds later. Subtracts only whole seconds: a wait that is too short would end in
 * another refusal. */
function advance(verdict: Verdict, seconds: number): Verdict {
  const passed = Math.floor(seconds)
  if (passed === 0 || verdict.refused === null) return verdict
  const remaining = (resetSeconds: number) => Math.max(1, resetSeconds - passed)
  return {
    ...verdict,
    minuteResetSeconds: remaining(verdict.minuteResetSeconds),
    dayResetSeconds: remaining(verdict.dayResetSeconds),
    at: verdict.at + passed,
    refused: {
      ...verdict.refused,
      retryAfterSeconds: remaining(verdict.refused.retryAfterSeconds),
    },
  }
}
