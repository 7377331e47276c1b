import { normalQuantile } from '../statistics/normal.ts'
import { probabilisticSharpe, type SharpeRecord } from '../statistics/sharpe.ts'

/** Deflated Sharpe ratio: the probability that the true Sharpe ratio of the best of N trials exceeds the one
 * that the best of N trials without skill is expected to show, PSR(sqrt(V) E(N)). Null if the probabilistic
 * Sharpe ratio is null.
 *
 * @param record of the winner
 * @param trialsVariance V, the ddof-1 variance of the trials' own per-period Sharpe ratios
 * @param trials N, tried or effective
 * @see Bailey, D. H. and Lopez de Prado, M. (2014), The Deflated Sharpe Ratio, Journal of Portfolio
 *   Management 40(5) */
export function deflatedSharpe(record: SharpeRecord, trialsVariance: number, trials: number): number | null {
  return probabilisticSharpe(record, sharpeThreshold(trialsVariance, trials))
}

/** SR* = sqrt(V) E(N): the per-period Sharpe ratio that the best of N worthless trials is expected to show. 0 for one
 * trial.
 *
 * @param trialsVariance V, the ddof-1 variance of the trials' own per-period Sharpe ratios
 * @param trials N, tried or effective
 * @see Bailey, D. H. and Lopez de Prado, M. (2014), The Deflated Sharpe Ratio, Journal of Portfolio Management 40(5) */
export function sharpeThreshold(trialsVariance: number, trials: number): number {
  return Math.sqrt(trialsVariance) * expectedMaxOfNormals(trials)
}

const eulerMascheroni = 0.5772156649015329

/** Expected maximum of N independent standard normals: the Sharpe ratio of the best of N worthless trials, in units of
 * the trials' deviation:
 *
 *   E(N) = (1 - gamma) PHI^-1(1 - 1/N) + gamma PHI^-1(1 - 1/(N e))
 *
 * 0 for one trial or fewer, and never below 0 (for an effective number of trials just above 1 the approximation would
 * be).
 *
 * @param trials N; may be fractional
 * @see Bailey, D. H. and Lopez de Prado, M. (2014), The Deflated Sharpe Ratio, Journal of Portfolio Management 40(5) */
export function expectedMaxOfNormals(trials: number): number {
  if (trials <= 1) return 0
  const expected =
    (1 - eulerMascheroni) * normalQuantile(1 - 1 / trials) +
    eulerMascheroni * normalQuantile(1 - 1 / (trials * Math.E))
  return Math.max(0, expected)
}
