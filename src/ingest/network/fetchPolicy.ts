import type { RegisterSettings, Source } from './source.ts'

/** Network, clock and randomness, injected so that tests control them. */
export interface Network {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Resolves early, without an error, when `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** A number from 0 to 1, for jitter. */
  readonly random: () => number
}

/** How requests to a register are paced, limited and retried. */
export interface FetchPolicy {
  readonly requestsPerSecond: number
  readonly userAgent: string
  /** For a request and its whole response. */
  readonly timeoutMs: number
  readonly maxAttempts: number
  readonly maxResponseBytes: number
  /** If a register demands a longer wait, the run ends and the next run continues. */
  readonly maxWaitMs: number
}

export const defaultFetchPolicy = {
  timeoutMs: 120_000,
  maxAttempts: 5,
  maxResponseBytes: 256 * 1024 * 1024,
  maxWaitMs: 300_000,
} as const satisfies Partial<FetchPolicy>

/**
 * Returns a function that waits until the next request may be sent: at least 1 / `requestsPerSecond` seconds
 * after the previous one, even if that failed.
 */
export function createThrottle(requestsPerSecond: number, { now, sleep }: Pick<Network, 'now' | 'sleep'>) {
  let nextMs = Number.NEGATIVE_INFINITY
  return async (signal: AbortSignal): Promise<void> => {
    const startMs = Math.max(now(), nextMs)
    nextMs = startMs + 1_000 / requestsPerSecond
    const waitMs = startMs - now()
    if (waitMs > 0) await sleep(waitMs, signal)
  }
}

/**
 * Returns a function that replaces credentials in a message. Messages are written without credentials; this
 * is a second line of defence.
 */
export function secretRedactor(source: Source, settings: RegisterSettings): (text: string) => string {
  const secrets = source.secretSettings
    .map(name => settings[name] ?? '')
    .filter(value => value.length >= 4)
    .flatMap(value => [value, encodeURIComponent(value)])
  return text => secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '***'), text)
}
