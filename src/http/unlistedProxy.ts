import type { Logger } from 'pino'

const logEveryMs = 60_000

export interface UnlistedProxyCounter {
  countUnlistedProxy(): void
}

/** Notices requests with X-Forwarded-For from an address outside TRUSTED_PROXIES. If that address is a proxy,
 * all its clients share one limit, and nothing else reveals it. Any client can send the header, so only
 * operators see this, in the log and in telemetry: no public response depends on it. */
export class UnlistedProxy {
  readonly #log: Logger
  readonly #elapsedMs: () => number
  readonly #counter: UnlistedProxyCounter | null
  #loggedMs = Number.NEGATIVE_INFINITY

  /** @param counter null: the process has no telemetry */
  constructor(log: Logger, elapsedMs: () => number, counter: UnlistedProxyCounter | null) {
    this.#log = log
    this.#elapsedMs = elapsedMs
    this.#counter = counter
  }

  notice(address: string): void {
    this.#counter?.countUnlistedProxy()
    const nowMs = this.#elapsedMs()
    if (nowMs - this.#loggedMs < logEveryMs) return
    this.#loggedMs = nowMs
    this.#log.warn(
      { address },
      'X-Forwarded-For arrives from an address outside TRUSTED_PROXIES, and its clients share one limit. If it is your proxy, add it to TRUSTED_PROXIES. If it is a client, nothing is wrong.',
    )
  }
}
