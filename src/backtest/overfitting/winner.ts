import { kurtosisRaw, sampleMoments, skewness } from '../statistics/moments.ts'
import {
  deflatedSharpe,
  minTrackRecordPeriods,
  probabilisticSharpe,
  sharpe,
  sharpeThreshold,
} from '../statistics/sharpe.ts'
import { pbo } from './pbo.ts'

/** What decides between trials. */
interface TrialScore {
  readonly label: string
  readonly sharpe: number | null
  readonly avgTurnover: number
}

/** The index of the trial with the highest Sharpe ratio. Ties go to the lower turnover, then to the first label in
 * code-unit order. A trial without a Sharpe ratio ranks below all that have one. */
export function pickWinner(trials: readonly TrialScore[]): number {
  let best = 0
  for (let i = 1; i < trials.length; i++) if (beats(trials[i], trials[best])) best = i
  return best
}

function beats(a: TrialScore, b: TrialScore): boolean {
  const sharpeA = a.sharpe ?? Number.NEGATIVE_INFINITY
  const sharpeB = b.sharpe ?? Number.NEGATIVE_INFINITY
  if (sharpeA !== sharpeB) return sharpeA > sharpeB
  if (a.avgTurnover !== b.avgTurnover) return a.avgTurnover < b.avgTurnover
  return a.label < b.label
}

/** What remains of a winner's Sharpe ratio once the trials it was picked from are taken into account. Sharpe ratios are per
 * period. A field is null if its statistic is not defined: see statistics/sharpe.ts and `pbo`. */
export interface Deflation {
  readonly dsr: number | null
  readonly survives: boolean
  readonly trials: number
  readonly sharpePerPeriod: number | null
  readonly sharpeThreshold: number
  readonly trialsVariance: number
  readonly skew: number | null
  readonly kurtosisRaw: number | null
  readonly periods: number
  readonly trialsEffective: number
  readonly dsrEffective: number | null
  readonly psr: number | null
  readonly minTrackRecordPeriods: number | null
  readonly pbo: number | null
}

/** The probability that `survives` requires, and that a record of `minTrackRecordPeriods` reaches. */
const confidence = 0.95

/** The deflated Sharpe ratio of trial `winner` and everything it is computed from. V is the ddof-1 variance of the
 * trials' own per-period Sharpe ratios; a trial without one counts among the N trials but not in V. One trial has
 * threshold 0.
 *
 * @param series net returns per period, fractions, one array per trial
 * @param winner index into `series`, from `pickWinner` */
export function deflateWinner(series: readonly Float64Array[], winner: number): Deflation {
  const net = series[winner]
  const trials = series.length
  const sharpes = series.map(values => sharpe(values, 1)).filter(value => value !== null)
  const trialsVariance = (sampleMoments(Float64Array.from(sharpes)).standardDeviation ?? 0) ** 2
  const trialsEffective = effectiveTrials(trials, meanPairwiseCorrelation(series))
  const known = {
    trials,
    trialsVariance,
    trialsEffective,
    periods: net.length,
    sharpeThreshold: sharpeThreshold(trialsVariance, trials),
    pbo: pbo(series),
  }
  const sharpePerPeriod = sharpe(net, 1)
  const skew = skewness(net)
  const kurtosis = kurtosisRaw(net)
  if (sharpePerPeriod === null || skew === null || kurtosis === null) {
    return {
      ...known,
      dsr: null,
      survives: false,
      sharpePerPeriod,
      skew,
      kurtosisRaw: kurtosis,
      dsrEffective: null,
      psr: null,
      minTrackRecordPeriods: null,
    }
  }
  const record = { sharpePerPeriod, periods: net.length, skew, kurtosisRaw: kurtosis }
  const dsr = deflatedSharpe(record, trialsVariance, trials)
  return {
    ...known,
    ...record,
    dsr,
    survives: dsr !== null && dsr >= confidence,
    dsrEffective: deflatedSharpe(record, trialsVariance, trialsEffective),
    psr: probabilisticSharpe(record, 0),
    minTrackRecordPeriods: minTrackRecordPeriods(record, 0, confidence),
  }
}

/** Effective number of independent trials: rho + (1 - rho) M, rho being the mean correlation between pairs of the M
 * trials. Uncorrelated trials count in full, equal ones as one. Never below 1 or above M.
 *
 * @param trials M
 * @param meanCorrelation rho, from `meanPairwiseCorrelation`
 * @see Lopez de Prado, M. and Lewis, M. J. (2019), Detection of False Investment Strategies, Quantitative Finance 19(9) */
export function effectiveTrials(trials: number, meanCorrelation: number): number {
  return Math.min(trials, Math.max(1, meanCorrelation + (1 - meanCorrelation) * trials))
}

/** Mean Pearson correlation over all pairs of M series of T periods. The pairs need not be formed: with z the standardised
 * series, |sum_c z_c|^2 = M + 2 sum_{a < b} rho_ab. Series that do not vary are left out; 0 if fewer than two vary. O(M T).
 *
 * @param series M arrays of length T */
export function meanPairwiseCorrelation(series: readonly Float64Array[]): number {
  const total = new Float64Array(series[0]?.length ?? 0)
  let varying = 0
  for (const values of series) {
    const { mean, standardDeviation } = sampleMoments(values)
    if (standardDeviation === null) continue
    varying++
    const scale = 1 / (standardDeviation * Math.sqrt(values.length - 1))
    for (let t = 0; t < values.length; t++) total[t] += (values[t] - mean) * scale
  }
  if (varying < 2) return 0
  let squares = 0
  for (let t = 0; t < total.length; t++) squares += total[t] * total[t]
  return (squares - varying) / (varying * (varying - 1))
}
