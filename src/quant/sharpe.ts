import { sampleMoments } from './sampleMoments.ts'

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
