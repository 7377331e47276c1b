import type { Book } from './book.ts'
import type { TrancheRing } from './trancheRing.ts'

/** With drift, a trade is the way from the old weight, grown with its return, to the new one:
 * w_t - w_{t-1} (1 + r_{t-1}), in shares of the equity at t - 1. A missing return grows nothing. Replaces the
 * turnover and trading cost that `rotateTranches` measured from weights that had not grown. */
export function tradeFromDrift(book: Book, ring: TrancheRing, t: number): void {
  const { weight, grown, live, names, place, roundTrip } = book
  let count = book.listed
  for (let j = ring.from[t]; j < ring.from[t] + ring.size[t]; j++) {
    const name = ring.asset[j]
    if (place[name] !== 0) continue
    names[count++] = name
    place[name] = count
  }
  let moved = 0
  let cost = 0
  let kept = 0
  for (let j = 0; j < count; j++) {
    const name = names[j]
    const after = live[name] === 0 ? 0 : weight[name]
    const size = Math.abs(after - grown[name])
    moved += size
    cost += size * roundTrip[name]
    if (live[name] === 0) {
      grown[name] = 0
      place[name] = 0
      continue
    }
    names[kept++] = name
    place[name] = kept
  }
  book.listed = kept
  book.turnover = 0.5 * moved
  book.tradingCost = 0.5 * cost
}
