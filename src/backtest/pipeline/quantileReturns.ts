import type { Dataset } from '../dataset/dataset.ts'
import type { PerformanceFields } from '../resultPerformance.ts'
import { sampleMoments } from '../statistics/moments.ts'
import { bucketSeries } from '../statistics/scores.ts'
import { finiteOrNull } from './resultFields.ts'

const buckets = 10

/** The section `quantile_returns` of a result: each score bucket over the whole record and by calendar
 * year. */
export function writeQuantileReturns(
  data: Dataset,
  periods: Int32Array,
  days: Int32Array,
): PerformanceFields['quantile_returns'] {
  const years = Int32Array.from(days, day => new Date(day * 86_400_000).getUTCFullYear())
  const distinct = [...new Set(years)]
  return bucketSeries(data, periods, buckets).map((returns, b) => ({
    bucket: b + 1,
    ...meanWithError(returns),
    years: distinct.map(year => ({ year, ...meanWithError(returns.filter((_, t) => years[t] === year)) })),
  }))
}

/** The mean of the known returns and its standard error, sd (ddof 1) / sqrt(n); no error with fewer than two
 * returns. The standard error assumes that periods are independent. */
function meanWithError(returns: Float64Array) {
  const known = returns.filter(value => !Number.isNaN(value))
  const { mean, standardDeviation } = sampleMoments(known)
  return {
    mean_return: known.length === 0 ? null : finiteOrNull(mean),
    standard_error: finiteOrNull(
      standardDeviation === null ? null : standardDeviation / Math.sqrt(known.length),
    ),
    n_periods: known.length,
  }
}
