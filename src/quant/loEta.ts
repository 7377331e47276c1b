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
