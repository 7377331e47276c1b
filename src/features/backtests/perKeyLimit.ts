import { Failure } from '../../errors.ts'

/** Limits how many backtests and uploads one key runs at a time on this server. The pool's queue is fair among the requests in
 * it. But a key that fills it, and repeats what is refused, would keep every other key out. */
export class PerKeyLimit {
  readonly #max: number
  readonly #running = new Map<number, number>()

  /** @param threads of the pool
   * @param queue how many backtests may wait for a thread */
  constructor(threads: number, queue: number) {
    this.#max = Math.max(threads, Math.ceil((threads + queue) / 2))
  }

  /** Runs `work`, or fails at once with `compute_busy` if the key is at its limit. */
  async use<T>(keyId: number, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(keyId) ?? 0
    if (running >= this.#max) throw tooMany(running)
    this.#running.set(keyId, running + 1)
    try {
      return await work()
    } finally {
      const left = (this.#running.get(keyId) ?? 1) - 1
      if (left === 0) this.#running.delete(keyId)
      else this.#running.set(keyId, left)
    }
  }
}

function tooMany(running: number): Failure {
  return new Failure(
    'compute_busy',
    `${running} backtests and uploads of this key are under way on this server, which is the limit. Wait for one to end, or send backtests with Prefer: respond-async.`,
    { retryAfterSeconds: 1 },
  )
}
