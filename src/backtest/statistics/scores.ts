import { type Dataset, maxRowsPerDate } from '../dataset/dataset.ts'
import { allocateBuckets, orderDate, scoreRange } from '../dataset/order.ts'
import { sampleMoments } from './moments.ts'

export interface RankIc {
  readonly mean: number | null
  readonly deviation: number | null
  /** mean / sd, per period. */
  readonly ratio: number | null
  /** mean / sd * sqrt(n). */
  readonly tStatistic: number | null
  /** n, periods in which a correlation exists. */
  readonly periods: number
}

/** Rank information coefficient: per period Spearman's correlation of score and forward return over the names that
 * have both, ties sharing their mean rank. A period with fewer than two such names, or in which either does not
 * vary, has none.
 *
 * @param periods date indices
 * @see Grinold, R. C. and Kahn, R. N. (2000), Active Portfolio Management, chapter 6 */
export function rankIc(data: Dataset, periods: Int32Array): RankIc {
  const most = maxRowsPerDate(data)
  const scores = new Float64Array(most)
  const returns = new Float64Array(most)
  const scoreRanks = new Float64Array(most)
  const returnRanks = new Float64Array(most)
  const order = new Int32Array(most)
  const values: number[] = []
  for (const date of periods) {
    let count = 0
    for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++) {
      if (Number.isNaN(data.score[row]) || Number.isNaN(data.forwardReturn[row])) continue
      scores[count] = data.score[row]
      returns[count++] = data.forwardReturn[row]
    }
    averageRanks(scores, count, order, scoreRanks)
    averageRanks(returns, count, order, returnRanks)
    const ic = rankCorrelation(scoreRanks, returnRanks, count)
    if (ic !== null) values.push(ic)
  }
  const series = Float64Array.from(values)
  const { mean, deviation } = sampleMoments(series)
  const ratio = deviation === null ? null : mean / deviation
  return {
    mean: values.length === 0 ? null : mean,
    deviation,
    ratio,
    tStatistic: ratio === null ? null : ratio * Math.sqrt(values.length),
    periods: values.length,
  }
}

function rankCorrelation(a: Float64Array, b: Float64Array, count: number): number | null {
  const middle = (count + 1) / 2
  let product = 0
  let squaresA = 0
  let squaresB = 0
  for (let i = 0; i < count; i++) {
    product += (a[i] - middle) * (b[i] - middle)
    squaresA += (a[i] - middle) ** 2
    squaresB += (b[i] - middle) ** 2
  }
  return squaresA === 0 || squaresB === 0 ? null : product / Math.sqrt(squaresA * squaresB)
}

/** Ranks 1 .. n of `values[0 .. count)`, ties sharing the mean of their places, to `ranks`.
 *
 * @param order scratch, at least `count` long */
export function averageRanks(
  values: Float64Array,
  count: number,
  order: Int32Array,
  ranks: Float64Array,
): void {
  const places = order.subarray(0, count)
  for (let i = 0; i < count; i++) places[i] = i
  places.sort((a, b) => values[a] - values[b] || a - b)
  for (let i = 0; i < count; ) {
    let j = i + 1
    while (j < count && values[places[j]] === values[places[i]]) j++
    for (let m = i; m < j; m++) ranks[places[m]] = (i + 1 + j) / 2
    i = j
  }
}

export interface BucketReturn {
  /** 1 holds the weakest scores. */
  readonly bucket: number
  /** Mean over periods of the bucket's equal-weight return; null where it never held a known return. */
  readonly meanReturn: number | null
  /** Periods in which the bucket held a known return. */
  readonly periods: number
}

/** Mean return of each of `buckets` score buckets. A period's eligible names, ordered by (score, asset id), are cut
 * in equal parts (name j of n goes to bucket floor(j buckets / n)); missing returns are left out. */
export function bucketReturns(data: Dataset, periods: Int32Array, buckets: number): BucketReturn[] {
  const scratch = allocateBuckets(maxRowsPerDate(data))
  const range = { eligible: 0, min: 0, max: 0, sum: 0 }
  const totals = new Float64Array(buckets)
  const seen = new Int32Array(buckets)
  const sums = new Float64Array(buckets)
  const known = new Int32Array(buckets)
  for (const date of periods) {
    scoreRange(data.score, data.offsets[date], data.offsets[date + 1], range)
    orderDate(data.score, data.offsets[date], data.offsets[date + 1], range, scratch, scratch.rows, 0)
    sums.fill(0)
    known.fill(0)
    for (let j = 0; j < range.eligible; j++) {
      const r = data.forwardReturn[scratch.rows[j]]
      if (Number.isNaN(r)) continue
      const bucket = Math.floor((j * buckets) / range.eligible)
      sums[bucket] += r
      known[bucket]++
    }
    for (let b = 0; b < buckets; b++) {
      if (known[b] === 0) continue
      totals[b] += sums[b] / known[b]
      seen[b]++
    }
  }
  return Array.from({ length: buckets }, (_, b) => ({
    bucket: b + 1,
    meanReturn: seen[b] === 0 ? null : totals[b] / seen[b],
    periods: seen[b],
  }))
}
