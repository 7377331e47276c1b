import { Failure } from '../../errors.ts'
import { type KeyCounts, Semaphore } from '../../semaphore.ts'

/**
 * Limits how many backtests and uploads one key runs concurrently on this server. The pool's queue is fair
 * among queued requests, but a key that fills it and retries what is refused would keep all other keys out.
 */
export class PerKeyLimit {
  readonly #slots: Semaphore

  /**
   * @param threads of the pool
   * @param queue how many backtests may wait for a thread
   */
  constructor(threads: number, queue: number) {
    const slotsPerKey = Math.max(threads, Math.ceil((threads + queue) / 2))
    this.#slots = new Semaphore({ slotsPerKey, maxWaiting: 0, refusal: tooMany })
  }

  /** Runs `work`, or fails at once with `compute_busy` if the key is at its limit. */
  use<T>(key: number | string, work: () => Promise<T>): Promise<T> {
    return this.#slots.run(work, `${key}`)
  }
}

function tooMany({ running }: KeyCounts): Failure {
  return new Failure(
    'compute_busy',
    `${running} backtests and uploads of this key are running on this server, which is the limit. Wait for one to end, or send backtests with Prefer: respond-async.`,
    { retryAfterSeconds: 1 },
  )
}
