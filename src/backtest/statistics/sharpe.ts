import { mean, sampleMoments } from './moments.ts'

/** Annualised Sharpe ratio: mean / sd * sqrt(P), sd with ddof 1, the risk-free rate taken as 0 (a long-short book
 * finances itself). Null with fewer than two periods or no deviation.
 *
 * @param returns per period, fractions
 * @param periodsPerYear P
 * @see Sharpe, W. F. (1994), The Sharpe Ratio, Journal of Portfolio Management 21(1) */
export function sharpe(returns: Float64Array, periodsPerYear: number): number | null {
  const { mean, deviation } = sampleMoments(returns)
  return deviation === null ? null : (mean / deviation) * Math.sqrt(periodsPerYear)
}

/** Annualised information ratio: the Sharpe ratio of net return minus the equal-weight universe's return, period
 * by period. Null with fewer than two periods or no deviation.
 *
 * @see Grinold, R. C. and Kahn, R. N. (2000), Active Portfolio Management, chapter 5 */
export function informationRatio(
  net: Float64Array,
  universe: Float64Array,
  periodsPerYear: number,
): number | null {
  const active = new Float64Array(net.length)
  for (let t = 0; t < net.length; t++) active[t] = net[t] - universe[t]
  return sharpe(active, periodsPerYear)
}

/** Annualised Sortino ratio against a target of 0: mean / sqrt(mean of min(r, 0)^2) * sqrt(P). All periods count
 * in the downside deviation. Null with fewer than two periods or where no period lost.
 *
 * @see Sortino, F. A. and Price, L. N. (1994), Performance Measurement in a Downside Risk Framework */
export function sortino(returns: Float64Array, periodsPerYear: number): number | null {
  if (returns.length < 2) return null
  let squares = 0
  for (let t = 0; t < returns.length; t++) squares += Math.min(returns[t], 0) ** 2
  if (squares === 0) return null
  return (mean(returns) / Math.sqrt(squares / returns.length)) * Math.sqrt(periodsPerYear)
}

/** Annualised volatility: sd * sqrt(P), sd with ddof 1. Null with fewer than two periods; 0 for a series that
 * does not move. */
export function volatility(returns: Float64Array, periodsPerYear: number): number | null {
  if (returns.length < 2) return null
  return (sampleMoments(returns).deviation ?? 0) * Math.sqrt(periodsPerYear)
}

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

/** Scale from a per-period to an annual Sharpe ratio under autocorrelation:
 *
 *   eta(q) = q / sqrt(q + 2 sum_{k=1..L} (q - k) rho_k)
 *
 * sqrt(q) without autocorrelation. Null where the root's argument is <= 0.
 *
 * @param q periods in a year
 * @param rho rho_1 .. rho_L
 * @see Lo, A. W. (2002), The Statistics of Sharpe Ratios, Financial Analysts Journal 58(4), equation 20 */
export function loEta(q: number, rho: Float64Array): number | null {
  let weighted = 0
  for (let k = 1; k <= rho.length; k++) weighted += (q - k) * rho[k - 1]
  const denominator = q + 2 * weighted
  return denominator > 0 ? q / Math.sqrt(denominator) : null
}

/** Autocorrelation lags that `loSharpe` uses: L = max(h, floor(4 (T/100)^(2/9))), at most T / 10 and P - 1. The
 * second term is Newey and West's (1994) rule of thumb; h because a book of h tranches is correlated that far. */
export function loLags(periods: number, tranches: number, periodsPerYear: number): number {
  const wanted = Math.max(tranches, Math.floor(4 * (periods / 100) ** (2 / 9)))
  return Math.max(0, Math.floor(Math.min(wanted, periods / 10, periodsPerYear - 1)))
}

/** rho_1 .. rho_lags of a series: rho_k = sum_{t > k} x_t x_{t-k} / sum x_t^2, x demeaned. 0 for a series that does
 * not vary. O(T lags). */
export function autocorrelations(values: Float64Array, mean: number, lags: number): Float64Array {
  const rho = new Float64Array(lags)
  let variance = 0
  for (let t = 0; t < values.length; t++) variance += (values[t] - mean) ** 2
  if (variance === 0) return rho
  for (let k = 1; k <= lags; k++) {
    let covariance = 0
    for (let t = k; t < values.length; t++) covariance += (values[t] - mean) * (values[t - k] - mean)
    rho[k - 1] = covariance / variance
  }
  return rho
}
