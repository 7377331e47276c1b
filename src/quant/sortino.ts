import { mean } from './mean.ts'

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
