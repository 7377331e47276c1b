import type { SweepFields } from '../resultMetrics.ts'
import { count, dash, duration, percent, plural, probability, ratio } from './numberFormat.ts'

type DeflatedSharpe = SweepFields['deflated_sharpe']

/** What a sweep's statistics mean, for a reader who knows none of them. */
export interface Verdict {
  /** Also on a record that is long enough to show it. */
  readonly survives: boolean
  /** One sentence that can be read alone. */
  readonly headline: string
  readonly sentences: readonly string[]
}

/** Of the Deflated and of the Probabilistic Sharpe ratio. */
export const threshold = 0.95
/** The formulas hold for long records, where means are normal. Fewer periods than this are usually called few. */
export const minPeriods = 30

/** A Deflated Sharpe ratio is not the probability that a strategy has skill. It says how rarely a strategy would produce a
 * record this good if its true Sharpe ratio were only the threshold. The wording must not claim more. */
export function judgeSweep(deflated: DeflatedSharpe, periodsPerYear: number): Verdict {
  const { dsr, survives } = deflated
  if (dsr === null) {
    return {
      survives: false,
      headline: 'Inconclusive: the Deflated Sharpe ratio does not exist for this record.',
      sentences: ['It needs at least two periods, and net returns that are not all equal.'],
    }
  }
  const sentences = [
    ...shortRecord(deflated.n_periods),
    ...luckThreshold(deflated, periodsPerYear),
    ...effectiveTrials(deflated),
    ...withoutSelection(deflated, periodsPerYear),
    ...overfitting(deflated.pbo),
    'None of these figures is the probability that the strategy will make money.',
  ]
  return {
    survives: survives && deflated.n_periods >= minPeriods,
    headline: headlineOf(deflated, dsr),
    sentences,
  }
}

function headlineOf({ trials, survives, n_periods }: DeflatedSharpe, dsr: number): string {
  const comparison = `(Deflated Sharpe ratio ${formatLevel(dsr)}; at least ${threshold} is required)`
  const luck = trials === 1 ? 'luck' : `the luck of picking the best of ${count(trials)}`
  if (!survives) return `Not proven: ${luck} is not ruled out ${comparison}.`
  if (n_periods >= minPeriods) return `Passed: ${luck} would seldom produce a record this good ${comparison}.`
  return `Too short to tell: the ratio passes, but ${plural(n_periods, 'period')} prove nothing ${comparison}.`
}

function shortRecord(periods: number): string[] {
  if (periods >= minPeriods) return []
  return [
    `The record has only ${plural(periods, 'period')}. The figures below use formulas for long records and mean little for one this short.`,
  ]
}

function luckThreshold(deflated: DeflatedSharpe, periodsPerYear: number): string[] {
  const { dsr, trials } = deflated
  const annual = (perPeriod: number | null) =>
    perPeriod === null ? dash : ratio(perPeriod * Math.sqrt(periodsPerYear))
  const own = annual(deflated.sharpe_per_period)
  const luck = annual(deflated.sharpe_threshold)
  const selection =
    trials === 1
      ? 'You tried one configuration, so nothing is deducted for selection: it is measured against a Sharpe ratio of 0.'
      : `You tried ${count(trials)} configurations and selected the best. Assuming that none has any skill and that they differ by chance as much as these do, the best of ${count(trials)} would still be expected to show an annualised Sharpe ratio of about ${luck}. Yours shows ${own}.`
  const rarity = `If its true Sharpe ratio were only ${luck}, the probability that a record of ${plural(deflated.n_periods, 'period')} shows ${own} or better would be ${formatMiss(dsr)}. At most ${percent(1 - threshold, 0)} is accepted.`
  return [selection, rarity]
}

function effectiveTrials(deflated: DeflatedSharpe): string[] {
  const { trials, trials_distinct, trials_effective, dsr_effective } = deflated
  if (trials < 2 || dsr_effective === null) return []
  const repeated =
    trials_distinct < trials
      ? `Only ${count(trials_distinct)} of the ${count(trials)} configurations have records that differ. `
      : ''
  return [
    `${repeated}The configurations are correlated: they behave like about ${ratio(trials_effective, 1)} independent ones. For that number of trials, the Deflated Sharpe ratio is ${formatLevel(dsr_effective)}.`,
  ]
}

function withoutSelection(
  { trials, psr, min_track_record_periods: minTrackRecord, n_periods }: DeflatedSharpe,
  periodsPerYear: number,
): string[] {
  if (psr === null) return []
  const alone = `If this were the only configuration tried and its true Sharpe ratio were 0, the probability of a record at least this good would be ${probability(1 - psr)}.`
  if (minTrackRecord === null) return trials < 2 ? [] : [alone]
  const periods = Math.ceil(minTrackRecord)
  const length = `A record of this quality needs ${plural(periods, 'period')} (${duration(periods, periodsPerYear)}) before that probability falls to ${percent(1 - threshold, 0)}; this one has ${count(n_periods)}.`
  return trials < 2 ? [length] : [alone, length]
}

function overfitting(pbo: number | null): string[] {
  if (pbo === null) return []
  return [
    `The blocks of the record were split into two halves in every possible way, and the configuration that is best on one half was ranked on the other. It landed in the lower half of the field in ${percent(pbo)} of the splits (probability of backtest overfitting). A blind choice gives about 50%; near 0%, the choice holds up.`,
  ]
}

/** Never rounded up to the threshold that it missed. */
export function formatLevel(dsr: number): string {
  const rounded = ratio(dsr, 3)
  return dsr < threshold && rounded === ratio(threshold, 3) ? `just under ${threshold}` : rounded
}

/** 1 - DSR, never rounded down to the level that it exceeds. */
function formatMiss(dsr: number | null): string {
  const rounded = probability(dsr === null ? null : 1 - dsr)
  return dsr !== null && dsr < threshold && rounded === percent(1 - threshold)
    ? `just over ${rounded}`
    : rounded
}
