import { Failure } from '../errors.ts'

interface Waiting {
  readonly subject: string
  readonly start: () => void
}

const mostWaiting = 1_000
const mostWaitingOfOne = 100

/** Who may read much from the database now. The reader of a stream keeps a connection for as long as its client takes:
 * so all readers together leave connections to everything else, one caller leaves turns to the others, and a crowd
 * that asks for much, or does not read its answers, makes only itself wait. */
export class StreamTurns {
  readonly #turns: number
  readonly #turnsOfOne: number
  readonly #reading = new Map<string, number>()
  readonly #waiting: Waiting[] = []
  #taken = 0

  constructor(turns: number) {
    this.#turns = turns
    this.#turnsOfOne = Math.ceil(turns / 2)
  }

  /** Opens a stream in its turn, which lasts until `read` is settled. */
  async use<T extends { readonly read: Promise<void> }>(
    subject: string,
    signal: AbortSignal,
    open: () => Promise<T>,
  ): Promise<T> {
    await this.#take(subject, signal)
    const giveBack = () => this.#giveBack(subject)
    try {
      const opened = await open()
      opened.read.finally(giveBack)
      return opened
    } catch (error) {
      giveBack()
      throw error
    }
  }

  /** Reads in its turn what others may be waiting for, too: it goes on when its caller leaves. */
  async read<T>(subject: string, work: () => Promise<T>): Promise<T> {
    await this.#take(subject, new AbortController().signal)
    try {
      return await work()
    } finally {
      this.#giveBack(subject)
    }
  }

  #take(subject: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#mayRead(subject)) {
      this.#start(subject)
      return Promise.resolve()
    }
    const ofOne = this.#waiting.filter(waiting => waiting.subject === subject).length
    if (ofOne >= mostWaitingOfOne || this.#waiting.length >= mostWaiting) throw tooMany(ofOne)
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(signal.reason)
      }
      const start = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const waiting = { subject, start }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(waiting)
    })
  }

  #mayRead(subject: string): boolean {
    return this.#taken < this.#turns && (this.#reading.get(subject) ?? 0) < this.#turnsOfOne
  }

  #start(subject: string): void {
    this.#taken++
    this.#reading.set(subject, (this.#reading.get(subject) ?? 0) + 1)
  }

  #giveBack(subject: string): void {
    this.#taken--
    const left = (this.#reading.get(subject) ?? 1) - 1
    if (left === 0) this.#reading.delete(subject)
    else this.#reading.set(subject, left)
    const place = this.#waiting.findIndex(waiting => this.#mayRead(waiting.subject))
    if (place < 0) return
    const [next] = this.#waiting.splice(place, 1)
    this.#start(next.subject)
    next.start()
  }
}

function tooMany(ofOne: number): Failure {
  return new Failure(
    'compute_busy',
    `${ofOne} of your requests wait to be read. Read the answers that are under way first, and ask for fewer at a time.`,
    { retryAfterSeconds: 5 },
  )
}

/** Lets a few work at a time, in the order in which they came: the rows of panels go through connections to the database
 * that other requests need too. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(turns: number) {
    this.#free = turns
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
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
