import { averageRanks } from './averageRanks.ts'
import type { Dataset } from './dataset.ts'
import { maxRowsPerDate } from './maxRowsPerDate.ts'
import { sampleMoments } from './sampleMoments.ts'

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
