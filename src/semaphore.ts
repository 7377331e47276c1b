/** How many tasks may run and wait at the same time. An omitted bound is infinite. */
export interface SemaphoreBounds {
  /** Tasks that may run at the same time. */
  readonly slots?: number
  /** Tasks of one key that may run at the same time, so a caller who sends many waits only for its own. */
  readonly slotsPerKey?: number
  /** Tasks that may wait for a slot; 0: a task without a free slot is rejected immediately. */
  readonly maxWaiting?: number
  readonly maxWaitingPerKey?: number
  /** The failure of a task that may not even wait. */
  readonly refusal?: (ofKey: KeyCounts) => Error
}

/** The number of tasks of one key. */
export interface KeyCounts {
  readonly running: number
  readonly waiting: number
}

interface WaitingTask {
  readonly key: string
  readonly start: () => void
}

/** Bounds the tasks that run at the same time, in total and per key. Tasks wait in order of arrival, but a
 * task whose key has reached its bound lets later tasks of other keys pass. */
export class Semaphore {
  readonly #bounds: Required<SemaphoreBounds>
  readonly #runningOfKey = new Map<string, number>()
  readonly #waiting: WaitingTask[] = []
  #running = 0

  constructor({
    slots = Number.POSITIVE_INFINITY,
    slotsPerKey = Number.POSITIVE_INFINITY,
    maxWaiting = Number.POSITIVE_INFINITY,
    maxWaitingPerKey = Number.POSITIVE_INFINITY,
    refusal = () => new Error('Too many tasks wait.'),
  }: SemaphoreBounds) {
    this.#bounds = { slots, slotsPerKey, maxWaiting, maxWaitingPerKey, refusal }
  }

  /** Runs a task in a slot. The signal cancels the wait, not the task. */
  async run<T>(work: () => Promise<T>, key = '', signal?: AbortSignal): Promise<T> {
    await this.acquire(key, signal)
    try {
      return await work()
    } finally {
      this.release(key)
    }
  }

  /** Resolves when the key has a slot, for which the caller must call `release`. */
  acquire(key: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (this.#hasSlot(key)) {
      this.#take(key)
      return Promise.resolve()
    }
    const { maxWaiting, maxWaitingPerKey, refusal } = this.#bounds
    const waiting = this.#waiting.filter(task => task.key === key).length
    if (waiting >= maxWaitingPerKey || this.#waiting.length >= maxWaiting)
      throw refusal({ running: this.#runningOfKey.get(key) ?? 0, waiting })
    return this.#wait(key, signal)
  }

  release(key: string): void {
    this.#running--
    const left = (this.#runningOfKey.get(key) ?? 1) - 1
    if (left === 0) this.#runningOfKey.delete(key)
    else this.#runningOfKey.set(key, left)
    const index = this.#waiting.findIndex(task => this.#hasSlot(task.key))
    if (index < 0) return
    const [next] = this.#waiting.splice(index, 1)
    this.#take(next.key)
    next.start()
  }

  #wait(key: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(task), 1)
        reject(signal?.reason)
      }
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const task = { key, start }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.push(task)
    })
  }

  #hasSlot(key: string): boolean {
    const { slots, slotsPerKey } = this.#bounds
    return this.#running < slots && (this.#runningOfKey.get(key) ?? 0) < slotsPerKey
  }

  #take(key: string): void {
    this.#running++
    this.#runningOfKey.set(key, (this.#runningOfKey.get(key) ?? 0) + 1)
  }
}
