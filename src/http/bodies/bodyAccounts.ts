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

/** Accounts for the request bodies that a server has in flight: their bytes, by caller, by address and in all, and how fast each
 * of them arrives. Time is counted in calls of `sweep`, so a server that stalls does not mistake its own pause for a slow
 * client; nor does it count the time in which it unpacks or stores what it has. */

/** A body that gets less than this per second, over the window, is cut. */
const minBytesPerSecond = 16 * 1_024

/** A body may take `baseSeconds`, and one second more for each of these many bytes that it may have. A phone sends 64
 * KB per second; who sends more slowly than others with the same rights gives way to them, so a paid body may take
 * its time. */
const baseSeconds = 30
const deadlineBytesPerSecond = { paid: 64 * 1_024, unpaid: 512 * 1_024 }

/** Younger bodies do not count as slow: one of a few packets is complete by then. */
const settledSweeps = 2
/** How many bodies may be arriving for longer than that. */
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

  /** @param largest the size of the largest body that anybody may send. There is room for four of them, of which an address has three
   *   at most, a caller two, and all demo and free callers together one */
  constructor(largest: number) {
    this.#largest = largest
    this.#server = { scope: 'server', max: 4 * largest, ...unused }
    this.#unpaid = { ...this.#server, max: largest }
  }

  /** Bodies that are still arriving. */
  get arriving(): number {
    return this.#arriving.size
  }

  /** Bytes in flight. */
  get held(): number {
    return this.#server.held
  }

  /** Begins to account for a body. Whoever opens it must call `close` once its bytes are no longer needed. Fails if there could not be
   * room for it even if other bodies were cut.
   *
   * @param announced the size by Content-Length; null: none. It takes no room: only bytes that have arrived do
   * @param limit the largest size of this body
   * @param onCut called if the body is cut, once: the rest of it must not be read */
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

  /** Judges each arriving body by what has come of it lately, and cuts the slowest ones of a crowd. */
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

  /** Adds the bounds that this body exceeds to `over`: with thousands of bodies they are not gathered unless some have to go. */
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

  /** Where a bound is reached, the largest holder of the lowest tier is cut. If that is the owner of `body` itself, or nothing that
   * arrives can be cut, it fails. */
  #makeRoom(body: BodyAccount, bytes: number, tallies: readonly Tally[]): void {
    for (const tally of tallies) {
      while (tally.held + bytes > tally.max) {
        const worst = this.#worst(body, bytes, tally)
        if (worst === body) throw noRoom(tally.scope, body.owner, tally.max)
        worst.cut(noRoom(tally.scope, worst.owner, tally.max))
      }
    }
  }

  /** Of the arriving bodies that a bound covers the one to cut first, as if `asking` had its next bytes already. */
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
