import { Failure } from '../errors.ts'

/** Who may use a thread now, who waits, and who is turned away. Turns are given in the order they were asked for. */
export class TurnQueue {
  readonly #turns: number
  readonly #room: number
  readonly #waiting: (() => void)[] = []
  #taken = 0
  #onIdle: (() => void) | null = null
  #closed = false
  /** Moving average of how long a turn is kept. */
  #averageMs = 1_000

  constructor(turns: number, room: number) {
    this.#turns = turns
    this.#room = room
  }

  /** Resolves when it is the caller's turn; the value goes back to `giveBack`. */
  async take(signal?: AbortSignal): Promise<number> {
    signal?.throwIfAborted()
    if (this.#closed) {
      throw new Failure('shutting_down', 'The server is shutting down. Try again in a moment.', {
        retryAfterSeconds: 5,
      })
    }
    if (this.#taken < this.#turns) {
      this.#taken++
      return performance.now()
    }
    if (this.#waiting.length >= this.#room) {
      throw new Failure(
        'compute_busy',
        `All ${this.#turns} workers are busy and ${this.#waiting.length} backtests wait. Try again later.`,
        { retryAfterSeconds: this.#expectedWaitSeconds() },
      )
    }
    await this.#wait(signal)
    return performance.now()
  }

  giveBack(startedMs: number): void {
    this.#averageMs += 0.2 * (performance.now() - startedMs - this.#averageMs)
    this.#taken--
    const next = this.#waiting.shift()
    if (next) next()
    else if (this.#taken === 0) this.#onIdle?.()
  }

  /** Resolves when the last turn, waiting ones included, has been given back. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#taken === 0) return
    await new Promise<void>(resolve => {
      const before = this.#onIdle
      this.#onIdle = () => {
        before?.()
        resolve()
      }
    })
  }

  #wait(signal?: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave)
        this.#taken++
        resolve()
      }
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.push(start)
    })
  }

  #expectedWaitSeconds(): number {
    const ahead = this.#waiting.length + 1
    return Math.min(60, Math.max(1, Math.ceil((ahead * this.#averageMs) / this.#turns / 1000)))
  }
}
