import type { Book } from './book.ts'
import type { TrancheRing } from './trancheRing.ts'

/** Takes tranche t - h out of the book and puts tranche t in, touching only their names, and sets the period's
 * turnover and trading cost from the netted changes.
 *
 * A name that is absent on the date keeps the weight that its tranches give it: only a tranche's expiry moves it.
 *
 * The loops branch on nothing that scores decide (a mispredicted branch costs as much as ten additions): a name
 * that leaves and enters at once is settled when it enters, and its second visit finds a change of 0. Short
 * weight is (|w| - w) / 2. */
export function rotateTranches(book: Book, ring: TrancheRing, t: number, h: number): void {
  const { weight, live, roundTrip, change } = book
  const { asset, weight: share } = ring
  const outFrom = t >= h ? ring.from[t - h] : 0
  const outTo = t >= h ? outFrom + ring.size[t - h] : 0
  const inFrom = ring.from[t]
  const inTo = inFrom + ring.size[t]
  let held = book.held
  let moved = 0
  let net = 0
  let absolute = 0
  let cost = 0
  for (let j = outFrom; j < outTo; j++) {
    const name = asset[j]
    change[name] = -share[j]
    const left = live[name] - 1
    live[name] = left
    held -= (left - 1) >>> 31 // 1 where left is 0
  }
  for (let j = inFrom; j < inTo; j++) {
    const name = asset[j]
    const before = weight[name]
    const delta = change[name] + share[j]
    const after = before + delta
    const size = Math.abs(delta)
    change[name] = 0
    weight[name] = after
    moved += size
    cost += size * roundTrip[name]
    net += delta
    absolute += Math.abs(after) - Math.abs(before)
    const had = live[name]
    live[name] = had + 1
    held += (had - 1) >>> 31
  }
  for (let j = outFrom; j < outTo; j++) {
    const name = asset[j]
    const before = weight[name]
    const delta = change[name]
    const after = before + delta
    const size = Math.abs(delta)
    change[name] = 0
    weight[name] = after
    moved += size
    cost += size * roundTrip[name]
    net += delta
    absolute += Math.abs(after) - Math.abs(before)
  }
  book.held = held
  book.turnover = 0.5 * moved
  book.tradingCost = 0.5 * cost
  book.shortGross += 0.5 * (absolute - net)
}
