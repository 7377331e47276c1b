import { Failure } from '../../errors.ts'

/** One request inside the queue: a single backtest, or a sweep of many slices. */
export interface Visit {
  /** Turns it has now. */
  running: number
  /** Starts its waiting tasks, oldest first. */
  readonly waiting: (() => void)[]
  /** When it last got a turn, as a count of turns; null before it had one. */
  servedAt: number | null
  /** Milliseconds of turns it has had. */
  busyMs: number
  /** It keeps the turn of a task that is done, for the one that follows at once. Since when; null: no such turn. */
  heldSince: number | null
}

/** Who may use a thread now, who waits, and who is turned away.
 *
 * Room is counted in visits: whoever was let in is never turned away half-way. A turn goes to the visit that has had
 * none and came first; after one such, to the one of the others that has the fewest turns now and has waited longest
 * since its last. So a visit that asks for a hundred turns makes a newcomer wait for the end of one, and many newcomers
 * take no more than every other turn from it. */
export class TurnQueue {
  readonly #turns: number
  readonly #room: number
  readonly #visits = new Set<Visit>()
  #taken = 0
  #served = 0
  #newcomerLast = false
  #onIdle: (() => void) | null = null
  #closed = false
  /** Moving average of the turns a visit takes. */
  #averageMs = 1_000

  constructor(turns: number, room: number) {
    this.#turns = turns
    this.#room = room
  }

  /** Lets a request in, or says why not. Whoever enters must leave.
   *
   * @param newcomer false: nobody waits at the other end, and the visit is not preferred as one that has had no turn */
  enter(newcomer = true): Visit {
    if (this.#closed) {
      throw new Failure('shutting_down', 'The server is shutting down. Try again in a moment.', {
        retryAfterSeconds: 5,
      })
    }
    const waiting = this.#visits.size - this.#turns
    if (waiting >= this.#room) {
      throw new Failure(
        'compute_busy',
        `All ${this.#turns} workers are busy and ${waiting} backtests wait. Try again later.`,
        { retryAfterSeconds: this.#expectedWaitSeconds(waiting + 1) },
      )
    }
    const servedAt = newcomer ? null : this.#served++
    const visit = { running: 0, waiting: [], servedAt, busyMs: 0, heldSince: null }
    this.#visits.add(visit)
    return visit
  }

  leave(visit: Visit): void {
    this.release(visit)
    this.#visits.delete(visit)
    this.#averageMs += 0.2 * (visit.busyMs - this.#averageMs)
    if (this.#visits.size === 0) this.#onIdle?.()
  }

  /** Resolves when it is the visit's turn; the value goes back to `giveBack`. */
  async take(visit: Visit, signal?: AbortSignal): Promise<number> {
    signal?.throwIfAborted()
    const held = visit.heldSince
    if (held !== null) {
      visit.heldSince = null
      return held
    }
    if (this.#taken < this.#turns) this.#serve(visit)
    else await this.#wait(visit, signal)
    return performance.now()
  }

  giveBack(visit: Visit, startedMs: number): void {
    visit.busyMs += performance.now() - startedMs
    visit.running--
    this.#taken--
    this.#next()?.waiting.shift()?.()
  }

  /** The turn stays with the visit, whose next `take` has it. Whoever holds a turn and then has to wait for others
   * releases it. */
  hold(visit: Visit, startedMs: number): void {
    visit.heldSince = startedMs
  }

  release(visit: Visit): void {
    const held = visit.heldSince
    if (held === null) return
    visit.heldSince = null
    this.giveBack(visit, held)
  }

  /** Resolves when the last visit has left. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#visits.size === 0) return
    await new Promise<void>(resolve => {
      const before = this.#onIdle
      this.#onIdle = () => {
        before?.()
        resolve()
      }
    })
  }

  #serve(visit: Visit): void {
    this.#taken++
    visit.running++
    this.#newcomerLast = visit.servedAt === null
    visit.servedAt = this.#served++
  }

  #next(): Visit | null {
    let newcomer: Visit | null = null
    let veteran: Visit | null = null
    for (const visit of this.#visits) {
      if (visit.waiting.length === 0) continue
      if (visit.servedAt === null) newcomer ??= visit
      else if (veteran === null || comesFirst(visit, veteran)) veteran = visit
    }
    return newcomer && !(veteran && this.#newcomerLast) ? newcomer : veteran
  }

  #wait(visit: Visit, signal?: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave)
        this.#serve(visit)
        resolve()
      }
      const leave = () => {
        visit.waiting.splice(visit.waiting.indexOf(start), 1)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      visit.waiting.push(start)
    })
  }

  #expectedWaitSeconds(ahead: number): number {
    return Math.min(60, Math.max(1, Math.ceil((ahead * this.#averageMs) / this.#turns / 1000)))
  }
}

function comesFirst(a: Visit, b: Visit): boolean {
  return a.running === b.running ? (a.servedAt ?? 0) < (b.servedAt ?? 0) : a.running < b.running
}
