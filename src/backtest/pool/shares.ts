import { type ComputeCaller, tierWeights } from './caller.ts'

/** A party that gets a share of thread time: a tier, a network or a caller. Its children divide its share by
 * their weights.
 *
 * This is weighted fair queueing. `tag` is the thread time that the party has used so far, divided by its
 * weight; the next thread goes to the waiting party with the lowest tag. A task is charged its estimate when
 * it starts, and the difference when it ends. `clock` is the tag of a party that always got its fair share.
 * A party that starts to wait begins at that value, so idle time cannot be saved up. The clock advances with
 * all thread time used, so newcomers can overtake a waiting party only for a bounded time. */
export class Share {
  readonly name: string
  readonly parent: Share | null
  readonly weight: number
  readonly children = new Map<string, Share>()
  /** The admitted requests of all kinds; only for a caller. */
  admitted = 0
  /** The admitted interactive requests of this party and its children. */
  interactive = 0
  /** Tasks that use a thread, and tasks that wait for one, of this party and its children. */
  running = 0
  waiting = 0
  tag = 0
  /** Whether the last thread went to a request that had had none before; only for a caller. */
  newcomerLast = false
  #clock = 0
  #activeWeight = 0

  constructor(name = '', parent: Share | null = null, weight = 1) {
    this.name = name
    this.parent = parent
    this.weight = weight
  }

  get isActive(): boolean {
    return this.running + this.waiting > 0
  }

  /** Must be called before `running` or `waiting` increase. */
  activate(): void {
    const { parent } = this
    if (parent === null || this.isActive) return
    parent.activate()
    this.tag = Math.max(this.tag, parent.#clock)
    parent.#activeWeight += this.weight
  }

  /** Must be called after `running` or `waiting` have decreased. */
  settle(): void {
    const { parent } = this
    if (parent === null || this.isActive) return
    parent.#activeWeight -= this.weight
    parent.settle()
  }

  /** Charges thread time, or refunds part of an estimate. */
  charge(ms: number): void {
    if (this.parent === null) return
    this.tag += ms / this.weight
    this.parent.charge(ms)
  }

  /** Advances the clocks by thread time that was used. */
  advance(ms: number): void {
    const { parent } = this
    if (parent === null) return
    parent.#clock += ms / Math.max(this.weight, parent.#activeWeight)
    parent.advance(ms)
  }

  /** Whether the party has had no more than its fair share. */
  get isCaughtUp(): boolean {
    return this.parent === null || this.tag <= this.parent.#clock + roundingMs
  }

  /** The caller that gets the next thread, among the parties that are eligible; null: none of them is
   * waiting. */
  next(mayHave: (share: Share) => boolean): Share | null {
    if (this.children.size === 0) return this.waiting > 0 ? this : null
    let lowest = Number.POSITIVE_INFINITY
    let found: Share | null = null
    for (const child of this.children.values()) {
      if (child.waiting === 0 || child.tag >= lowest || !mayHave(child)) continue
      const caller = child.next(mayHave)
      if (caller === null) continue
      lowest = child.tag
      found = caller
    }
    return found
  }
}

/** Sums of the same times in a different order differ by less than this. */
const roundingMs = 1e-6
/** How many idle callers are remembered because they have used more than their share. */
const maxRemembered = 1_000

/** All callers that have requests here, and the past use of some that had. */
export class Shares {
  readonly root = new Share()

  /** The number of callers and networks that are known. */
  get size(): number {
    return countBelow(this.root) - this.root.children.size
  }

  /** The share of a caller, created if it does not exist yet. */
  of({ tier, network, name }: ComputeCaller): Share {
    const ofTier = child(this.root, tier, tierWeights[tier])
    return child(network === null ? ofTier : child(ofTier, `network ${network}`), name)
  }

  tier(tier: ComputeCaller['tier']): Share {
    return child(this.root, tier, tierWeights[tier])
  }

  /** Forgets a caller without requests. A caller that used more than its share is remembered until the others
   * have caught up: otherwise each of its requests would start from scratch. */
  forgetIdle(caller: Share): void {
    for (let share = caller; share.parent?.parent; share = share.parent) {
      if (!isForgettable(share)) break
      deleteFrom(share.parent, share)
    }
    for (const tier of this.root.children.values()) {
      if (tier.children.size > maxRemembered) forgetBelow(tier)
    }
  }
}

function countBelow(share: Share): number {
  let count = 0
  for (const below of share.children.values()) count += 1 + countBelow(below)
  return count
}

const isEmpty = (share: Share) => share.admitted === 0 && share.children.size === 0 && !share.isActive
const isForgettable = (share: Share) => isEmpty(share) && share.isCaughtUp

function child(parent: Share, name: string, weight = 1): Share {
  let share = parent.children.get(name)
  if (share === undefined) {
    share = new Share(name, parent, weight)
    parent.children.set(name, share)
  }
  return share
}

function deleteFrom(parent: Share, share: Share): void {
  if (parent.children.get(share.name) === share) parent.children.delete(share.name)
}

/** Forgets all empty shares below this one, because there are too many to remember. */
function forgetBelow(share: Share): void {
  for (const below of share.children.values()) {
    forgetBelow(below)
    if (isEmpty(below)) deleteFrom(share, below)
  }
}
