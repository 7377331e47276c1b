import { Failure } from '../errors.ts'
import type { StoredKey } from './queries.ts'

export interface SharedLookupDeps {
  /** The keys with these digests (`keyDigest`), by digest. */
  readonly findKeys: (digests: readonly string[]) => Promise<ReadonlyMap<string, StoredKey>>
  /** From the end of a query to the start of the next. */
  readonly pauseMs: number
}

interface Waiting {
  readonly found: Promise<StoredKey | null>
  readonly resolve: (key: StoredKey | null) => void
  readonly reject: (cause: unknown) => void
}

const maxPerQuery = 1_000
const maxWaiting = 10_000

/** Looks up the keys from addresses that have sent too many invalid ones. A valid key among them must work, also one that this
 * server has not seen, and the others must not keep the database busy. So all these keys share one query at a time. */
export class SharedLookup {
  readonly #deps: SharedLookupDeps
  /** In the order of arrival. */
  readonly #waiting = new Map<string, Waiting>()
  #running = false

  constructor(deps: SharedLookupDeps) {
    this.#deps = deps
  }

  /** @param digest of `keyDigest` */
  find(digest: string): Promise<StoredKey | null> {
    const existing = this.#waiting.get(digest)
    if (existing !== undefined) return existing.found
    if (this.#waiting.size >= maxWaiting) throw tooManyWaiting()
    const { promise: found, resolve, reject } = Promise.withResolvers<StoredKey | null>()
    this.#waiting.set(digest, { found, resolve, reject })
    if (!this.#running) {
      this.#running = true
      queueMicrotask(() => void this.#run())
    }
    return found
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting.entries().take(maxPerQuery)]
      for (const [digest] of batch) this.#waiting.delete(digest)
      try {
        const keys = await this.#deps.findKeys(batch.map(([digest]) => digest))
        for (const [digest, { resolve }] of batch) resolve(keys.get(digest) ?? null)
      } catch (cause) {
        for (const [, { reject }] of batch) reject(cause)
      }
      await Bun.sleep(this.#deps.pauseMs)
    }
    this.#running = false
  }
}

function tooManyWaiting(): Failure {
  return new Failure(
    'compute_busy',
    'Too many keys are waiting to be checked on this server. Try again in a second.',
    { retryAfterSeconds: 1 },
  )
}
