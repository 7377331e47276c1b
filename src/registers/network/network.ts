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
