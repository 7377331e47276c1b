import type { Logger } from 'pino'

const logEveryMs = 60_000
const warnForMs = 600_000

/** Notices requests with X-Forwarded-For from an address outside TRUSTED_PROXIES. If that is a proxy, all its clients share one
 * limit, and no other sign shows it. A client may also send the header itself, so this is a warning and no error. */
export class UnlistedProxy {
  readonly #log: Logger
  readonly #elapsedMs: () => number
  #seenMs = Number.NEGATIVE_INFINITY
  #loggedMs = Number.NEGATIVE_INFINITY

  constructor(log: Logger, elapsedMs: () => number) {
    this.#log = log
    this.#elapsedMs = elapsedMs
  }

  notice(address: string): void {
    const nowMs = this.#elapsedMs()
    this.#seenMs = nowMs
    if (nowMs - this.#loggedMs < logEveryMs) return
    this.#loggedMs = nowMs
    this.#log.warn(
      { address },
      'X-Forwarded-For arrives from an address outside TRUSTED_PROXIES, and its clients share one limit. If it is your proxy, add it to TRUSTED_PROXIES. If it is a client, nothing is wrong.',
    )
  }

  /** For /ready, which anyone can read: the address is only in the log. null: none in the last ten minutes. */
  get warning(): string | null {
    if (this.#elapsedMs() - this.#seenMs > warnForMs) return null
    return 'X-Forwarded-For arrives from an address outside TRUSTED_PROXIES. The log names it.'
  }
}
