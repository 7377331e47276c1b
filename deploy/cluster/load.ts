import { type Judge, utcDay } from './judge.ts'
import type { LoadRequest } from './requests.ts'

interface LoadOptions {
  readonly address: string
  readonly key: string
  readonly clients: number
  /** The pause between two requests of a client. */
  readonly pauseMs: number
  readonly next: () => LoadRequest
  readonly judge: Judge
}

/** What happened to the requests since the last `cut`. */
export interface Span {
  readonly name: string
  readonly seconds: number
  readonly requests: number
  /** Responses with 503 and Retry-After, which routes that need a key send while there is no primary. */
  readonly refused: number
  readonly failures: Readonly<Record<string, number>>
  /** The longest time in which no request succeeded. */
  readonly longestGapMs: number
  /** The 99th percentile of response times. */
  readonly p99Ms: number
}

const requestTimeoutMs = 30_000
const maxTimes = 50_000

/** Clients that send random requests until they are stopped. */
export class Load {
  readonly spans: Span[] = []
  readonly kinds = new Map<string, number>()
  readonly examples: string[] = []
  readonly #options: LoadOptions
  readonly #clients: Promise<void>[]
  #isOpen = true
  #startedAt = performance.now()
  #succeededAt = performance.now()
  #gapMs = 0
  #requests = 0
  #refused = 0
  #failures: Record<string, number> = {}
  #times: number[] = []

  constructor(options: LoadOptions) {
    this.#options = options
    this.#clients = Array.from({ length: options.clients }, () => this.#client())
  }

  /** Ends a span and begins the next one. */
  cut(name: string): Span {
    const now = performance.now()
    this.#gapMs = Math.max(this.#gapMs, now - this.#succeededAt)
    const times = this.#times.sort((a, b) => a - b)
    const span: Span = {
      name,
      seconds: (now - this.#startedAt) / 1_000,
      requests: this.#requests,
      refused: this.#refused,
      failures: this.#failures,
      longestGapMs: this.#gapMs,
      p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
    }
    this.spans.push(span)
    this.#startedAt = now
    this.#succeededAt = now
    this.#gapMs = this.#requests = this.#refused = 0
    this.#failures = {}
    this.#times = []
    return span
  }

  async stop(): Promise<void> {
    this.#isOpen = false
    await Promise.all(this.#clients)
  }

  async #client(): Promise<void> {
    while (this.#isOpen) {
      await this.#send(this.#options.next())
      // Clients pause longer the further the judge is behind, because it compares every response.
      await Bun.sleep(this.#options.pauseMs + this.#options.judge.waiting / 20)
    }
  }

  async #send(request: LoadRequest): Promise<void> {
    const { address, key, judge } = this.#options
    const { kind, path, body, accept = 'application/json, */*' } = request
    const startedAt = performance.now()
    const day = utcDay()
    this.#requests++
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1)
    try {
      const response = await fetch(address + path, {
        headers: {
          ...{ Authorization: `Bearer ${key}`, Accept: accept, 'Content-Type': 'application/json' },
          // Search and pages are limited by address.
          'X-Forwarded-For': `10.${this.#requests & 255}.${Math.floor(Math.random() * 256)}.1`,
        },
        ...(body === undefined ? {} : { method: 'POST', body }),
        signal: AbortSignal.timeout(requestTimeoutMs),
      })
      const text = await response.text()
      if (response.ok) {
        this.#succeeded(startedAt)
        return judge.take(request, { response, body: text, day })
      }
      if (response.status === 503 && response.headers.has('retry-after')) this.#refused++
      else this.#failed(`${kind}: ${response.status}`, `${path} ${text.slice(0, 300)}`)
    } catch (error) {
      this.#failed(`${kind}: ${error instanceof Error ? error.name : 'unknown'}`, `${path} ${error}`)
    }
  }

  #succeeded(startedAt: number): void {
    const now = performance.now()
    this.#gapMs = Math.max(this.#gapMs, now - this.#succeededAt)
    this.#succeededAt = now
    if (this.#times.length < maxTimes) this.#times.push(now - startedAt)
  }

  #failed(what: string, example: string): void {
    this.#failures[what] = (this.#failures[what] ?? 0) + 1
    if (this.examples.length < 30) this.examples.push(`${new Date().toISOString()} ${what}: ${example}`)
  }
}

/** The spans as a table. */
export function spanTable(spans: readonly Span[]): string {
  const rows = spans.map(({ name, seconds, requests, refused, failures, longestGapMs, p99Ms }) => {
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0)
    const which = Object.entries(failures)
      .map(([what, count]) => `${what} x ${count}`)
      .join(', ')
    return `| ${name} | ${seconds.toFixed(0)} s | ${requests} | ${failed}${which === '' ? '' : ` (${which})`} | ${refused} | ${longestGapMs.toFixed(0)} ms | ${p99Ms.toFixed(0)} ms |`
  })
  return [
    '| event | time | requests | failed | 503 with Retry-After | longest gap | p99 |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}
