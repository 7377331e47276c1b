import { type Dataset, maxRowsPerDate, nameCount } from '../dataset/dataset.ts'
import {
  allocateBuckets,
  type BucketScratch,
  orderDate,
  type ScoreRange,
  scoreRange,
} from '../dataset/order.ts'
import { sampleMoments } from './moments.ts'
import { rankCorrelation } from './scores.ts'

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

/** Decay of the rank information coefficient: Spearman's correlation of the score of period t and the return
 * of period t + k - 1 alone, over the names that have both, ties sharing their mean rank. k = 1 is `rankIc`.
 * A period has no correlation with fewer than two such names, or if either does not vary. Null where
 * `rankIc` returns null.
 *
 * Each date is ordered once by score and once by return. Two dates with the same names, all of them known,
 * use these ranks directly. Otherwise the other names are dropped, and the shared ones keep their order.
 * O(rows) for each k, besides the ordering.
 *
 * @param periods date indices
 * @param ahead the k
 * @see Grinold, R. C. and Kahn, R. N. (2000), Active Portfolio Management, chapter 6 */
export function icDecay(data: Dataset, periods: Int32Array, ahead: readonly number[]): IcAhead[] {
  const scratch = allocateBuckets(maxRowsPerDate(data))
  // The last dates by score, in a ring: older dates are not needed.
  const depth = Math.min(Math.max(...ahead), periods.length)
  const scored = Array.from({ length: depth }, () => allocateDate(data))
  const returned = allocateDate(data)
  const names = sameNames(data, periods)
  const shared = allocateShared(data)
  const found: number[][] = ahead.map(() => [])
  periods.forEach((date, t) => {
    orderValues(data.score, data, date, scratch, scored[t % depth])
    orderValues(data.forwardReturn, data, date, scratch, returned)
    ahead.forEach((k, i) => {
      const from = t - k + 1
      if (from < 0) return
      const scores = scored[from % depth]
      const complete = scores.complete && returned.complete && names[from] === names[t]
      const ic = complete
        ? rankCorrelation(scores.ranks, returned.ranks, returned.count)
        : sharedCorrelation(data, scores, returned, shared)
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

/** The rows of a date in the order of a value. */
interface OrderedDate {
  /** The first `count` rows have the value, ascending. */
  readonly rows: Int32Array
  /** The rank of each row of the date, by its index within the date; ties share the mean of their ranks. */
  readonly ranks: Float64Array
  count: number
  /** Every row of the date has the value. */
  complete: boolean
}

function allocateDate(data: Dataset): OrderedDate {
  const rows = maxRowsPerDate(data)
  return { rows: new Int32Array(rows), ranks: new Float64Array(rows), count: 0, complete: false }
}

const range: ScoreRange = { eligible: 0, min: 0, max: 0, sum: 0 }

function orderValues(
  values: Float64Array,
  { offsets }: Dataset,
  date: number,
  scratch: BucketScratch,
  out: OrderedDate,
): void {
  const start = offsets[date]
  const end = offsets[date + 1]
  scoreRange(values, start, end, range)
  out.count = range.eligible
  out.complete = range.eligible === end - start
  if (range.eligible === 0) return
  orderDate(values, start, end, range, scratch, out.rows)
  for (let from = 0; from < out.count; ) {
    const to = endOfTie(values, out.rows, from, out.count)
    for (let i = from; i < to; i++) out.ranks[out.rows[i] - start] = (from + 1 + to) / 2
    from = to
  }
}

/** The index after the last row that has the same value as row `from`. */
function endOfTie(values: Float64Array, rows: Int32Array, from: number, count: number): number {
  let to = from + 1
  while (to < count && values[rows[to]] === values[rows[from]]) to++
  return to
}

/** A number for each period, equal to that of the previous period if both have rows of the same names. */
function sameNames({ offsets, asset }: Dataset, periods: Int32Array): Int32Array {
  const numbers = new Int32Array(periods.length)
  for (let t = 1; t < periods.length; t++) {
    const start = offsets[periods[t]]
    const before = offsets[periods[t - 1]]
    const rows = offsets[periods[t] + 1] - start
    let same = 0
    if (rows === offsets[periods[t - 1] + 1] - before)
      while (same < rows && asset[start + same] === asset[before + same]) same++
    numbers[t] = same === rows && rows > 0 ? numbers[t - 1] : t
  }
  return numbers
}

/** Memory for the names that two dates share. */
interface SharedNames {
  /** By asset: its rank among the scores of the shared names, 0 for all others. */
  readonly rankOf: Float64Array
  readonly rows: Int32Array
  readonly scoreRanks: Float64Array
  readonly returnRanks: Float64Array
}

function allocateShared(data: Dataset): SharedNames {
  const rows = maxRowsPerDate(data)
  return {
    rankOf: new Float64Array(nameCount(data.assets)),
    rows: new Int32Array(rows),
    scoreRanks: new Float64Array(rows),
    returnRanks: new Float64Array(rows),
  }
}

/** Correlates the scores of one date with the returns of another over the names that both have. */
function sharedCorrelation(
  { asset, score, forwardReturn }: Dataset,
  scores: OrderedDate,
  returns: OrderedDate,
  { rankOf, rows, scoreRanks, returnRanks }: SharedNames,
): number | null {
  for (let i = 0; i < returns.count; i++) rankOf[asset[returns.rows[i]]] = 1
  let count = 0
  for (let i = 0; i < scores.count; i++)
    if (rankOf[asset[scores.rows[i]]] === 1) rows[count++] = scores.rows[i]
  for (let i = 0; i < returns.count; i++) rankOf[asset[returns.rows[i]]] = 0
  for (let from = 0; from < count; ) {
    const to = endOfTie(score, rows, from, count)
    for (let i = from; i < to; i++) rankOf[asset[rows[i]]] = (from + 1 + to) / 2
    from = to
  }
  count = 0
  for (let i = 0; i < returns.count; i++)
    if (rankOf[asset[returns.rows[i]]] !== 0) rows[count++] = returns.rows[i]
  for (let from = 0; from < count; ) {
    const to = endOfTie(forwardReturn, rows, from, count)
    for (let i = from; i < to; i++) {
      scoreRanks[i] = rankOf[asset[rows[i]]]
      returnRanks[i] = (from + 1 + to) / 2
    }
    from = to
  }
  for (let i = 0; i < count; i++) rankOf[asset[rows[i]]] = 0
  return rankCorrelation(scoreRanks, returnRanks, count)
}
