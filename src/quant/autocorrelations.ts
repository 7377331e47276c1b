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
