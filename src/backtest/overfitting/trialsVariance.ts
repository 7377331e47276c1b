import { sampleMoments } from '../statistics/moments.ts'
import { sharpe } from '../statistics/sharpe.ts'
import { sharpeThreshold } from './deflatedSharpe.ts'

/** V, the ddof-1 variance of the trials' own per-period Sharpe ratios. A trial without one is left out; 0
 * with fewer than two that have one. */
export function trialsVarianceOf(sharpesPerPeriod: readonly (number | null)[]): number {
  const known = sharpesPerPeriod.filter(value => value !== null)
  return (sampleMoments(Float64Array.from(known)).standardDeviation ?? 0) ** 2
}

/** The variance of the per-period Sharpe ratio of a trial without skill, 1 / (T - 1): what V comes to when
 * independent trials differ by chance alone. 0 with fewer than two periods.
 *
 * @param periods T
 * @see Lo, A. W. (2002), The Statistics of Sharpe Ratios, Financial Analysts Journal 58(4), at a Sharpe
 *   ratio of 0 */
export function chanceVariance(periods: number): number {
  return periods < 2 ? 0 : 1 / (periods - 1)
}

/** The A trials that a caller made before a request, and what is assumed about them. Their records are not known. */
export interface TriedBefore {
  /** A, at least 1. */
  readonly count: number
  /** Where V comes from: `trials`, from the trials of the request; `chance`, from the sampling error. */
  readonly basis: 'trials' | 'chance'
  /** V, per period. */
  readonly trialsVariance: number
  /** SR* of all M + A trials, per period. */
  readonly sharpeThreshold: number
}

/** What is assumed about A trials that were made before the M trials of a request:
 *
 * - If at least two of the M have a Sharpe ratio, V is their variance: the A trials are assumed to scatter as these do.
 * - Otherwise V is 1 / (T - 1), the sampling variance of a Sharpe ratio whose true value is 0: all trials are assumed to
 *   be independent and without skill.
 *
 * SR* is then sqrt(V) E(M + A), see `sharpeThreshold`. Null if A is 0.
 *
 * @param series judged returns per period, one array per trial
 * @param count A
 * @see Bailey, D. H. and Lopez de Prado, M. (2014), The Deflated Sharpe Ratio, Journal of Portfolio Management 40(5)
 * @see Lo, A. W. (2002), The Statistics of Sharpe Ratios, Financial Analysts Journal 58(4) */
export function triedBefore(series: readonly Float64Array[], count: number): TriedBefore | null {
  if (count === 0) return null
  const sharpes = series.map(values => sharpe(values, 1))
  const basis = sharpes.filter(value => value !== null).length > 1 ? 'trials' : 'chance'
  const trialsVariance = basis === 'trials' ? trialsVarianceOf(sharpes) : chanceVariance(series[0].length)
  return {
    count,
    basis,
    trialsVariance,
    sharpeThreshold: sharpeThreshold(trialsVariance, series.length + count),
  }
}
