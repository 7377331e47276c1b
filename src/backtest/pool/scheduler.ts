import { Failure } from '../../errors.ts'

/** One admitted request: a single backtest, or a sweep of many slices. */
export interface Ticket {
  /** Slots that it uses now. */
  running: number
  /** Starts its waiting tasks, oldest first. */
  readonly waiting: (() => void)[]
  /** The number of the last slot that it was given, counted over all tickets; null: none yet. */
  lastServed: number | null
  /** Milliseconds of slots that it has used. */
  busyMs: number
  /** Since when it holds the slot of a finished task for its next one; null: it holds none. */
  heldSinceMs: number | null
}

/** `background`: no client waits for the answer. */
export type Priority = 'interactive' | 'background'

/** Decides which request uses a thread next, which one waits, and which one is turned away. There is one slot per
 * thread.
 *
 * The queue is bounded in tickets: an admitted request is never turned away half-way. A slot goes to the newcomer
 * that came first, where a newcomer is a ticket without any slot so far. After a newcomer it goes to the one of the
 * others that has the fewest slots now and has waited longest since its last. So a ticket that needs a hundred slots
 * makes a newcomer wait for the end of one, and many newcomers take at most every other slot from it. */
export class FairScheduler {
  readonly #slots: number
  readonly #maxWaiting: number
  readonly #tickets = new Set<Ticket>()
  #taken = 0
  #served = 0
  #newcomerLast = false
  #onIdle: (() => void) | null = null
  #closed = false
  /** Moving average of the time that a ticket is busy. */
  #averageMs = 1_000

  constructor(slots: number, maxWaiting: number) {
    this.#slots = slots
    this.#maxWaiting = maxWaiting
  }

  /** Admits a request, or fails with `compute_busy` or `shutting_down`. Every ticket has to `leave`.
   *
   * @param priority a background ticket is not preferred as a newcomer */
  admit(priority: Priority = 'interactive'): Ticket {
    if (this.#closed) {
      throw new Failure('shutting_down', 'The server is shutting down. Try again in a moment.', {
        retryAfterSeconds: 5,
      })
    }
    const waiting = this.#tickets.size - this.#slots
    if (waiting >= this.#maxWaiting) {
      throw new Failure(
        'compute_busy',
        `All ${this.#slots} workers are busy and ${waiting} backtests wait. Try again later.`,
        { retryAfterSeconds: this.#expectedWaitSeconds(waiting + 1) },
      )
    }
    const lastServed = priority === 'interactive' ? null : this.#served++
    const ticket = { running: 0, waiting: [], lastServed, busyMs: 0, heldSinceMs: null }
    this.#tickets.add(ticket)
    return ticket
  }

  leave(ticket: Ticket): void {
    this.releaseHeld(ticket)
    this.#tickets.delete(ticket)
    this.#averageMs += 0.2 * (ticket.busyMs - this.#averageMs)
    if (this.#tickets.size === 0) this.#onIdle?.()
  }

  /** Resolves when the ticket gets a slot, with the time for `release`. */
  async acquire(ticket: Ticket, signal?: AbortSignal): Promise<number> {
    signal?.throwIfAborted()
    const heldSinceMs = ticket.heldSinceMs
    if (heldSinceMs !== null) {
      ticket.heldSinceMs = null
      return heldSinceMs
    }
    if (this.#taken < this.#slots) this.#serve(ticket)
    else await this.#wait(ticket, signal)
    return performance.now()
  }

  release(ticket: Ticket, startedMs: number): void {
    ticket.busyMs += performance.now() - startedMs
    ticket.running--
    this.#taken--
    this.#next()?.waiting.shift()?.()
  }

  /** Keeps the slot for the ticket's next `acquire`. A ticket that first has to wait for something else must call
   * `releaseHeld`, or the slot stays idle. */
  hold(ticket: Ticket, startedMs: number): void {
    ticket.heldSinceMs = startedMs
  }

  releaseHeld(ticket: Ticket): void {
    const { heldSinceMs } = ticket
    if (heldSinceMs === null) return
    ticket.heldSinceMs = null
    this.release(ticket, heldSinceMs)
  }

  /** Admits no more. Resolves when the last ticket has left. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#tickets.size === 0) return
    await new Promise<void>(resolve => {
      const previous = this.#onIdle
      this.#onIdle = () => {
        previous?.()
        resolve()
      }
    })
  }

  #serve(ticket: Ticket): void {
    this.#taken++
    ticket.running++
    this.#newcomerLast = ticket.lastServed === null
    ticket.lastServed = this.#served++
  }

  #next(): Ticket | null {
    let newcomer: Ticket | null = null
    let other: Ticket | null = null
    for (const ticket of this.#tickets) {
      if (ticket.waiting.length === 0) continue
      if (ticket.lastServed === null) newcomer ??= ticket
      else if (other === null || comesFirst(ticket, other)) other = ticket
    }
    return newcomer && !(other && this.#newcomerLast) ? newcomer : other
  }

  #wait(ticket: Ticket, signal?: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', giveUp)
        this.#serve(ticket)
        resolve()
      }
      const giveUp = () => {
        ticket.waiting.splice(ticket.waiting.indexOf(start), 1)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      ticket.waiting.push(start)
    })
  }

  #expectedWaitSeconds(ahead: number): number {
    return Math.min(60, Math.max(1, Math.ceil((ahead * this.#averageMs) / this.#slots / 1000)))
  }
}

function comesFirst(a: Ticket, b: Ticket): boolean {
  return a.running === b.running ? (a.lastServed ?? 0) < (b.lastServed ?? 0) : a.running < b.running
}
