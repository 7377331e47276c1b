import { deflatedSharpe } from './deflatedSharpe.ts'
import { effectiveTrials } from './effectiveTrials.ts'
import { kurtosisRaw } from './kurtosisRaw.ts'
import { meanPairwiseCorrelation } from './meanPairwiseCorrelation.ts'
import { minTrackRecordPeriods } from './minTrackRecordPeriods.ts'
import { pbo } from './pbo.ts'
import { probabilisticSharpe } from './probabilisticSharpe.ts'
import { sampleMoments } from './sampleMoments.ts'
import { sharpe } from './sharpe.ts'
import { sharpeThreshold } from './sharpeThreshold.ts'
import { skewness } from './skewness.ts'

/** What is left of a winner's Sharpe ratio once the trials it was picked from are taken into account. Sharpe ratios are
 * per period. Null: the winner's record has no Sharpe ratio. */
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

/** The probability that `survives` asks for, and that `minTrackRecordPeriods` reaches. */
const confidence = 0.95

/** The deflated Sharpe ratio of trial `winner` and everything it is made of. V is the ddof-1 variance of the trials'
 * own Sharpe ratios; a trial that has none counts among the N tried, not in V. One trial has threshold 0.
 *
 * @param series net returns per period, one array a trial */
export function deflateWinner(series: readonly Float64Array[], winner: number): Deflation {
  const net = series[winner]
  const trials = series.length
  const sharpes = series.map(values => sharpe(values, 1)).filter(value => value !== null)
  const trialsVariance = (sampleMoments(Float64Array.from(sharpes)).deviation ?? 0) ** 2
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
