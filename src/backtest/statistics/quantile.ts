/** Quantile of ascending values, interpolated linearly between the two nearest: the value at index p (n - 1).
 * O(1).
 *
 * @param sorted at least one value
 * @param p a probability
 * @see Hyndman, R. J. and Fan, Y. (1996), Sample Quantiles in Statistical Packages, The American
 *   Statistician 50(4), type 7 */
export function quantile(sorted: Float64Array, p: number): number {
  const position = p * (sorted.length - 1)
  const low = Math.floor(position)
  const high = Math.min(low + 1, sorted.length - 1)
  return sorted[low] + (sorted[high] - sorted[low]) * (position - low)
}

interface TailRisk {
  readonly valueAtRisk: number
  readonly expectedShortfall: number
}

/** Historical value at risk and expected shortfall of one period, fractions; positive for losses. With q the
 * quantile 1 - level of the returns, value at risk is -q and expected shortfall minus the mean of the
 * returns at or below q. Null without a period. O(T log T).
 *
 * @param returns per period, fractions
 * @param level such as .95
 * @see Acerbi, C. and Tasche, D. (2002), On the Coherence of Expected Shortfall, Journal of Banking and
 *   Finance 26(7) */
export function tailRisk(returns: Float64Array, level: number): TailRisk | null {
  if (returns.length === 0) return null
  const sorted = returns.slice().sort()
  const bound = quantile(sorted, 1 - level)
  let sum = 0
  let count = 0
  while (count < sorted.length && (sorted[count] <= bound || count === 0)) sum += sorted[count++]
  return { valueAtRisk: -bound, expectedShortfall: -sum / count }
}
