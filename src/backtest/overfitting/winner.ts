import { kurtosisRaw, skewness } from '../statistics/moments.ts'
import { minTrackRecordPeriods, probabilisticSharpe, sharpe } from '../statistics/sharpe.ts'
import { deflatedSharpe, sharpeThreshold } from './deflatedSharpe.ts'
import { distinctRecords } from './distinctRecords.ts'
import { effectiveTrials, meanPairwiseCorrelation } from './effectiveTrials.ts'
import { pbo } from './pbo.ts'
import { type TriedBefore, trialsVarianceOf } from './trialsVariance.ts'

/** The criteria for choosing between trials. */
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

/** What remains of a record's Sharpe ratio once the trials it was picked from are taken into account. Sharpe
 * ratios are per period. A field is null if its statistic is not defined: see statistics/sharpe.ts. */
export interface RecordDeflation {
  readonly dsr: number | null
  readonly survives: boolean
  readonly trials: number
  readonly sharpePerPeriod: number | null
  readonly sharpeThreshold: number
  readonly trialsVariance: number
  readonly skew: number | null
  readonly kurtosisRaw: number | null
  readonly periods: number
  readonly psr: number | null
  readonly minTrackRecordPeriods: number | null
}

/** Like `RecordDeflation`, for the winner of a sweep, whose other trials are known. `pbo` is null where it is
 * not defined. */
export interface Deflation extends RecordDeflation {
  /** The number of trials with distinct records. */
  readonly trialsDistinct: number
  /** The effective number of the distinct records. */
  readonly trialsEffective: number
  readonly dsrEffective: number | null
  readonly pbo: number | null
}

/** The inputs for deflating a record; null fields for a record without deviation. */
export interface TrialRecord {
  readonly sharpePerPeriod: number | null
  readonly periods: number
  readonly skew: number | null
  readonly kurtosisRaw: number | null
}

export function trialRecord(net: Float64Array): TrialRecord {
  return {
    sharpePerPeriod: sharpe(net, 1),
    periods: net.length,
    skew: skewness(net),
    kurtosisRaw: kurtosisRaw(net),
  }
}

/** The probability that `survives` requires and that a record of `minTrackRecordPeriods` reaches. */
export const confidence = 0.95

/** The deflated Sharpe ratio of a record and everything it is computed from.
 *
 * @param trialsVariance V, per period
 * @param trials N */
export function deflateRecord(record: TrialRecord, trialsVariance: number, trials: number): RecordDeflation {
  const known = {
    ...record,
    trials,
    trialsVariance,
    sharpeThreshold: sharpeThreshold(trialsVariance, trials),
  }
  const complete = completeRecord(record)
  if (complete === null)
    return { ...known, dsr: null, survives: false, psr: null, minTrackRecordPeriods: null }
  const dsr = deflatedSharpe(complete, trialsVariance, trials)
  return {
    ...known,
    dsr,
    survives: dsr !== null && dsr >= confidence,
    psr: probabilisticSharpe(complete, 0),
    minTrackRecordPeriods: minTrackRecordPeriods(complete, 0, confidence),
  }
}

function completeRecord({ sharpePerPeriod, periods, skew, kurtosisRaw }: TrialRecord) {
  if (sharpePerPeriod === null || skew === null || kurtosisRaw === null) return null
  return { sharpePerPeriod, periods, skew, kurtosisRaw }
}

/** The deflated Sharpe ratio of trial `winner` and everything it is computed from. A trial without a Sharpe
 * ratio counts among the N trials but not in V. One trial has threshold 0. Trials with the same record count
 * once in the effective number.
 *
 * @param series net returns per period, fractions, one array per trial
 * @param winner index into `series`, from `pickWinner`
 * @param alreadyTried trials that were made before, whose records are not known: each counts in full, also in the
 *   number of distinct and of effective trials */
export function deflateWinner(
  series: readonly Float64Array[],
  winner: number,
  alreadyTried: TriedBefore | null = null,
): Deflation {
  const before = alreadyTried?.count ?? 0
  const trials = series.length + before
  const record = trialRecord(series[winner])
  const trialsVariance =
    alreadyTried?.trialsVariance ?? trialsVarianceOf(series.map(values => sharpe(values, 1)))
  const distinct = distinctRecords(series)
  const trialsEffective = effectiveTrials(distinct.length, meanPairwiseCorrelation(distinct)) + before
  const complete = completeRecord(record)
  return {
    ...deflateRecord(record, trialsVariance, trials),
    trialsDistinct: distinct.length + before,
    trialsEffective,
    dsrEffective: complete && deflatedSharpe(complete, trialsVariance, trialsEffective),
    pbo: pbo(series),
  }
}
