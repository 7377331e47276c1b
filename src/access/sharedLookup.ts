import { Failure } from '../errors.ts'

export interface SharedLookupDeps<Found> {
  /** Finds the records of these digests (base64), by digest. */
  readonly findAll: (digests: readonly string[]) => Promise<ReadonlyMap<string, Found>>
  /** The pause between the end of a query and the start of the next one. */
  readonly pauseMs: number
}

interface Waiting<Found> {
  readonly found: Promise<Found | null>
  readonly resolve: (found: Found | null) => void
  readonly reject: (cause: unknown) => void
}

const maxPerQuery = 1_000
const maxWaiting = 10_000

/** Looks up secrets that anybody can make up: session tokens, and keys from addresses that have sent too many
 * invalid ones. A valid secret among them must work, even if this server has not seen it before, and the
 * invalid ones must not overload the database. So they all share one query at a time. Nothing is cached: a
 * session or key that ended before a request began is never found for it. */
export class SharedLookup<Found> {
  readonly #deps: SharedLookupDeps<Found>
  /** In order of arrival. */
  readonly #waiting = new Map<string, Waiting<Found>>()
  #running = false

  constructor(deps: SharedLookupDeps<Found>) {
    this.#deps = deps
  }

  /** @param digest in base64 */
  find(digest: string): Promise<Found | null> {
    const existing = this.#waiting.get(digest)
    if (existing !== undefined) return existing.found
    if (this.#waiting.size >= maxWaiting) throw tooManyWaiting()
    const { promise: found, resolve, reject } = Promise.withResolvers<Found | null>()
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
        const found = await this.#deps.findAll(batch.map(([digest]) => digest))
        for (const [digest, { resolve }] of batch) resolve(found.get(digest) ?? null)
      } catch (cause) {
        for (const [, { reject }] of batch) reject(cause)
      }
      if (this.#deps.pauseMs > 0) await Bun.sleep(this.#deps.pauseMs)
    }
    this.#running = false
  }
}

function tooManyWaiting(): Failure {
  return new Failure(
    'compute_busy',
    'Too many keys or sessions are waiting to be checked on this server. Try again in a second.',
    { retryAfterSeconds: 1 },
  )
}
