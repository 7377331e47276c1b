import { Failure } from '../../errors.ts'

/** How much of the pool's room one key may fill. Turns are fair to whoever was let in; without this a key that sends
 * more than there is room for, and sends again what was refused, would keep every other key from being let in. */
export class KeyRoom {
  readonly #most: number
  readonly #underWay = new Map<number, number>()

  /** @param threads of the pool
   * @param queue backtests that may wait for them */
  constructor(threads: number, queue: number) {
    this.#most = Math.max(threads, Math.ceil((threads + queue) / 2))
  }

  /** Does the work, or fails at once where the key has as much under way as it may. */
  async use<T>(keyId: number, work: () => Promise<T>): Promise<T> {
    const others = this.#underWay.get(keyId) ?? 0
    if (others >= this.#most) throw tooMany(others)
    this.#underWay.set(keyId, others + 1)
    try {
      return await work()
    } finally {
      const left = (this.#underWay.get(keyId) ?? 1) - 1
      if (left === 0) this.#underWay.delete(keyId)
      else this.#underWay.set(keyId, left)
    }
  }
}

function tooMany(others: number): Failure {
  return new Failure(
    'compute_busy',
    `${others} backtests and uploads of this key are under way on this server, as many as may be. Wait for one to end, or send backtests with Prefer: respond-async.`,
    { retryAfterSeconds: 1 },
  )
}
