import type { Caller } from './caller.ts'

/** What is known of a key: who it is, and until when that may be believed. */
export interface KnownKey {
  readonly caller: Caller
  readonly revoked: boolean
  readonly expiresAtMs: number | null
}

interface Entry {
  readonly key: KnownKey
  readonly seenMs: number
  readonly generation: number
}

const most = 10_000
/** Revocations are heard at once (`forget`); this bounds the harm where the news is lost. */
const believedMs = 5_000

/** The keys seen last, by digest, so that a request does not ask the database who it is. Bounded; the one used
 * longest ago goes first. */
export class KnownKeys {
  readonly #entries = new Map<string, Entry>()
  #generation = 0

  /** Something about keys has changed: nothing is believed without asking again. */
  forget(): void {
    this.#generation++
  }

  /** What a look into the database started now may be remembered under. */
  get generation(): number {
    return this.#generation
  }

  find(digest: string, nowMs: number): KnownKey | null {
    const entry = this.#entries.get(digest)
    if (entry === undefined || entry.generation !== this.#generation || nowMs - entry.seenMs > believedMs)
      return null
    return entry.key
  }

  /** Whether the key has ever been met: a guesser's have not. */
  hasMet(digest: string): boolean {
    return this.#entries.has(digest)
  }

  /** `generation` as it was when the database was asked: an answer that a change overtook is stale at once. */
  remember(digest: string, key: KnownKey, nowMs: number, generation: number): void {
    this.#entries.delete(digest)
    if (this.#entries.size >= most) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#entries.delete(oldest.value)
    }
    this.#entries.set(digest, { key, seenMs: nowMs, generation })
  }

  drop(digest: string): void {
    this.#entries.delete(digest)
  }
}
