import { Failure } from '../errors.ts'

const maxQueued = 1_000
const maxQueuedPerSubject = 100

interface QueuedRead {
  readonly subject: string
  readonly start: () => void
}

/** Bounds the large reads from the database. A streamed response holds its connection for as long as the client takes to
 * read it. The limit leaves connections for all other requests, and no subject gets more than half of the slots: callers
 * who request a lot, or read slowly, wait for themselves only. */
export class ReadLimiter {
  readonly #slots: number
  readonly #slotsPerSubject: number
  readonly #running = new Map<string, number>()
  readonly #queue: QueuedRead[] = []
  #used = 0

  constructor(slots: number) {
    this.#slots = slots
    this.#slotsPerSubject = Math.ceil(slots / 2)
  }

  /** Opens a stream once a slot is free. The slot is released when `read` settles. */
  async openStream<T extends { readonly read: Promise<void> }>(
    subject: string,
    signal: AbortSignal,
    open: () => Promise<T>,
  ): Promise<T> {
    await this.#acquire(subject, signal)
    const release = () => this.#release(subject)
    try {
      const opened = await open()
      opened.read.finally(release)
      return opened
    } catch (error) {
      release()
      throw error
    }
  }

  /** Runs a read whose result other callers may share: it takes no signal, and continues when its caller disconnects. */
  async run<T>(subject: string, work: () => Promise<T>): Promise<T> {
    await this.#acquire(subject, new AbortController().signal)
    try {
      return await work()
    } finally {
      this.#release(subject)
    }
  }

  #acquire(subject: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#hasSlot(subject)) {
      this.#start(subject)
      return Promise.resolve()
    }
    const queuedOfSubject = this.#queue.filter(queued => queued.subject === subject).length
    if (queuedOfSubject >= maxQueuedPerSubject || this.#queue.length >= maxQueued)
      throw queueFull(queuedOfSubject)
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(queued), 1)
        reject(signal.reason)
      }
      const start = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const queued = { subject, start }
      signal.addEventListener('abort', leave, { once: true })
      this.#queue.push(queued)
    })
  }

  #hasSlot(subject: string): boolean {
    return this.#used < this.#slots && (this.#running.get(subject) ?? 0) < this.#slotsPerSubject
  }

  #start(subject: string): void {
    this.#used++
    this.#running.set(subject, (this.#running.get(subject) ?? 0) + 1)
  }

  #release(subject: string): void {
    this.#used--
    const left = (this.#running.get(subject) ?? 1) - 1
    if (left === 0) this.#running.delete(subject)
    else this.#running.set(subject, left)
    const index = this.#queue.findIndex(queued => this.#hasSlot(queued.subject))
    if (index < 0) return
    const [next] = this.#queue.splice(index, 1)
    this.#start(next.subject)
    next.start()
  }
}

function queueFull(queuedOfSubject: number): Failure {
  return new Failure(
    'compute_busy',
    `Too many requests are waiting to read data, ${queuedOfSubject} of them yours. Read the responses that are open, then send fewer requests at a time.`,
    { retryAfterSeconds: 5 },
  )
}

/** Runs at most `slots` tasks at a time, in the order of arrival. Without it, loading the rows of panels would take the
 * connections that other requests need. */
export class Semaphore {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(slots: number) {
    this.#free = slots
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
