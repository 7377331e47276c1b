import { mean } from '../statistics/moments.ts'

/** Mean block length of the stationary bootstrap that minimises the mean squared error of the variance of a mean, chosen from the
 * series itself:
 *
 *   b = (2 G^2 / D)^(1/3) T^(1/3),  D = 2 g(0)^2,
 *   G = sum_{|k| <= M} lambda(k / M) |k| R(k),  g(0) = sum_{|k| <= M} lambda(k / M) R(k)
 *
 * R(k) is the autocovariance (divided by T), lambda the flat-top window: 1 up to 1/2, then falling to 0 at 1. M = 2 m. m is
 * the first lag from which K = max(5, floor(log10 T)) autocorrelations in a row are below 2 sqrt(log10 T / T); without such a
 * run M = ceil(sqrt T) + K. D is that of the 2009 correction; 2004 printed another one.
 *
 * In periods, between 1 and ceil(min(3 sqrt T, T / 3)). 1 for fewer than three periods, or a series that does not vary.
 * O(T sqrt T).
 *
 * @param series per period, in any unit; T values, none of them NaN
 * @see Politis, D. N. and White, H. (2004), Automatic Block-Length Selection for the Dependent Bootstrap, Econometric Reviews 23(1)
 * @see Patton, A., Politis, D. N. and White, H. (2009), Correction to the above, Econometric Reviews 28(4) */
export function optimalBlockLength(series: Float64Array): number {
  const periods = series.length
  if (periods < 3) return 1
  const center = mean(series)
  const deviations = series.map(value => value - center)
  const run = Math.max(5, Math.floor(Math.log10(periods)))
  const maxLag = Math.min(periods - 1, Math.ceil(Math.sqrt(periods)) + run)
  const covariances = autocovariances(deviations, maxLag)
  if (!(covariances[0] > 0) || !variesBeyondRounding(series, covariances[0])) return 1
  const bandwidth = Math.min(maxLag, 2 * firstQuietLag(covariances, run, periods))
  let weighted = 0
  let spectrum = covariances[0]
  for (let k = 1; k <= bandwidth; k++) {
    const share = k / bandwidth
    const window = share <= 0.5 ? 1 : 2 * (1 - share)
    weighted += 2 * window * k * covariances[k]
    spectrum += 2 * window * covariances[k]
  }
  const length = Math.cbrt((weighted / spectrum) ** 2 * periods)
  const largest = Math.ceil(Math.min(3 * Math.sqrt(periods), periods / 3))
  // A spectrum of 0 has no finite best length.
  return Number.isNaN(length) ? largest : Math.max(1, Math.min(length, largest))
}

/** R(0) .. R(maxLag) of a demeaned series. */
function autocovariances(deviations: Float64Array, maxLag: number): Float64Array {
  const periods = deviations.length
  const covariances = new Float64Array(maxLag + 1)
  for (let k = 0; k <= maxLag; k++) {
    let sum = 0
    for (let t = k; t < periods; t++) sum += deviations[t] * deviations[t - k]
    covariances[k] = sum / periods
  }
  return covariances
}

function variesBeyondRounding(series: Float64Array, variance: number): boolean {
  let largest = 0
  for (const value of series) largest = Math.max(largest, Math.abs(value))
  return Math.sqrt(variance) > 1e-13 * largest
}

/** m: the first lag from which `run` autocorrelations are insignificant; beyond all lags if there is none. */
function firstQuietLag(covariances: Float64Array, run: number, periods: number): number {
  const bound = 2 * Math.sqrt(Math.log10(periods) / periods) * covariances[0]
  let quiet = 0
  for (let k = 1; k < covariances.length; k++) {
    quiet = Math.abs(covariances[k]) < bound ? quiet + 1 : 0
    if (quiet === run) return k - run + 1
  }
  return covariances.length
}
