/** How much may run and wait at a time. A bound that is left out is infinite. */
export interface SemaphoreBounds {
  /** Tasks that run at a time. */
  readonly slots?: number
  /** Tasks of one key that run at a time. So a caller who sends many waits for itself only. */
  readonly slotsPerKey?: number
  /** Tasks that wait for a slot; 0: a task without a free slot is refused at once. */
  readonly maxWaiting?: number
  readonly maxWaitingPerKey?: number
  /** The failure of a task that must not even wait. */
  readonly refusal?: (ofKey: KeyCounts) => Error
}

/** Tasks of one key. */
export interface KeyCounts {
  readonly running: number
  readonly waiting: number
}

interface WaitingTask {
  readonly key: string
  readonly start: () => void
}

/** Bounds the tasks that run at a time, in all and by key. Tasks wait in the order of arrival, but one whose key is at its bound
 * lets later ones of other keys pass. */
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

  /** Runs a task in a slot. The signal ends its wait, not the task. */
  async run<T>(work: () => Promise<T>, key = '', signal?: AbortSignal): Promise<T> {
    await this.acquire(key, signal)
    try {
      return await work()
    } finally {
      this.release(key)
    }
  }

  /** Resolves when the key has a slot, for which it has to call `release`. */
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
