import { sampleMoments } from './sampleMoments.ts'

/** Sharpe ratio annualised for serially correlated returns: mean / sd * eta(q), q = P periods a year,
 *
 *   eta(q) = q / sqrt(q + 2 sum_{k=1..L} (q - k) rho_k),   rho_k = sum x_t x_{t-k} / sum x_t^2,  x demeaned.
 *
 * Without autocorrelation eta(q) = sqrt(q). Null where the Sharpe ratio is null or the root's argument <= 0.
 * O(T L).
 *
 * @param returns per period, fractions
 * @param lags L, from `loLags`
 * @see Lo, A. W. (2002), The Statistics of Sharpe Ratios, Financial Analysts Journal 58(4), equation 20 */
export function loSharpe(returns: Float64Array, periodsPerYear: number, lags: number): number | null {
  const { mean, deviation } = sampleMoments(returns)
  if (deviation === null) return null
  const eta = loEta(returns, mean, periodsPerYear, lags)
  return eta === null ? null : (mean / deviation) * eta
}

function loEta(returns: Float64Array, mean: number, q: number, lags: number): number | null {
  let variance = 0
  for (let t = 0; t < returns.length; t++) variance += (returns[t] - mean) ** 2
  let weighted = 0
  for (let k = 1; k <= lags; k++) {
    let covariance = 0
    for (let t = k; t < returns.length; t++) covariance += (returns[t] - mean) * (returns[t - k] - mean)
    weighted += (q - k) * (covariance / variance)
  }
  const denominator = q + 2 * weighted
  return denominator > 0 ? q / Math.sqrt(denominator) : null
}
