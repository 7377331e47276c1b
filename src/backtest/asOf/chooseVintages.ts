import type { VintageChoice } from '../requestCompare.ts'
import { allocateVintages, neverEnds, type Vintages } from './packedVintages.ts'

/** The vintages that a choice leaves, from which `buildEvents` then makes events by the same rule. A period is named by its
 * company, its last day and its rank.
 *
 * - `as_known`: all of them.
 * - `first_filed`: of each period the vintage that was filed first, for good. A vintage that was replaced on the day of its
 *   filing was never current, so the first one is the last of that day. One that was withdrawn later stays.
 * - `final`: of each period the vintage that is still current, as if it had been filed on the last day of the period. A
 *   period without one has no figure.
 *
 * If two vintages of a period are equally early or late, the higher value counts, as in `buildEvents`. */
export function chooseVintages(vintages: Vintages, choice: VintageChoice): Vintages {
  switch (choice) {
    case 'as_known':
      return vintages
    case 'first_filed': {
      const { filed, until, value } = vintages
      const counts = (i: number) => until[i] > filed[i]
      const isBefore = (a: number, b: number) =>
        filed[a] < filed[b] || (filed[a] === filed[b] && value[a] > value[b])
      return onePerPeriod(vintages, filed, counts, isBefore)
    }
    case 'final': {
      const { filed, until, end, value } = vintages
      const counts = (i: number) => until[i] === neverEnds
      const isAfter = (a: number, b: number) =>
        filed[a] > filed[b] || (filed[a] === filed[b] && value[a] > value[b])
      return onePerPeriod(vintages, end, counts, isAfter)
    }
    default:
      return choice satisfies never
  }
}

/** @param knownFrom the day from which each vintage counts
 * @param isBetter whether vintage a is to be taken rather than b of the same period */
function onePerPeriod(
  vintages: Vintages,
  knownFrom: Int32Array,
  counts: (index: number) => boolean,
  isBetter: (a: number, b: number) => boolean,
): Vintages {
  const { count, entity, end, rank, unit, value } = vintages
  const firstEntity = entity.reduce((least, one) => Math.min(least, one), neverEnds)
  const chosen = new Map<number, number>()
  for (let i = 0; i < count; i++) {
    if (!counts(i)) continue
    // Exact in a double: 11 bits of company, 23 of the day (to the year 9999), 16 of the rank.
    const period = ((entity[i] - firstEntity) * 2 ** 23 + end[i] + 2 ** 22) * 2 ** 16 + rank[i] + 2 ** 15
    const other = chosen.get(period)
    if (other === undefined || isBetter(i, other)) chosen.set(period, i)
  }
  const left = allocateVintages(chosen.size)
  let at = 0
  for (const i of chosen.values()) {
    left.entity[at] = entity[i]
    left.filed[at] = knownFrom[i]
    left.until[at] = neverEnds
    left.end[at] = end[i]
    left.rank[at] = rank[i]
    left.unit[at] = unit[i]
    left.value[at] = value[i]
    at++
  }
  return left
}
