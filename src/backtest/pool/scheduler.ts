import { Failure } from '../../errors.ts'
import { type ComputeCaller, isUnpaid } from './caller.ts'
import { QueueBounds } from './queueBounds.ts'
import { type Share, Shares } from './shares.ts'
import { nextTicket, type Priority, type Slot, type Ticket, TicketBook } from './tickets.ts'

/** The clock of a scheduler; tests supply their own. */
export interface SchedulerClock {
  readonly nowMs: () => number
  /** Calls `wake` once after `ms`. */
  readonly later: (ms: number, wake: () => void) => void
}

const systemClock: SchedulerClock = {
  nowMs: () => performance.now(),
  later: (ms, wake) => {
    setTimeout(wake, ms).unref()
  },
}

/** A paid caller that uses no thread gets the reserve thread in two cases: if no other task is expected to
 * end this soon, or if the caller has waited longer than this because the estimates were wrong. A regular
 * thread would be faster, because the reserve thread shares the processors. */
const soonMs = 20
const patienceMs = 25
/** The charge of a task of a kind that has not run before. */
const unknownMs = 10

/** Decides which request uses a thread next, which one waits, and which one is rejected. There is one slot
 * per thread.
 *
 * Callers share the time of the threads (`Share`): an infrequent request runs next, however many requests
 * another caller has here. If there are several slots, free and demo callers always leave at least one of
 * them to the others. A running task cannot be interrupted. If tasks of others hold every slot for long, a
 * paid caller that has none gets a reserve slot on top, and the operating system divides the processors.
 *
 * The queue is bounded in tickets (`QueueBounds`): once admitted, a request is never rejected halfway. */
export class FairScheduler {
  readonly #slots: number
  readonly #unpaidSlots: number
  readonly #bounds: QueueBounds
  readonly #clock: SchedulerClock
  readonly #shares = new Shares()
  readonly #tickets = new TicketBook()
  #takenUnpaid = 0
  #isReserveTaken = false
  /** The slots in use, without the reserve slot. */
  readonly #running = new Set<Slot>()
  #served = 0
  #isReserveDue = false
  #onIdle: (() => void) | null = null
  #closed = false
  /** Milliseconds of all slots in use, up to `#countedMs`. */
  #busyMs = 0
  #countedMs: number
  /** Moving average of the time for which a ticket is busy. */
  #averageMs = 1_000

  constructor(slots: number, maxWaiting: number, clock = systemClock) {
    this.#slots = slots
    this.#unpaidSlots = unpaidSlotsOf(slots)
    this.#bounds = new QueueBounds(slots, this.#unpaidSlots, maxWaiting)
    this.#clock = clock
    this.#countedMs = clock.nowMs()
  }

  /** Admits a request, or fails with `compute_busy` (an interactive one) or `shutting_down`. Every ticket
   * must `leave`. */
  admit(caller: ComputeCaller, priority: Priority = 'interactive'): Ticket {
    if (this.#closed) {
      throw new Failure('shutting_down', 'The server is shutting down. Try again in a moment.', {
        retryAfterSeconds: 5,
      })
    }
    const isInteractive = priority === 'interactive'
    const share = this.#shares.of(caller)
    if (isInteractive) this.#requirePlace(caller, share)
    const lastServed = isInteractive ? null : this.#served++
    const ticket = { caller, priority, share, running: 0, waiting: [], lastServed, busyMs: 0, held: null }
    this.#tickets.add(ticket)
    if (isInteractive) countUpwards(share, 'interactive', 1)
    return ticket
  }

  #requirePlace(caller: ComputeCaller, share: Share): void {
    try {
      const parties = { ofCaller: share, ofTier: this.#shares.tier(caller.tier) }
      this.#bounds.require(caller, parties, ahead => this.#expectedWaitSeconds(ahead))
    } catch (refusal) {
      this.#shares.forgetIdle(share)
      throw refusal
    }
  }

  /** Slots in use, tasks that wait for one, and the time of all slots since the start. With the reserve slot,
   * one more may be in use than there are threads. */
  get use(): { running: number; waiting: number; busyMs: number } {
    this.#countBusy()
    const { waiting } = this.#shares.root
    return { running: this.#inUse, waiting, busyMs: this.#busyMs }
  }

  /** The number of callers that it remembers. */
  get callers(): number {
    return this.#shares.size
  }

  leave(ticket: Ticket): void {
    this.releaseHeld(ticket)
    const { share, priority } = ticket
    if (!this.#tickets.remove(ticket)) return
    if (priority === 'interactive') countUpwards(share, 'interactive', -1)
    this.#shares.forgetIdle(share)
    this.#averageMs += 0.2 * (ticket.busyMs - this.#averageMs)
    if (this.#tickets.size === 0) this.#onIdle?.()
  }

  /** Resolves when the ticket gets a slot, which it must release.
   *
   * @param estimateMs how long the task may take; its caller is charged this until the actual time is known
   */
  async acquire(ticket: Ticket, signal?: AbortSignal, estimateMs = unknownMs): Promise<Slot> {
    signal?.throwIfAborted()
    const { held } = ticket
    if (held !== null) {
      ticket.held = null
      return held
    }
    // The queue need not be checked: whoever waits while a slot is free is not entitled to it.
    if (this.#hasSlotFor(ticket.caller)) return this.#serve(ticket, estimateMs)
    return this.#wait(ticket, estimateMs, signal)
  }

  release(ticket: Ticket, slot: Slot): void {
    const { startedMs, estimateMs, isReserve } = slot
    const usedMs = this.#clock.nowMs() - startedMs
    const { share, caller } = ticket
    ticket.busyMs += usedMs
    ticket.running--
    this.#countBusy()
    if (isReserve) this.#isReserveTaken = false
    else this.#running.delete(slot)
    if (isUnpaid(caller.tier)) this.#takenUnpaid--
    share.charge(usedMs - estimateMs)
    share.advance(usedMs)
    countUpwards(share, 'running', -1)
    share.settle()
    this.#startWaiting()
  }

  /** Keeps the slot for the ticket's next `acquire`. A ticket that first has to wait for something else must
   * call `releaseHeld`, or the slot stays idle. */
  hold(ticket: Ticket, slot: Slot): void {
    ticket.held = slot
  }

  releaseHeld(ticket: Ticket): void {
    const { held } = ticket
    if (held === null) return
    ticket.held = null
    this.release(ticket, held)
  }

  /** Stops admitting requests. Resolves when the last ticket has left. */
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

  get #inUse(): number {
    return this.#running.size + (this.#isReserveTaken ? 1 : 0)
  }

  /** Must be called before a slot is taken or returned. */
  #countBusy(): void {
    const now = this.#clock.nowMs()
    this.#busyMs += this.#inUse * (now - this.#countedMs)
    this.#countedMs = now
  }

  #hasSlotFor({ tier }: Pick<ComputeCaller, 'tier'>): boolean {
    if (this.#running.size >= this.#slots) return false
    return !isUnpaid(tier) || this.#takenUnpaid < this.#unpaidSlots
  }

  #serve(ticket: Ticket, estimateMs: number, isReserve = false): Slot {
    const { share, caller } = ticket
    this.#countBusy()
    if (isReserve) this.#isReserveTaken = true
    if (isUnpaid(caller.tier)) this.#takenUnpaid++
    ticket.running++
    share.activate()
    countUpwards(share, 'running', 1)
    share.charge(estimateMs)
    share.newcomerLast = ticket.lastServed === null
    ticket.lastServed = this.#served++
    const slot = { startedMs: this.#clock.nowMs(), estimateMs, isReserve }
    if (!isReserve) this.#running.add(slot)
    return slot
  }

  /** Gives free slots to waiting tasks. */
  #startWaiting(): void {
    const { root } = this.#shares
    const free = { paid: true, unpaid: true }
    const mayHave = (share: Share) =>
      share.parent !== root || (isUnpaidShare(share) ? free.unpaid : free.paid)
    while (root.waiting > 0) {
      free.paid = this.#hasSlotFor({ tier: 'paid' })
      free.unpaid = this.#hasSlotFor({ tier: 'demo' })
      const caller = free.paid ? root.next(mayHave) : null
      if (caller === null) break
      this.#startNextOf(caller)
    }
    this.#openReserve()
  }

  #startNextOf(caller: Share, isReserve = false): void {
    const ticket = nextTicket(caller, this.#tickets.of(caller))
    const task = ticket?.waiting.shift()
    if (ticket === null || task === undefined) throw new Error('A caller waits without a task.')
    const slot = this.#serve(ticket, task.estimateMs, isReserve)
    this.#endWait(caller)
    task.start(slot)
  }

  #endWait(share: Share): void {
    countUpwards(share, 'waiting', -1)
    share.settle()
  }

  /** Starts a task of a paid caller that uses no slot, although all are taken. */
  #openReserve(): void {
    if (this.#isReserveTaken || this.#running.size < this.#slots) return
    const { root } = this.#shares
    const caller = root.next(share => (share.parent === root ? !isUnpaidShare(share) : share.running === 0))
    if (caller === null) return
    const nowMs = this.#clock.nowMs()
    const leftMs = this.#endsSoon(nowMs) ? this.#tickets.waitingSince(caller) + patienceMs - nowMs : 0
    if (leftMs <= 0) this.#startNextOf(caller, true)
    else if (!this.#isReserveDue) {
      this.#isReserveDue = true
      this.#clock.later(leftMs, () => {
        this.#isReserveDue = false
        this.#openReserve()
      })
    }
  }

  /** Whether a slot is expected to become free soon. A task that is overdue is expected to take as long again
   * as it is overdue. */
  #endsSoon(nowMs: number): boolean {
    for (const { startedMs, estimateMs } of this.#running)
      if (Math.abs(startedMs + estimateMs - nowMs) <= soonMs) return true
    return false
  }

  #wait(ticket: Ticket, estimateMs: number, signal?: AbortSignal): Promise<Slot> {
    const { share } = ticket
    return new Promise<Slot>((resolve, reject) => {
      const start = (slot: Slot) => {
        signal?.removeEventListener('abort', giveUp)
        resolve(slot)
      }
      const task = { estimateMs, sinceMs: this.#clock.nowMs(), start }
      const giveUp = () => {
        ticket.waiting.splice(ticket.waiting.indexOf(task), 1)
        this.#endWait(share)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      ticket.waiting.push(task)
      share.activate()
      countUpwards(share, 'waiting', 1)
      this.#openReserve()
    })
  }

  #expectedWaitSeconds(ahead: number): number {
    return Math.min(60, Math.max(1, Math.ceil((ahead * this.#averageMs) / this.#slots / 1000)))
  }
}

/** Slots that free and demo callers may use together. A server with one thread lets them use it; its paid
 * callers have the reserve slot. */
const unpaidSlotsOf = (slots: number) => Math.max(1, slots - Math.max(1, Math.floor(slots / 4)))

const isUnpaidShare = ({ name }: Share) => name === 'free' || name === 'demo'

function countUpwards(share: Share, what: 'interactive' | 'running' | 'waiting', change: number): void {
  for (let party: Share | null = share; party !== null; party = party.parent) party[what] += change
}
