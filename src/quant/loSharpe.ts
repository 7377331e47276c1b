import { autocorrelations } from './autocorrelations.ts'
import { loEta } from './loEta.ts'
import { sampleMoments } from './sampleMoments.ts'

/** Sharpe ratio annualised for serially correlated returns: mean / sd * eta(P), see `loEta`. Null where the Sharpe
 * ratio or eta is null. O(T L).
 *
 * @param returns per period, fractions
 * @param lags L, from `loLags`
 * @see Lo, A. W. (2002), The Statistics of Sharpe Ratios, Financial Analysts Journal 58(4) */
export function loSharpe(returns: Float64Array, periodsPerYear: number, lags: number): number | null {
  const { mean, deviation } = sampleMoments(returns)
  if (deviation === null) return null
  const eta = loEta(periodsPerYear, autocorrelations(returns, mean, lags))
  return eta === null ? null : (mean / deviation) * eta
}
