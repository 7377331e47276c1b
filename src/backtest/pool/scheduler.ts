import { Failure } from '../../errors.ts'

/** One admitted request: a single backtest, or a sweep of many slices. */
export interface Ticket {
  readonly priority: Priority
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

/** `background`: work of a submitted backtest, or rows that requests wait for which were admitted before. It is never turned away,
 * and not preferred as a newcomer. */
export type Priority = 'interactive' | 'background'

/** Decides which request uses a thread next, which one waits, and which one is turned away. There is one slot per
 * thread.
 *
 * The queue is bounded in tickets: an admitted request is never turned away halfway. A newcomer is a ticket that has not had
 * a slot yet. A slot goes to the newcomer that came first. The next slot goes to one of the other tickets: the one with the
 * fewest slots now that has waited longest since its last slot. So a newcomer waits for at most one slot of a ticket that
 * needs a hundred. Many newcomers take at most every other slot from that ticket. */
export class FairScheduler {
  readonly #slots: number
  readonly #maxWaiting: number
  readonly #tickets = new Set<Ticket>()
  /** Interactive tickets: the queue is bounded in them. */
  #interactive = 0
  #taken = 0
  #served = 0
  #newcomerLast = false
  #onIdle: (() => void) | null = null
  #closed = false
  /** Milliseconds of all slots in use, up to `#countedMs`. */
  #busyMs = 0
  #countedMs = performance.now()
  /** Moving average of the time that a ticket is busy. */
  #averageMs = 1_000

  constructor(slots: number, maxWaiting: number) {
    this.#slots = slots
    this.#maxWaiting = maxWaiting
  }

  /** Admits a request, or fails with `compute_busy` (an interactive one) or `shutting_down`. Every ticket has to `leave`. */
  admit(priority: Priority = 'interactive'): Ticket {
    if (this.#closed) {
      throw new Failure('shutting_down', 'The server is shutting down. Try again in a moment.', {
        retryAfterSeconds: 5,
      })
    }
    const isInteractive = priority === 'interactive'
    const waiting = this.#interactive - this.#slots
    if (isInteractive && waiting >= this.#maxWaiting) {
      throw new Failure(
        'compute_busy',
        `All ${this.#slots} workers are busy and ${waiting} backtests wait. Try again later.`,
        { retryAfterSeconds: this.#expectedWaitSeconds(waiting + 1) },
      )
    }
    const lastServed = isInteractive ? null : this.#served++
    const ticket = { priority, running: 0, waiting: [], lastServed, busyMs: 0, heldSinceMs: null }
    this.#tickets.add(ticket)
    if (isInteractive) this.#interactive++
    return ticket
  }

  /** Slots in use, tasks that wait for one, and the time of all slots since the start. */
  get use(): { running: number; waiting: number; busyMs: number } {
    this.#countBusy()
    let waiting = 0
    for (const ticket of this.#tickets) waiting += ticket.waiting.length
    return { running: this.#taken, waiting, busyMs: this.#busyMs }
  }

  leave(ticket: Ticket): void {
    this.releaseHeld(ticket)
    this.#tickets.delete(ticket)
    if (ticket.priority === 'interactive') this.#interactive--
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
    this.#countBusy()
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

  /** To be called before `#taken` changes. */
  #countBusy(): void {
    const now = performance.now()
    this.#busyMs += this.#taken * (now - this.#countedMs)
    this.#countedMs = now
  }

  #serve(ticket: Ticket): void {
    this.#countBusy()
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
