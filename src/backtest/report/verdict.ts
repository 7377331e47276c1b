import type { BacktestResult } from '../result.ts'
import type { SweepFields } from '../resultMetrics.ts'
import type { BacktestVerdict } from '../resultVerdict.ts'
import { count, dash, duration, percent, plural, probability, ratio } from './numberFormat.ts'

type DeflatedSharpe = SweepFields['deflated_sharpe']

/** For both the Deflated and the Probabilistic Sharpe ratio. */
export const threshold = 0.95

/** The level of a verdict, in one self-contained sentence. */
export function headlineOf({ level, superior }: BacktestVerdict): string {
  switch (level) {
    case 'strong':
      return 'Strong evidence of skill: luck would seldom produce a record this good, by either test.'
    case 'weak':
      return superior === null
        ? 'Weak evidence of skill: the one test that was computed rules luck out.'
        : 'Weak evidence of skill: luck is not ruled out by both tests.'
    case 'none':
      return 'No evidence of skill: luck explains a record like this.'
    case 'withheld':
      return 'No verdict: something in the rows makes the tests meaningless.'
    default:
      return level satisfies never
  }
}

/** The benchmark of the record, and both Sharpe ratios if they differ. */
export function judgedAgainst({ verdict, metrics, best }: BacktestResult): string {
  const { benchmark, judged_sharpe } = verdict
  if (benchmark === 'cash') return 'Judged against cash: the returns after costs are taken as they are.'
  const { sharpe } = best?.metrics ?? metrics
  const rival =
    benchmark === 'universe' ? 'the universe, all names at equal weight' : 'the benchmark that was sent'
  return `Judged against ${rival}: its return is subtracted in each period. The Sharpe ratio of the difference is ${ratio(judged_sharpe)}; that of the returns themselves is ${ratio(sharpe)}.`
}

/** Explains a sweep's statistics to a reader who knows none of them.
 *
 * A Deflated Sharpe ratio is not the probability that a strategy has skill. It says how rarely a strategy
 * would produce a record this good if its true Sharpe ratio were only the threshold. The wording must not
 * claim more. */
export function explainSweep(deflated: DeflatedSharpe, periodsPerYear: number, alreadyTried = 0): string[] {
  if (deflated.dsr === null) return []
  return [
    ...luckThreshold(deflated, periodsPerYear, alreadyTried),
    ...effectiveTrials(deflated),
    ...withoutSelection(deflated, periodsPerYear),
    ...overfitting(deflated.pbo),
    noPromise,
  ]
}

export const noPromise = 'None of these figures is the probability that the strategy will make money.'

function luckThreshold(deflated: DeflatedSharpe, periodsPerYear: number, alreadyTried: number): string[] {
  const { dsr, trials } = deflated
  const annual = (perPeriod: number | null) =>
    perPeriod === null ? dash : ratio(perPeriod * Math.sqrt(periodsPerYear))
  const own = annual(deflated.sharpe_per_period)
  const luck = annual(deflated.sharpe_threshold)
  const selection =
    trials === 1
      ? 'One configuration was tried, so nothing is deducted for selection: it is measured against a Sharpe ratio of 0.'
      : `${count(trials)} configurations were tried${alreadyTried > 0 ? `, ${count(alreadyTried)} of them before this request,` : ''} and the best was selected. Assuming that none has any skill and that they differ by chance as much as these do, the best of ${count(trials)} would still be expected to show an annualised Sharpe ratio of about ${luck}. This one shows ${own}.`
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
