import type { Registry } from 'prom-client'
import type { ErrorCode } from '../errors.ts'
import { exposeCounter, exposeHistogram, type Observed, type Reading } from './expose.ts'

/** Upper bounds in seconds. A cached response takes a tenth of a millisecond, a backtest takes seconds. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const boundsMs = bounds.map(seconds => seconds * 1_000)
const buckets = bounds.length + 1

/** Statuses from 100 to 599. */
const statuses = 500
const classes = 5

/** Routes are templates, so there are only about 120. If a defect counted what clients send instead, this
 * keeps it from filling Prometheus's memory. */
const maxRoutes = 500
const otherRoutes = 'other'

interface RouteCounts {
  readonly byStatus: Float64Array
  /** Indexed by status class, then by bucket. */
  readonly inBuckets: Float64Array
  readonly sumMs: Float64Array
}

/** The limit behind a rejection, by its error code. */
const limitOf: ReadonlyMap<ErrorCode, string> = new Map([
  ['rate_limited_minute', 'minute'],
  ['rate_limited_day', 'day'],
  ['entity_cap_reached', 'companies'],
  ['compute_busy', 'queue'],
])

/** Counts requests. A request costs one lookup of its route and three additions; labels are created at a
 * scrape. */
export class RequestCounts {
  readonly #routes = new Map<string, RouteCounts>()
  readonly #errors = new Map<ErrorCode, number>()
  /** Connections that were closed because their client, or all clients together, had too many. */
  closedConnections = 0
  #fromUnlistedProxies = 0

  countRequest(route: string, status: number, ms: number): void {
    const counts = this.#routes.get(route) ?? this.#add(route)
    counts.byStatus[status - 100]++
    const place = Math.floor(status / 100) - 1
    let bucket = 0
    while (bucket < boundsMs.length && ms > boundsMs[bucket]) bucket++
    counts.inBuckets[place * buckets + bucket]++
    counts.sumMs[place] += ms
  }

  countError(code: ErrorCode): void {
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1)
  }

  countUnlistedProxy(): void {
    this.#fromUnlistedProxies++
  }

  get fromUnlistedProxies(): number {
    return this.#fromUnlistedProxies
  }

  *byStatus(): Generator<Reading> {
    for (const [route, { byStatus }] of this.#routes)
      for (const [index, value] of byStatus.entries())
        if (value > 0) yield { labels: { route, status: String(index + 100) }, value }
  }

  *inSeconds(): Generator<Observed> {
    for (const [route, { inBuckets, sumMs }] of this.#routes)
      for (let place = 0; place < classes; place++) {
        const counts = inBuckets.subarray(place * buckets, (place + 1) * buckets)
        if (counts.some(count => count > 0))
          yield { labels: { route, status: `${place + 1}xx` }, counts, sum: sumMs[place] / 1_000 }
      }
  }

  /** Includes limits that have not rejected anything yet: an alert on a series that only appears with its
   * first rejection would miss that rejection. */
  *refused(): Generator<Reading> {
    for (const [code, limit] of limitOf) yield { labels: { limit }, value: this.#errors.get(code) ?? 0 }
    yield { labels: { limit: 'connections' }, value: this.closedConnections }
  }

  *byError(): Generator<Reading> {
    for (const [code, value] of this.#errors) yield { labels: { code }, value }
  }

  #add(route: string): RouteCounts {
    if (this.#routes.size >= maxRoutes && route !== otherRoutes)
      return this.#routes.get(otherRoutes) ?? this.#add(otherRoutes)
    const counts = {
      byStatus: new Float64Array(statuses),
      inBuckets: new Float64Array(classes * buckets),
      sumMs: new Float64Array(classes),
    }
    this.#routes.set(route, counts)
    return counts
  }
}

export function exposeRequests(registry: Registry, counts: RequestCounts): void {
  exposeCounter(
    registry,
    {
      name: 'asfiled_requests_total',
      help: 'Requests, by route and status. 499: the client was gone before its answer.',
      labelNames: ['route', 'status'],
    },
    () => counts.byStatus(),
  )
  exposeHistogram(
    registry,
    {
      name: 'asfiled_request_duration_seconds',
      help: 'Time from the headers of a request to the headers of its response, by route and class of status. The body of a streamed response may follow.',
      labelNames: ['route', 'status'],
    },
    bounds,
    () => counts.inSeconds(),
  )
  exposeCounter(
    registry,
    {
      name: 'asfiled_errors_total',
      help: 'Requests that failed, by the code of their error.',
      labelNames: ['code'],
    },
    () => counts.byError(),
  )
  exposeCounter(
    registry,
    {
      name: 'asfiled_refused_total',
      help: 'Requests and connections that limits refused, by limit.',
      labelNames: ['limit'],
    },
    () => counts.refused(),
  )
  exposeCounter(
    registry,
    {
      name: 'asfiled_unlisted_proxy_requests_total',
      help: 'Requests with X-Forwarded-For from an address outside TRUSTED_PROXIES.',
    },
    () => [{ value: counts.fromUnlistedProxies }],
  )
}
