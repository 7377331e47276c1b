import type { ComputeCaller } from './caller.ts'
import type { Share } from './shares.ts'

/** One admitted request: a single backtest, or a sweep of many slices. */
export interface Ticket {
  readonly caller: ComputeCaller
  readonly priority: Priority
  /** The share of its caller. */
  readonly share: Share
  /** The number of slots that it uses now. */
  running: number
  /** Its waiting tasks, oldest first. */
  readonly waiting: WaitingTask[]
  /** The sequence number of the last slot that it was given, counted over all tickets; null: none yet. */
  lastServed: number | null
  /** Milliseconds of slots that it has used. */
  busyMs: number
  /** The slot of a finished task that it keeps for its next task; null: none. */
  held: Slot | null
}

export interface WaitingTask {
  readonly estimateMs: number
  readonly sinceMs: number
  readonly start: (slot: Slot) => void
}

/** A thread that a task uses. */
export interface Slot {
  readonly startedMs: number
  /** What the task was charged when it started. */
  readonly estimateMs: number
  /** Whether it is the reserve slot, on top of those of the threads. */
  readonly isReserve: boolean
}

/** `background`: the work of a submitted backtest, or rows that already admitted requests wait for. It is
 * never rejected, and not preferred as a newcomer. */
export type Priority = 'interactive' | 'background'

/** The admitted requests, by caller. */
export class TicketBook {
  readonly #ofCaller = new Map<Share, Set<Ticket>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  of(caller: Share): Iterable<Ticket> {
    return this.#ofCaller.get(caller) ?? []
  }

  add(ticket: Ticket): void {
    const { share } = ticket
    const tickets = this.#ofCaller.get(share)
    if (tickets === undefined) this.#ofCaller.set(share, new Set([ticket]))
    else tickets.add(ticket)
    share.admitted++
    this.#size++
  }

  /** Returns false if the ticket had already left. */
  remove(ticket: Ticket): boolean {
    const { share } = ticket
    const tickets = this.#ofCaller.get(share)
    if (!tickets?.delete(ticket)) return false
    if (tickets.size === 0) this.#ofCaller.delete(share)
    share.admitted--
    this.#size--
    return true
  }

  /** Since when the caller has been waiting for a slot. */
  waitingSince(caller: Share): number {
    let since = Number.POSITIVE_INFINITY
    for (const { waiting } of this.of(caller)) since = Math.min(since, waiting[0]?.sinceMs ?? since)
    return since
  }
}

/** The ticket of a caller that gets the caller's next slot. A newcomer is a ticket that has not had a slot
 * yet. Slots alternate: one goes to the newcomer that came first. The next goes to one of the other tickets:
 * the one that uses the fewest slots and, among those, has waited longest since its last slot. So a newcomer
 * waits for at most one slot of a ticket that needs a hundred, and even many newcomers take at most every
 * other slot from that ticket. */
export function nextTicket(caller: Share, tickets: Iterable<Ticket>): Ticket | null {
  let newcomer: Ticket | null = null
  let other: Ticket | null = null
  for (const ticket of tickets) {
    if (ticket.waiting.length === 0) continue
    if (ticket.lastServed === null) newcomer ??= ticket
    else if (other === null || comesFirst(ticket, other)) other = ticket
  }
  return newcomer && !(other && caller.newcomerLast) ? newcomer : other
}

function comesFirst(a: Ticket, b: Ticket): boolean {
  return a.running === b.running ? (a.lastServed ?? 0) < (b.lastServed ?? 0) : a.running < b.running
}
