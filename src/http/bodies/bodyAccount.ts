import { Failure } from '../../errors.ts'
import type { RoomScope } from './failures.ts'

/** How often `sweep` must be called while bodies arrive. */
export const sweepMs = 500
export const sweepsPerSecond = 1_000 / sweepMs

/** The speed of a body is that of so many seconds. */
export const windowSeconds = 5
export const windowSweeps = windowSeconds * sweepsPerSecond

/** Whose body it is. */
export interface BodyOwner {
  /** Names the key; without one, the address. */
  readonly caller: string
  readonly address: string
  /** Of the tier. The lowest one is cut first. */
  readonly rank: number
  readonly isUnpaid: boolean
  /** What the tier lets a caller have in flight; null: as much as the server's own bounds allow. */
  readonly maxBytes: number | null
}

/** Bytes in flight under one bound. */
export interface Tally {
  readonly scope: RoomScope
  readonly max: number
  held: number
  /** Bodies that count here. */
  bodies: number
  /** Those that had been arriving for a while at the sweep `settledAt`. */
  settled: number
  settledAt: number
}

/** What a body needs of the accounts that it is in. */
export interface Ledger {
  readonly openedAt: number
  readonly tallies: readonly Tally[]
  readonly makeRoom: (body: BodyAccount, bytes: number) => void
  readonly count: (bytes: number) => void
  readonly arrived: (body: BodyAccount) => void
  readonly closed: () => void
  readonly onCut: (failure: Failure) => void
}

/** One body in flight. */
export class BodyAccount {
  readonly owner: BodyOwner
  readonly deadlineSeconds: number
  /** The bounds that it counts towards. */
  readonly tallies: readonly Tally[]
  readonly #ledger: Ledger
  /** Bytes that arrived in each of the latest intervals, the present one included. */
  readonly #intervals = Array<number>(windowSweeps).fill(0)
  #interval = 0
  #recent = 0
  #received = 0
  #held = 0
  #isAwaited = true
  /** Sweeps while its bytes were not awaited. */
  #skippedSweeps = 0
  #failure: Failure | null = null
  #isClosed = false

  constructor(owner: BodyOwner, deadlineSeconds: number, ledger: Ledger) {
    this.owner = owner
    this.tallies = ledger.tallies
    this.deadlineSeconds = deadlineSeconds
    this.#ledger = ledger
  }

  get held(): number {
    return this.#held
  }

  /** Bytes that arrived, as they were sent. */
  get received(): number {
    return this.#received
  }

  /** Whether the server waits for its sender. While it unpacks or stores what it has, the body does not age: a few
   * kilobytes can become gigabytes on their way to the disk. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  set isAwaited(isAwaited: boolean) {
    this.#isAwaited = isAwaited
  }

  /** Bytes that arrived within the window. */
  get recentBytes(): number {
    return this.#recent
  }

  /** Why it was cut; null: it was not. */
  get failure(): Failure | null {
    return this.#failure
  }

  /** Bytes arrived, and stay in memory. Fails if there is no room for them, and once the body was cut. */
  receive(bytes: number): void {
    this.#intervals[this.#interval] += bytes
    this.#recent += bytes
    this.#received += bytes
    this.hold(bytes)
  }

  /** Takes room for bytes that did not arrive but are made of what did, like those of a compressed body. */
  hold(bytes: number): void {
    if (this.#failure !== null) throw this.#failure
    try {
      this.#ledger.makeRoom(this, bytes)
    } catch (error) {
      if (error instanceof Failure) this.cut(error)
      throw error
    }
    this.#held += bytes
    this.#ledger.count(bytes)
  }

  /** Bytes are no longer in memory. */
  release(bytes: number): void {
    const released = Math.min(bytes, this.#held)
    this.#held -= released
    this.#ledger.count(-released)
  }

  /** All of it has arrived: it can no longer be cut. */
  complete(): void {
    this.#ledger.arrived(this)
  }

  /** How many sweeps it has been awaited for. */
  ageAt(sweep: number): number {
    return sweep - this.#ledger.openedAt - this.#skippedSweeps
  }

  skipSweep(): void {
    this.#skippedSweeps++
  }

  beginInterval(age: number): void {
    this.#interval = age % windowSweeps
    this.#recent -= this.#intervals[this.#interval]
    this.#intervals[this.#interval] = 0
  }

  cut(failure: Failure): void {
    if (this.#failure !== null || this.#isClosed) return
    this.#failure = failure
    this.#ledger.arrived(this)
    this.release(this.#held)
    this.#ledger.onCut(failure)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#ledger.arrived(this)
    this.release(this.#held)
    this.#ledger.closed()
  }
}
