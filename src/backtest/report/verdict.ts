import type { SweptFields } from '../metrics.ts'
import { chance, count, counted, dash, percent, ratio } from './figures.ts'

type DeflatedSharpe = SweptFields['deflated_sharpe']

/** What a sweep's statistics say, for a reader who has met none of them. */
export interface Verdict {
  /** And on a record that is long enough to say so. */
  readonly survives: boolean
  /** One sentence that stands alone. */
  readonly headline: string
  readonly sentences: readonly string[]
}

const askedFor = 0.95
/** The formulas are those of long records, where means are normal. Fewer periods than this are usually called few. */
const fewPeriods = 30

/** A Deflated Sharpe ratio is no probability that a strategy has skill. It says how seldom a strategy whose true Sharpe
 * ratio is only the threshold would leave a record as good as this one, and so is it worded. */
export function verdictWords(found: DeflatedSharpe, periodsPerYear: number): Verdict {
  const { dsr, survives } = found
  if (dsr === null) {
    return {
      survives: false,
      headline: 'Luck cannot be told from skill here: the Deflated Sharpe ratio does not exist.',
      sentences: ['It needs two periods or more, and net returns that differ from each other.'],
    }
  }
  const headline = headlineWords(found, dsr)
  const sentences = [
    ...shortWords(found.n_periods),
    ...thresholdWords(found, periodsPerYear),
    ...effectiveWords(found),
    ...aloneWords(found, periodsPerYear),
    ...overfittingWords(found.pbo),
    'None of these figures is the probability that the strategy will earn money.',
  ]
  return { survives: survives && found.n_periods >= fewPeriods, headline, sentences }
}

function headlineWords({ trials, survives, n_periods }: DeflatedSharpe, dsr: number): string {
  const bar = `(Deflated Sharpe ratio ${dsrText(dsr)}; at least ${askedFor} is asked for)`
  const luck = trials === 1 ? 'luck' : `the luck of picking the best of ${count(trials)}`
  if (!survives) return `Not proven: ${luck} is not ruled out ${bar}.`
  if (n_periods >= fewPeriods)
    return `Passed: ${luck} would seldom leave a record as good as this one ${bar}.`
  return `Too short to tell: the figures pass, but those of ${counted(n_periods, 'period')} prove nothing ${bar}.`
}

function shortWords(periods: number): string[] {
  if (periods >= fewPeriods) return []
  return [
    `The record has only ${counted(periods, 'period')}. What follows is worked out as for long records, and says little of one so short.`,
  ]
}

function thresholdWords(found: DeflatedSharpe, periodsPerYear: number): string[] {
  const { dsr, trials } = found
  const annual = (perPeriod: number | null) =>
    perPeriod === null ? dash : ratio(perPeriod * Math.sqrt(periodsPerYear))
  const own = annual(found.sharpe_per_period)
  const luck = annual(found.sharpe_threshold)
  const start =
    trials === 1
      ? 'You tried one configuration, so nothing is taken off for choosing the best: it is measured against a Sharpe ratio of 0.'
      : `You tried ${count(trials)} configurations and kept the best. If none of them had any skill and they differed by chance as much as these do, the best of ${count(trials)} would still be expected to show a Sharpe ratio of about ${luck} a year. Yours shows ${own}.`
  const rarity = `If its true Sharpe ratio were only ${luck}, a record of ${counted(found.n_periods, 'period')} would look as good as ${own} or better with a chance of ${missText(dsr)}. We ask for at most ${percent(1 - askedFor, 0)}.`
  return [start, rarity]
}

function effectiveWords({ trials, trials_effective, dsr_effective }: DeflatedSharpe): string[] {
  if (trials < 2 || trials_effective === null || dsr_effective === null) return []
  return [
    `The configurations resemble each other: they move like about ${ratio(trials_effective, 1)} independent ones. Counted so, the Deflated Sharpe ratio is ${dsrText(dsr_effective)}.`,
  ]
}

function aloneWords(
  { trials, psr, min_track_record_periods: needed, n_periods }: DeflatedSharpe,
  perYear: number,
): string[] {
  if (psr === null) return []
  const alone = `Had nothing else been tried, with a true Sharpe ratio of 0, a record as good as this or better would come with a chance of ${chance(1 - psr)}.`
  if (needed === null) return trials < 2 ? [] : [alone]
  const whole = Math.ceil(needed)
  const length = `Even alone, a record of this quality has to be ${counted(whole, 'period')} long (${ratio(whole / perYear, 1)} years) before that chance is ${percent(1 - askedFor, 0)}; this one has ${count(n_periods)}.`
  return trials < 2 ? [length] : [alone, length]
}

function overfittingWords(pbo: number | null): string[] {
  if (pbo === null) return []
  return [
    `Chosen on one half of the record and checked on the other, in every way to halve its blocks, the best configuration landed in the lower half of the field in ${percent(pbo)} of the ways (probability of backtest overfitting). About 50% is what choosing blindly gives; near 0% the choice holds up.`,
  ]
}

/** Never rounded up to the bar it missed. */
function dsrText(dsr: number): string {
  const rounded = ratio(dsr, 3)
  return dsr < askedFor && rounded === ratio(askedFor, 3) ? `just under ${askedFor}` : rounded
}

function missText(dsr: number | null): string {
  const rounded = chance(dsr === null ? null : 1 - dsr)
  return dsr !== null && dsr < askedFor && rounded === percent(1 - askedFor)
    ? `just over ${rounded}`
    : rounded
}
