import { type Dataset, maxRowsPerDate, type Ranking } from './dataset.ts'
import { allocateBuckets, orderDate, type ScoreRange, scoreRange } from './order.ts'

/** The same dataset with its ranking, in shared memory. The ranking pays off if many backtests follow. */
export function rankDataset(data: Dataset): Dataset & { ranking: Ranking } {
  const dates = data.days.length
  const ranking = {
    rank: new Int32Array(new SharedArrayBuffer(4 * data.asset.length)),
    eligible: new Int32Array(new SharedArrayBuffer(4 * dates)),
    meanScore: new Float64Array(new SharedArrayBuffer(8 * dates)),
    universe: new Float64Array(new SharedArrayBuffer(8 * dates)),
    known: new Int32Array(new SharedArrayBuffer(4 * dates)),
  }
  const scratch = allocateBuckets(maxRowsPerDate(data))
  const range: ScoreRange = { eligible: 0, min: 0, max: 0, sum: 0 }
  for (let date = 0; date < dates; date++) {
    const start = data.offsets[date]
    const end = data.offsets[date + 1]
    scoreRange(data.score, start, end, range)
    orderDate(data.score, start, end, range, scratch, scratch.rows)
    if (range.eligible < end - start) ranking.rank.fill(-1, start, end)
    for (let j = 0; j < range.eligible; j++) ranking.rank[scratch.rows[j]] = j
    ranking.eligible[date] = range.eligible
    ranking.meanScore[date] = range.eligible === 0 ? 0 : range.sum / range.eligible
    universeReturn(data.forwardReturn, start, end, ranking.universe, ranking.known, date)
  }
  return { ...data, ranking }
}

/** The equal-weight mean return of the universe in each period, and the number of known returns. */
export function universeReturns(
  data: Dataset,
  periods: Int32Array,
): { universe: Float64Array; known: Int32Array } {
  const { ranking, forwardReturn, offsets } = data
  const universe = new Float64Array(periods.length)
  const known = new Int32Array(periods.length)
  for (let t = 0; t < periods.length; t++) {
    const date = periods[t]
    if (ranking) {
      universe[t] = ranking.universe[date]
      known[t] = ranking.known[date]
    } else universeReturn(forwardReturn, offsets[date], offsets[date + 1], universe, known, t)
  }
  return { universe, known }
}

/** Writes the mean of the known returns of rows start .. end - 1 to `universe[t]` (0 if none is known), and
 * their number to `known[t]`.
 *
 * Four running sums, because a single one would wait for each addition. A missing return makes the sum NaN,
 * and only then are the returns checked one by one. */
export function universeReturn(
  forwardReturn: Float64Array,
  start: number,
  end: number,
  universe: Float64Array,
  known: Int32Array,
  t: number,
): void {
  let sumA = 0
  let sumB = 0
  let sumC = 0
  let sumD = 0
  let row = start
  for (; row + 3 < end; row += 4) {
    sumA += forwardReturn[row]
    sumB += forwardReturn[row + 1]
    sumC += forwardReturn[row + 2]
    sumD += forwardReturn[row + 3]
  }
  for (; row < end; row++) sumA += forwardReturn[row]
  let sum = sumA + sumB + (sumC + sumD)
  let count = end - start
  if (Number.isNaN(sum)) {
    sum = 0
    count = 0
    for (row = start; row < end; row++) {
      const r = forwardReturn[row]
      if (Number.isNaN(r)) continue
      sum += r
      count++
    }
  }
  universe[t] = count === 0 ? 0 : sum / count
  known[t] = count
}
