import { sampleMoments } from './moments.ts'
import { normalCdf, normalQuantile } from './normal.ts'

/** Annualised Sharpe ratio: mean / sd * sqrt(P), sd with ddof 1 and a risk-free rate of 0 (a long-short portfolio
 * finances itself). Null with fewer than two periods or no deviation. O(T).
 *
 * @param returns per period, fractions
 * @param periodsPerYear P; 1 gives the ratio per period
 * @see Sharpe, W. F. (1994), The Sharpe Ratio, Journal of Portfolio Management 21(1) */
export function sharpe(returns: Float64Array, periodsPerYear: number): number | null {
  const { mean, standardDeviation } = sampleMoments(returns)
  return standardDeviation === null ? null : (mean / standardDeviation) * Math.sqrt(periodsPerYear)
}

/** Annualised information ratio: the Sharpe ratio of net return minus the equal-weight return of the universe, period
 * by period. Null with fewer than two periods or no deviation. O(T).
 *
 * @param net per period, fractions
 * @param universe likewise, of the same length
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

/** Lo's Sharpe ratio, annualised for serially correlated returns: mean / sd * eta(P), see `loEta`. Null if
 * the Sharpe ratio or eta is null. O(T L).
 *
 * @param returns per period, fractions
 * @param lags L, from `loLags`
 * @see Lo, A. W. (2002), The Statistics of Sharpe Ratios, Financial Analysts Journal 58(4) */
export function loSharpe(returns: Float64Array, periodsPerYear: number, lags: number): number | null {
  const { mean, standardDeviation } = sampleMoments(returns)
  if (standardDeviation === null) return null
  const eta = loEta(periodsPerYear, autocorrelations(returns, mean, lags))
  return eta === null ? null : (mean / standardDeviation) * eta
}

/** Lo's scale from a per-period to an annual Sharpe ratio under autocorrelation:
 *
 *   eta(q) = q / sqrt(q + 2 sum_{k=1..L} (q - k) rho_k)
 *
 * sqrt(q) without autocorrelation. Null if the root's argument is <= 0.
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

/** Autocorrelation lags for `loSharpe`: L = max(h, floor(4 (T/100)^(2/9))), at most T / 10 and P - 1, at least 0. The
 * second term is Newey and West's (1994) rule of thumb; h, because a portfolio of h tranches is correlated that far. */
export function loLags(periods: number, tranches: number, periodsPerYear: number): number {
  const wanted = Math.max(tranches, Math.floor(4 * (periods / 100) ** (2 / 9)))
  return Math.max(0, Math.floor(Math.min(wanted, periods / 10, periodsPerYear - 1)))
}

/** Autocorrelations rho_1 .. rho_lags of a series: rho_k = sum_{t > k} x_t x_{t-k} / sum x_t^2, x demeaned. 0 for a
 * series that does not vary. O(T lags). */
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

/** A record's Sharpe ratio and what its standard error depends on. Everything is per period, nothing annualised. */
export interface SharpeRecord {
  readonly sharpePerPeriod: number
  /** T. */
  readonly periods: number
  /** g3, population moment. */
  readonly skew: number
  /** g4, population moment; a normal distribution has 3. */
  readonly kurtosisRaw: number
}

/** Probabilistic Sharpe ratio: the probability that the true Sharpe ratio exceeds SR*, given T periods of returns that
 * need not be normal:
 *
 *   PSR(SR*) = PHI((SR - SR*) sqrt(T - 1) / sqrt(1 - g3 SR + (g4 - 1) / 4 SR^2))
 *
 * Null with fewer than two periods, or if the moments make the variance of SR zero or negative.
 *
 * @param benchmarkPerPeriod SR*
 * @see Bailey, D. H. and Lopez de Prado, M. (2012), The Sharpe Ratio Efficient Frontier, Journal of Risk 15(2) */
export function probabilisticSharpe(record: SharpeRecord, benchmarkPerPeriod: number): number | null {
  const variance = sharpeErrorVariance(record)
  if (record.periods < 2 || !(variance > 0)) return null
  const distance = record.sharpePerPeriod - benchmarkPerPeriod
  return normalCdf((distance * Math.sqrt(record.periods - 1)) / Math.sqrt(variance))
}

/** Minimum track record length: the periods T that a record with these moments needs before its probabilistic Sharpe
 * ratio against SR* reaches `confidence`:
 *
 *   MinTRL = 1 + (1 - g3 SR + (g4 - 1) / 4 SR^2) (PHI^-1(confidence) / (SR - SR*))^2
 *
 * Not rounded up. Null if SR <= SR*: no length is enough.
 *
 * @param benchmarkPerPeriod SR*
 * @param confidence a probability, such as .95
 * @see Bailey, D. H. and Lopez de Prado, M. (2012), The Sharpe Ratio Efficient Frontier, Journal of Risk 15(2) */
export function minTrackRecordPeriods(
  record: Omit<SharpeRecord, 'periods'>,
  benchmarkPerPeriod: number,
  confidence: number,
): number | null {
  const distance = record.sharpePerPeriod - benchmarkPerPeriod
  if (!(distance > 0)) return null
  return 1 + sharpeErrorVariance(record) * (normalQuantile(confidence) / distance) ** 2
}

/** T - 1 times the variance of an estimated per-period Sharpe ratio: 1 - g3 SR + (g4 - 1) / 4 SR^2. For normal returns
 * 1 + SR^2 / 2. Never negative for moments that a distribution can have, since g4 >= 1 + g3^2.
 *
 * @see Mertens, E. (2002), Comments on Variance of the IID estimator in Lo (2002) */
function sharpeErrorVariance({ sharpePerPeriod, skew, kurtosisRaw }: Omit<SharpeRecord, 'periods'>): number {
  return 1 - skew * sharpePerPeriod + ((kurtosisRaw - 1) / 4) * sharpePerPeriod ** 2
}
