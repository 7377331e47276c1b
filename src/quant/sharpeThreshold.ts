import { expectedMaximumSharpe } from './expectedMaximumSharpe.ts'

/** SR* = sqrt(V) E(N): the per-period Sharpe ratio that the best of N worthless trials is expected to show. 0 for one
 * trial.
 *
 * @param trialsVariance V, the ddof-1 variance of the trials' own per-period Sharpe ratios
 * @param trials N, tried or effective
 * @see Bailey, D. H. and Lopez de Prado, M. (2014), The Deflated Sharpe Ratio, Journal of Portfolio Management 40(5) */
export function sharpeThreshold(trialsVariance: number, trials: number): number {
  return Math.sqrt(trialsVariance) * expectedMaximumSharpe(trials)
}
