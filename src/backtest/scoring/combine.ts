import { type Dataset, maxRowsPerDate } from '../dataset/dataset.ts'
import { type ReturnLength, returnEndDays } from '../dataset/returnEnds.ts'
import type { DateView } from '../dataset/subset.ts'
import { averageRanks, rankCorrelation } from '../statistics/scores.ts'

/** With fewer periods behind it, a mean IC is noise, and all columns get the same weight. */
export const minTrainingPeriods = 12

/** The weights of some columns on some dates. */
export interface CombinationWeights {
  /** Date indices, ascending. */
  readonly dates: Int32Array
  /** One per column and date, with absolute values that sum to 1: column c of date i is at `i * columns + c`. */
  readonly weights: Float64Array
  /** For each date the number of training periods. */
  readonly trainingPeriods: Int32Array
}

/** Several scores of the same rows as one score. A name has it on a date if it has every one of them; n names do:
 *
 *   combined_i = sum_c w_c (rank_ci - 1/2) / n
 *
 * where rank_ci is the name's rank, 1 .. n, by score c among these names, ties sharing their mean rank.
 *
 * @param scores one array per column, one value per row; NaN: none
 * @param weightsOf the weights of a date: w_c = 1 / columns for the plain rank average */
export function combineRanks(
  data: Dataset,
  { firstDate, endDate }: Pick<DateView, 'firstDate' | 'endDate'>,
  scores: readonly Float64Array[],
  weightsOf: (date: number) => ArrayLike<number>,
): Float64Array {
  const combined = new Float64Array(new SharedArrayBuffer(8 * data.score.length)).fill(Number.NaN)
  const maxRows = maxRowsPerDate(data)
  const values = new Float64Array(maxRows)
  const ranks = new Float64Array(maxRows)
  const order = new Int32Array(maxRows)
  for (let date = firstDate; date < endDate; date++) {
    const rows: number[] = []
    for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++)
      if (scores.every(score => !Number.isNaN(score[row]))) rows.push(row)
    const weights = weightsOf(date)
    for (const row of rows) combined[row] = 0
    scores.forEach((score, c) => {
      rows.forEach((row, i) => {
        values[i] = score[row]
      })
      averageRanks(values, rows.length, order, ranks)
      rows.forEach((row, i) => {
        combined[row] += (weights[c] * (ranks[i] - 0.5)) / rows.length
      })
    })
  }
  return combined
}

/** The weights of a combination by training ICs. On date t the weight of column c is its mean rank IC over the periods
 * whose returns ended before t, divided by the sum of the absolute mean ICs of all columns. A column with a negative
 * mean IC has a negative weight.
 *
 * `returnEndDays` says when a return ends.
 *
 * All weights are 1 / columns while fewer than `minTrainingPeriods` such periods have an IC of every column, or if all
 * mean ICs are 0. So no weight depends on a return that ends on date t or later.
 *
 * @param scores one array per column
 * @param periods date indices of the rebalances, ascending: the training periods */
export function trainingWeights(
  data: Dataset,
  { firstDate, endDate }: Pick<DateView, 'firstDate' | 'endDate'>,
  scores: readonly Float64Array[],
  periods: Int32Array,
  length: ReturnLength,
): CombinationWeights {
  const count = endDate - firstDate
  const weights = new Float64Array(count * scores.length)
  const trainingPeriods = new Int32Array(count)
  const ics = scores.map(score => periodIcs({ ...data, score }, periods))
  const endDays = returnEndDays(data, length)
  const sums = new Float64Array(scores.length)
  let known = 0
  let next = 0
  for (let i = 0; i < count; i++) {
    const day = data.days[firstDate + i]
    for (; next < periods.length; next++) {
      if (endDays[periods[next]] >= day) break
      if (ics.some(values => Number.isNaN(values[next]))) continue
      for (let c = 0; c < scores.length; c++) sums[c] += ics[c][next]
      known++
    }
    trainingPeriods[i] = known
    const total = sums.reduce((sum, value) => sum + Math.abs(value), 0)
    for (let c = 0; c < scores.length; c++)
      weights[i * scores.length + c] =
        known < minTrainingPeriods || total === 0 ? 1 / scores.length : sums[c] / total
  }
  return { dates: Int32Array.from({ length: count }, (_, i) => firstDate + i), weights, trainingPeriods }
}

/** The rank IC of each period; NaN where it does not exist. */
function periodIcs(data: Dataset, periods: Int32Array): Float64Array {
  return rankCorrelations(data, periods, data.score, data.decisionReturn ?? data.forwardReturn)
}

/** Spearman's correlation of two columns over the names that have both, for each period; NaN where it does not exist. */
export function rankCorrelations(
  data: Dataset,
  periods: Int32Array,
  a: Float64Array,
  b: Float64Array,
): Float64Array {
  const maxRows = maxRowsPerDate(data)
  const [valuesA, valuesB, ranksA, ranksB] = Array.from({ length: 4 }, () => new Float64Array(maxRows))
  const order = new Int32Array(maxRows)
  return Float64Array.from(periods, date => {
    let count = 0
    for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++) {
      if (Number.isNaN(a[row]) || Number.isNaN(b[row])) continue
      valuesA[count] = a[row]
      valuesB[count++] = b[row]
    }
    averageRanks(valuesA, count, order, ranksA)
    averageRanks(valuesB, count, order, ranksB)
    return rankCorrelation(ranksA, ranksB, count) ?? Number.NaN
  })
}
