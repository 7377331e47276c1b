import type { Failure } from '../../errors.ts'
import {
  BodyAccount,
  type BodyOwner,
  type Ledger,
  sweepsPerSecond,
  type Tally,
  windowSeconds,
  windowSweeps,
} from './bodyAccount.ts'
import { crowded, noRoom, overdue, type RoomScope, tooSlow } from './failures.ts'

/** Tracks the request bodies that a server has in flight: their bytes by caller, by address and in total, and
 * how fast each one arrives. Time is measured in calls of `sweep`, so a server that stalls does not mistake
 * its own pause for a slow client. Time spent decompressing or storing a body does not count either. */

/** A body that arrives more slowly than this, averaged over the window, is cut. */
const minBytesPerSecond = 16 * 1_024

/** A body may take `baseSeconds`, plus one second for each of these many bytes of its announced size or, if
 * it has none, of its limit. A phone sends 64 KB per second. Slow senders give way only to senders of the
 * same rank or higher, so a paid body may take its time. */
const baseSeconds = 30
const deadlineBytesPerSecond = { paid: 64 * 1_024, unpaid: 512 * 1_024 }

/** Younger bodies do not count as slow: a body of a few packets is complete by then. */
const settledSweeps = 2
/** How many settled bodies may be arriving at the same time. */
const maxArriving = { caller: 128, address: 256, server: 4_096 }

const unused = { held: 0, bodies: 0, settled: 0, settledAt: 0 }

export class BodyAccounts {
  readonly #largest: number
  readonly #arriving = new Set<BodyAccount>()
  readonly #callers = new Map<string, Tally>()
  readonly #addresses = new Map<string, Tally>()
  readonly #server: Tally
  readonly #unpaid: Tally
  #sweeps = 0

  /** @param largest the size of the largest body that anybody may send. There is room for four of them in
   *   total, for three per address, for two per caller, and for one shared by all demo and free callers */
  constructor(largest: number) {
    this.#largest = largest
    this.#server = { scope: 'server', max: 4 * largest, ...unused }
    this.#unpaid = { ...this.#server, max: largest }
  }

  get arriving(): number {
    return this.#arriving.size
  }

  get held(): number {
    return this.#server.held
  }

  /** Starts tracking a body. The caller must call `close` once its bytes are no longer needed. Fails if there
   * could be no room for it even after other bodies were cut.
   *
   * @param announced the size by Content-Length; null: none. It reserves nothing: only bytes that have
   *   arrived count
   * @param limit the largest size of this body
   * @param onCut called once if the body is cut: the rest of it must not be read */
  open(
    owner: BodyOwner,
    announced: number | null,
    limit: number,
    onCut: (failure: Failure) => void,
  ): BodyAccount {
    const tallies = [this.#ofCaller(owner), this.#ofAddress(owner), this.#server]
    if (owner.isUnpaid) tallies.push(this.#unpaid)
    for (const tally of tallies) tally.bodies++
    try {
      this.#requirePossibleRoom(owner, announced ?? 0, tallies)
    } catch (error) {
      this.#leave(owner, tallies)
      throw error
    }
    const bytesPerSecond = deadlineBytesPerSecond[owner.isUnpaid ? 'unpaid' : 'paid']
    const deadlineSeconds = baseSeconds + (announced ?? limit) / bytesPerSecond
    const ledger: Ledger = {
      openedAt: this.#sweeps,
      tallies,
      makeRoom: (body, bytes) => this.#makeRoom(body, bytes, tallies),
      count: bytes => {
        for (const tally of tallies) tally.held += bytes
      },
      arrived: body => this.#arriving.delete(body),
      closed: () => this.#leave(owner, tallies),
      onCut,
    }
    const body = new BodyAccount(owner, deadlineSeconds, ledger)
    this.#arriving.add(body)
    return body
  }

  /** Cuts bodies that are too slow or overdue, and the slowest ones where too many arrive at once. */
  sweep(): void {
    this.#sweeps++
    const over = new Set<Tally>()
    for (const body of this.#arriving) {
      const { isAwaited } = body
      if (!isAwaited) body.skipSweep()
      const age = body.ageAt(this.#sweeps)
      if (isAwaited && age > windowSweeps && body.recentBytes < windowSeconds * minBytesPerSecond)
        body.cut(tooSlow(body.received))
      else if (isAwaited && age > body.deadlineSeconds * sweepsPerSecond)
        body.cut(overdue(body.received, body.deadlineSeconds))
      else {
        if (isAwaited) body.beginInterval(age)
        if (age >= settledSweeps) this.#countSettled(body, over)
      }
    }
    for (const tally of over) cutSlowest(this.#settledIn(tally), tally.scope)
  }

  /** Adds each bound that now has too many settled bodies to `over`. Only counts them: collecting the bodies
   * of a bound is left to the rare case that some must be cut. */
  #countSettled({ tallies }: BodyAccount, over: Set<Tally>): void {
    for (const tally of tallies) {
      tally.settled = tally.settledAt === this.#sweeps ? tally.settled + 1 : 1
      tally.settledAt = this.#sweeps
      if (tally.settled > maxArriving[tally.scope]) over.add(tally)
    }
  }

  #settledIn(tally: Tally): BodyAccount[] {
    return [...this.#arriving].filter(
      body => body.ageAt(this.#sweeps) >= settledSweeps && body.tallies.includes(tally),
    )
  }

  #requirePossibleRoom(owner: BodyOwner, bytes: number, tallies: readonly Tally[]): void {
    for (const tally of tallies) {
      const { scope, held, max } = tally
      if (held + bytes <= max) continue
      let stays = held
      for (const body of this.#arriving)
        if (body.tallies.includes(tally) && body.owner.rank <= owner.rank) stays -= body.held
      if (stays + bytes > max) throw noRoom(scope, owner, max)
    }
  }

  /** Cuts the largest holder of the lowest tier until the bytes fit. Fails if that is the owner of `body`
   * itself, or if no arriving body can be cut. */
  #makeRoom(body: BodyAccount, bytes: number, tallies: readonly Tally[]): void {
    for (const tally of tallies) {
      while (tally.held + bytes > tally.max) {
        const worst = this.#worst(body, bytes, tally)
        if (worst === body) throw noRoom(tally.scope, body.owner, tally.max)
        worst.cut(noRoom(tally.scope, worst.owner, tally.max))
      }
    }
  }

  /** The body to cut first among the arriving ones under a bound, as if `asking` already held its next
   * bytes. */
  #worst(asking: BodyAccount, bytes: number, tally: Tally): BodyAccount {
    const claimOf = (body: BodyAccount): Claim => {
      const { rank, caller } = body.owner
      const byCaller = this.#callers.get(caller)?.held ?? 0
      return {
        rank,
        byCaller: byCaller + (caller === asking.owner.caller ? bytes : 0),
        held: body.held + (body === asking ? bytes : 0),
      }
    }
    let worst = asking
    for (const body of this.#arriving)
      if (body.held > 0 && body.tallies.includes(tally) && weaker(claimOf(body), claimOf(worst))) worst = body
    return worst
  }

  #ofCaller({ caller, maxBytes }: BodyOwner): Tally {
    const max = Math.min(maxBytes ?? Number.POSITIVE_INFINITY, 2 * this.#largest)
    return tallyOf(this.#callers, caller, { scope: 'caller', max })
  }

  #ofAddress({ address }: BodyOwner): Tally {
    return tallyOf(this.#addresses, address, { scope: 'address', max: 3 * this.#largest })
  }

  #leave({ caller, address }: BodyOwner, tallies: readonly Tally[]): void {
    for (const tally of tallies) tally.bodies--
    if (this.#callers.get(caller)?.bodies === 0) this.#callers.delete(caller)
    if (this.#addresses.get(address)?.bodies === 0) this.#addresses.delete(address)
  }
}

function tallyOf(tallies: Map<string, Tally>, name: string, bound: Pick<Tally, 'scope' | 'max'>): Tally {
  const known = tallies.get(name)
  if (known !== undefined) return known
  const tally = { ...bound, ...unused }
  tallies.set(name, tally)
  return tally
}

interface Claim {
  readonly rank: number
  readonly byCaller: number
  readonly held: number
}

const weaker = (a: Claim, b: Claim): boolean =>
  (a.rank - b.rank || b.byCaller - a.byCaller || b.held - a.held) < 0

function cutSlowest(bodies: BodyAccount[], scope: RoomScope): void {
  const max = maxArriving[scope]
  if (bodies.length <= max) return
  bodies.sort((a, b) => a.owner.rank - b.owner.rank || a.recentBytes - b.recentBytes)
  for (const body of bodies.slice(0, bodies.length - max)) body.cut(crowded(scope, max))
}
