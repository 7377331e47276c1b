import { mean, sampleMoments } from './moments.ts'

/** Annualised volatility: sd * sqrt(P), sd with ddof 1. Null with fewer than two periods; 0 for a series that does not
 * vary. O(T).
 *
 * @param returns per period, fractions
 * @param periodsPerYear P */
export function volatility(returns: Float64Array, periodsPerYear: number): number | null {
  if (returns.length < 2) return null
  return (sampleMoments(returns).standardDeviation ?? 0) * Math.sqrt(periodsPerYear)
}

/** Annualised Sortino ratio against a target of 0: mean / sqrt(mean of min(r, 0)^2) * sqrt(P). All periods count in the
 * downside deviation. Null with fewer than two periods or if no period lost. O(T).
 *
 * @param returns per period, fractions
 * @param periodsPerYear P
 * @see Sortino, F. A. and Price, L. N. (1994), Performance Measurement in a Downside Risk Framework */
export function sortino(returns: Float64Array, periodsPerYear: number): number | null {
  if (returns.length < 2) return null
  let squares = 0
  for (let t = 0; t < returns.length; t++) squares += Math.min(returns[t], 0) ** 2
  if (squares === 0) return null
  return (mean(returns) / Math.sqrt(squares / returns.length)) * Math.sqrt(periodsPerYear)
}

/** Maximum drawdown, the largest fall from a running peak: min of equity / peak - 1, a fraction <= 0. The curve's first
 * point, 1, is a peak too. Below -1 only if a leveraged portfolio lost more than everything. O(T).
 *
 * @param curve from `equityCurve`: at least one point */
export function maxDrawdown(curve: Float64Array): number {
  let peak = curve[0]
  let worst = 0
  for (let i = 0; i < curve.length; i++) {
    if (curve[i] > peak) peak = curve[i]
    worst = Math.min(worst, curve[i] / peak - 1)
  }
  return worst
}

/** Calmar ratio: compound annual growth over the size of the maximum drawdown, here over the whole run rather than 36
 * months. Null without a growth rate or a drawdown.
 *
 * @param growthPerYear from `cagr`, a fraction
 * @param drawdown from `maxDrawdown`, a fraction <= 0
 * @see Young, T. W. (1991), Calmar Ratio: A Smoother Tool, Futures 20(1) */
export function calmar(growthPerYear: number | null, drawdown: number): number | null {
  return growthPerYear === null || drawdown === 0 ? null : growthPerYear / -drawdown
}
