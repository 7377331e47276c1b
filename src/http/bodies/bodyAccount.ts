import { Failure } from '../../errors.ts'
import type { RoomScope } from './failures.ts'

/** How often `sweep` must be called while bodies are arriving. */
export const sweepMs = 500
export const sweepsPerSecond = 1_000 / sweepMs

/** A body's speed is averaged over this many seconds. */
export const windowSeconds = 5
export const windowSweeps = windowSeconds * sweepsPerSecond

/** The sender to whom a body is charged. */
export interface BodyOwner {
  /** Identifies the key or, without one, the address. */
  readonly caller: string
  readonly address: string
  /** The rank of the caller's tier. The lowest rank is cut first. */
  readonly rank: number
  readonly isUnpaid: boolean
  /** Bytes that the tier allows a caller to have in flight; null: limited only by the server's own bounds. */
  readonly maxBytes: number | null
}

/** Bytes in flight that count towards one bound. */
export interface Tally {
  readonly scope: RoomScope
  readonly max: number
  held: number
  bodies: number
  /** Bodies that were already past `settledSweeps` at the sweep `settledAt`. */
  settled: number
  settledAt: number
}

/** What a body needs from the accounts that it belongs to. */
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
  /** The bounds that this body counts towards. */
  readonly tallies: readonly Tally[]
  readonly #ledger: Ledger
  /** Bytes received in each of the latest intervals, including the current one. */
  readonly #intervals = Array<number>(windowSweeps).fill(0)
  #interval = 0
  #recent = 0
  #received = 0
  #held = 0
  #isAwaited = true
  /** Sweeps during which the server did not wait for bytes of this body. */
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

  /** Bytes received on the wire, before decompression. */
  get received(): number {
    return this.#received
  }

  /** Whether the server is waiting for the sender. While it decompresses or stores what it has, the body does
   * not age: a few kilobytes can become gigabytes on disk. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  set isAwaited(isAwaited: boolean) {
    this.#isAwaited = isAwaited
  }

  /** Bytes received within the window. */
  get recentBytes(): number {
    return this.#recent
  }

  /** Why the body was cut; null: it was not. */
  get failure(): Failure | null {
    return this.#failure
  }

  /** Records bytes that arrived and stay in memory. Fails if there is no room for them or the body was
   * already cut. */
  receive(bytes: number): void {
    this.#intervals[this.#interval] += bytes
    this.#recent += bytes
    this.#received += bytes
    this.hold(bytes)
  }

  /** Reserves memory for bytes that are derived from received ones, such as decompressed output. */
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

  /** Records that bytes are no longer in memory. */
  release(bytes: number): void {
    const released = Math.min(bytes, this.#held)
    this.#held -= released
    this.#ledger.count(-released)
  }

  /** Marks the body as fully received: it can no longer be cut. */
  complete(): void {
    this.#ledger.arrived(this)
  }

  /** The number of sweeps during which the server has been waiting for this body. */
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
