import type { EvidenceUsed } from '../resultEvidence.ts'
import { count, duration, percent, plural, probability, ratio } from './numberFormat.ts'
import { formatLevel, minPeriods, threshold, type Verdict } from './verdict.ts'

type TrackRecord = NonNullable<EvidenceUsed['track_record']>

/** A single configuration: nothing is deducted for selection, so the verdict holds only if nothing else was tried. */
export function judgeSingle(record: TrackRecord, evidence: EvidenceUsed, periodsPerYear: number): Verdict {
  const { psr, n_periods } = record
  if (psr === null) {
    return {
      survives: false,
      headline: 'Inconclusive: the Probabilistic Sharpe ratio does not exist for this record.',
      sentences: ['It needs at least two periods, and net returns that are not all equal.'],
    }
  }
  const passes = psr >= threshold
  return {
    survives: passes && n_periods >= minPeriods,
    headline: headlineOf(passes, psr, n_periods),
    sentences: [
      'This is one configuration. The verdict holds only if it is the first that you tried: of several, send sweep, which deducts the luck of choosing.',
      `If its true Sharpe ratio were 0, the probability of a record at least this good would be ${probability(1 - psr)}. At most ${percent(1 - threshold, 0)} is accepted.`,
      ...trackRecord(record, periodsPerYear),
      ...interval(evidence),
      'None of these figures is the probability that the strategy will make money.',
    ],
  }
}

function headlineOf(passes: boolean, psr: number, periods: number): string {
  const comparison = `(Probabilistic Sharpe ratio ${formatLevel(psr)}; at least ${threshold} is required)`
  if (!passes) return `Not proven: luck is not ruled out ${comparison}.`
  if (periods >= minPeriods) return `Passed: luck would seldom produce a record this good ${comparison}.`
  return `Too short to tell: the ratio passes, but ${plural(periods, 'period')} prove nothing ${comparison}.`
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
