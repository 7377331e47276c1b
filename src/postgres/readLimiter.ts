import { Failure } from '../errors.ts'
import { type KeyCounts, Semaphore } from '../semaphore.ts'

const maxWaiting = 1_000
const maxWaitingPerSubject = 100

/**
 * Bounds large reads from the database. A streamed response holds its connection for as long as the client
 * takes to read it; the limit leaves connections for all other requests. No subject gets more than half of
 * the slots, so callers who request a lot or read slowly only delay themselves.
 */
export class ReadLimiter {
  readonly #reads: Semaphore

  constructor(slots: number) {
    this.#reads = new Semaphore({
      slots,
      slotsPerKey: Math.ceil(slots / 2),
      maxWaiting,
      maxWaitingPerKey: maxWaitingPerSubject,
      refusal: queueFull,
    })
  }

  /** Opens a stream once a slot is free. The slot is released when `read` settles. */
  async openStream<T extends { readonly read: Promise<void> }>(
    subject: string,
    signal: AbortSignal,
    open: () => Promise<T>,
  ): Promise<T> {
    await this.#reads.acquire(subject, signal)
    const release = () => this.#reads.release(subject)
    try {
      const opened = await open()
      opened.read.finally(release)
      return opened
    } catch (error) {
      release()
      throw error
    }
  }

  /**
   * Runs a read whose result other callers may share: it takes no signal and continues when its caller
   * disconnects.
   */
  run<T>(subject: string, work: () => Promise<T>): Promise<T> {
    return this.#reads.run(work, subject)
  }
}

function queueFull({ waiting }: KeyCounts): Failure {
  return new Failure(
    'compute_busy',
    `Too many requests are waiting to read data, ${waiting} of them yours. Read your open responses to the end, then send fewer requests at a time.`,
    { retryAfterSeconds: 5 },
  )
}
