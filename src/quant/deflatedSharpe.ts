import { probabilisticSharpe, type SharpeRecord } from './probabilisticSharpe.ts'
import { sharpeThreshold } from './sharpeThreshold.ts'

/** Deflated Sharpe ratio: the probability that the true Sharpe ratio of the best of N trials exceeds what the best of
 * N worthless ones would show, PSR(sqrt(V) E(N)). Null where the probabilistic Sharpe ratio is.
 *
 * @param record of the winner
 * @param trialsVariance V, the ddof-1 variance of the trials' own per-period Sharpe ratios
 * @param trials N
 * @see Bailey, D. H. and Lopez de Prado, M. (2014), The Deflated Sharpe Ratio, Journal of Portfolio Management 40(5) */
export function deflatedSharpe(record: SharpeRecord, trialsVariance: number, trials: number): number | null {
  return probabilisticSharpe(record, sharpeThreshold(trialsVariance, trials))
}
