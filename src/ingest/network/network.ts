import type { RegisterSettings, Source } from './source.ts'

/** The world outside, injected: registers have no clock and no network of their own. */
export interface Network {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Ends early, without an error, where `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** From 0 to 1, for jitter. */
  readonly random: () => number
}

/** How a register wants to be asked. */
export interface Manners {
  readonly requestsPerSecond: number
  readonly userAgent: string
  /** A request and its answer together. */
  readonly timeoutMs: number
  readonly attempts: number
  readonly largestAnswerBytes: number
  /** A register that asks for more patience than this is left until the next run. */
  readonly longestWaitMs: number
}

export const defaultManners = {
  timeoutMs: 120_000,
  attempts: 5,
  largestAnswerBytes: 256 * 1024 * 1024,
  longestWaitMs: 300_000,
} as const satisfies Partial<Manners>

/** Waits until the next request may go: requests are at least 1 / `perSecond` apart, whatever came of those before. */
export function makePace(perSecond: number, { now, sleep }: Pick<Network, 'now' | 'sleep'>) {
  let next = Number.NEGATIVE_INFINITY
  return async (signal: AbortSignal): Promise<void> => {
    const at = Math.max(now(), next)
    next = at + 1_000 / perSecond
    const wait = at - now()
    if (wait > 0) await sleep(wait, signal)
  }
}

/** A fence behind the fence: messages are made without credentials, and this takes out what slipped through. */
export function withoutSecrets(source: Source, settings: RegisterSettings): (text: string) => string {
  const secrets = source.secret
    .map(name => settings[name] ?? '')
    .filter(value => value.length >= 4)
    .flatMap(value => [value, encodeURIComponent(value)])
  return text => secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text)
}
