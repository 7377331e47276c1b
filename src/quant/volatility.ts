import { sampleMoments } from './sampleMoments.ts'

/** Annualised volatility: sd * sqrt(P), sd with ddof 1. Null with fewer than two periods; 0 for a series that
 * does not move. */
export function volatility(returns: Float64Array, periodsPerYear: number): number | null {
  if (returns.length < 2) return null
  return (sampleMoments(returns).deviation ?? 0) * Math.sqrt(periodsPerYear)
}
