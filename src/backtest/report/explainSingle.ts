import type { EvidenceUsed } from '../resultEvidence.ts'
import { count, duration, percent, plural, probability, ratio } from './numberFormat.ts'
import { noPromise, threshold } from './verdict.ts'

type TrackRecord = NonNullable<EvidenceUsed['track_record']>

/** Explains the statistics of a single configuration, from which nothing is deducted for selection. */
export function explainSingle(record: TrackRecord, evidence: EvidenceUsed, periodsPerYear: number): string[] {
  const { psr } = record
  if (psr === null) return []
  return [
    `If its true Sharpe ratio were 0, the probability of a record at least this good would be ${probability(1 - psr)}. At most ${percent(1 - threshold, 0)} is accepted.`,
    ...trackRecord(record, periodsPerYear),
    ...interval(evidence),
    noPromise,
  ]
}

function trackRecord(
  { min_track_record_periods: min, n_periods }: TrackRecord,
  periodsPerYear: number,
): string[] {
  if (min === null) return []
  const periods = Math.ceil(min)
  return [
    `A record of this quality needs ${plural(periods, 'period')} (${duration(periods, periodsPerYear)}) before that probability falls to ${percent(1 - threshold, 0)}; this one has ${count(n_periods)}.`,
  ]
}

function interval({ interval, bootstraps }: EvidenceUsed): string[] {
  if (interval === undefined || interval === null) return []
  const { low, high, level } = interval
  return [
    `In ${count(bootstraps)} resamples of the record, ${percent(level, 0)} of the annualised Sharpe ratios lie between ${ratio(low)} and ${ratio(high)}.`,
  ]
}
