import { type Dataset, maxRowsPerDate, nameCount } from '../dataset/dataset.ts'
import {
  allocateBuckets,
  type BucketScratch,
  orderDate,
  type ScoreRange,
  scoreRange,
} from '../dataset/order.ts'
import { sampleMoments } from './moments.ts'

interface IcAhead {
  /** k: 1 is the period that begins on the date of the score. */
  readonly ahead: number
  readonly mean: number | null
  /** Over periods, ddof 1. */
  readonly standardDeviation: number | null
  /** mean / sd * sqrt(n). */
  readonly tStatistic: number | null
  /** n, periods in which a correlation exists. */
  readonly periods: number
}

/** Decay of the rank information coefficient: Spearman's correlation of the score of period t and the return of period t + k - 1 alone, over
 * the names that have both, ties sharing their mean rank. k = 1 is `rankIc`. A period has none with fewer than two such names, or
 * if either does not vary. Null where `rankIc` has null.
 *
 * Each date is ordered once by score and once by return; the order of the names that two dates share follows by leaving out the
 * others. O(rows) for each k, besides the ordering.
 *
 * @param periods date indices
 * @param ahead the k
 * @see Grinold, R. C. and Kahn, R. N. (2000), Active Portfolio Management, chapter 6 */
export function icDecay(data: Dataset, periods: Int32Array, ahead: readonly number[]): IcAhead[] {
  const scratch = allocateBuckets(maxRowsPerDate(data))
  const depth = Math.max(...ahead)
  // The order of the last `depth` dates by score, in a ring: no older one is looked at.
  const scoreOrders = Array.from({ length: Math.min(depth, periods.length) }, () => ({
    rows: new Int32Array(maxRowsPerDate(data)),
    count: 0,
  }))
  const returnOrder = new Int32Array(maxRowsPerDate(data))
  const pairs = new RankPairs(data)
  const found: number[][] = ahead.map(() => [])
  periods.forEach((date, t) => {
    const own = scoreOrders[t % scoreOrders.length]
    own.count = orderBy(data.score, data, date, scratch, own.rows)
    const count = orderBy(data.forwardReturn, data, date, scratch, returnOrder)
    ahead.forEach((k, i) => {
      if (t - k + 1 < 0) return
      const { rows, count: scored } = scoreOrders[(t - k + 1) % scoreOrders.length]
      const ic = pairs.correlation(rows.subarray(0, scored), returnOrder.subarray(0, count))
      if (ic !== null) found[i].push(ic)
    })
  })
  return ahead.map((k, i) => summarise(k, found[i]))
}

function summarise(ahead: number, values: readonly number[]): IcAhead {
  const { mean, standardDeviation } = sampleMoments(Float64Array.from(values))
  return {
    ahead,
    mean: values.length === 0 ? null : mean,
    standardDeviation,
    tStatistic: standardDeviation === null ? null : (mean / standardDeviation) * Math.sqrt(values.length),
    periods: values.length,
  }
}

const range: ScoreRange = { eligible: 0, min: 0, max: 0, sum: 0 }

/** Writes the date's rows that have a value, ordered by it, to `out`, and returns their number. */
function orderBy(
  values: Float64Array,
  { offsets }: Dataset,
  date: number,
  scratch: BucketScratch,
  out: Int32Array,
): number {
  scoreRange(values, offsets[date], offsets[date + 1], range)
  if (range.eligible > 0) orderDate(values, offsets[date], offsets[date + 1], range, scratch, out, 0)
  return range.eligible
}

/** Correlates the scores of one date with the returns of another over the names that both have. */
class RankPairs {
  readonly #data: Dataset
  /** By asset: its rank among the scores of the names that both dates have, or 0. */
  readonly #rankOf: Float64Array

  constructor(data: Dataset) {
    this.#data = data
    this.#rankOf = new Float64Array(nameCount(data.assets))
  }

  /** @param scored rows ordered by score
   * @param returned rows ordered by return */
  correlation(scored: Int32Array, returned: Int32Array): number | null {
    const { asset, score, forwardReturn } = this.#data
    const rankOf = this.#rankOf
    for (const row of returned) rankOf[asset[row]] = 1
    const shared = scored.filter(row => rankOf[asset[row]] === 1)
    for (const row of returned) rankOf[asset[row]] = 0
    eachTie(score, shared, (from, to, rank) => {
      for (let i = from; i < to; i++) rankOf[asset[shared[i]]] = rank
    })
    const paid = returned.filter(row => rankOf[asset[row]] !== 0)
    const middle = (paid.length + 1) / 2
    let product = 0
    let squaresA = 0
    let squaresB = 0
    eachTie(forwardReturn, paid, (from, to, rank) => {
      for (let i = from; i < to; i++) {
        const scoreRank = rankOf[asset[paid[i]]] - middle
        product += scoreRank * (rank - middle)
        squaresA += scoreRank ** 2
        squaresB += (rank - middle) ** 2
      }
    })
    for (const row of shared) rankOf[asset[row]] = 0
    return squaresA === 0 || squaresB === 0 ? null : product / Math.sqrt(squaresA * squaresB)
  }
}

/** Calls `each` for every run of equal values of ordered rows, with the mean of their ranks 1 .. n. */
function eachTie(
  values: Float64Array,
  rows: Int32Array,
  each: (from: number, to: number, rank: number) => void,
): void {
  for (let from = 0; from < rows.length; ) {
    let to = from + 1
    while (to < rows.length && values[rows[to]] === values[rows[from]]) to++
    each(from, to, (from + 1 + to) / 2)
    from = to
  }
}
