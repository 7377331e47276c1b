import { confidence } from '../overfitting/winner.ts'
import type { BacktestVerdict, VerdictLevel, VerdictReason, VerdictReasonCode } from '../resultVerdict.ts'
import type { BenchmarkKind } from './benchmark.ts'

/** What a verdict is made of. */
export interface Findings {
  readonly benchmark: BenchmarkKind
  /** Annualised; null if it is not defined. */
  readonly judgedSharpe: number | null
  /** Of how many the record is the best. */
  readonly trials: number
  readonly dsr: number | null
  /** Whether `spa.consistent` is below .05. `of_one`: a batch has other configurations, which the test of this one alone would
   * not count. */
  readonly superior: boolean | null | 'of_one'
  readonly periods: number
  readonly ruined: boolean
  readonly longShort: boolean
  /** Gross exposure of the portfolio. */
  readonly gross: number
  /** Codes of the result's warnings. */
  readonly warnings: readonly string[]
}

/** The formulas hold for long records, where means are normal. Fewer periods than this prove nothing. */
export const minPeriods = 30

/** Warnings that make both tests meaningless: they take the returns for what they say they are. */
const withholding: Readonly<Partial<Record<string, VerdictReason>>> = {
  overlapping_returns: {
    code: 'overlapping_returns',
    message:
      'The returns of consecutive dates seem to overlap, so that one event counts in several periods and the record looks steadier than it is. Send config.returnDays as the number of trading days that a return covers.',
  },
  score_is_return: {
    code: 'score_is_return',
    message:
      'The score follows the return that it is to predict almost exactly, as one that was made from that return does. Compute it from what was known on its date.',
  },
  too_good: {
    code: 'too_good',
    message:
      'The record is better than scores that look at no future return ever are. Check that each score uses only what was known on its date, full-sample means and revised data included.',
  },
  returns_like_percent: {
    code: 'returns_like_percent',
    message: 'The returns look like percent sent as fractions. A return of 2.5% is 0.025.',
  },
}

/** The verdict on a record. The Deflated Sharpe ratio asks whether the best of so many trials is better than the best of as many
 * without skill would be; the test for superior predictive ability whether any of them beats the benchmark by more than chance,
 * with their correlations. Both have to hold for `strong`, one for `weak`. */
export function judge(findings: Findings): BacktestVerdict {
  const { benchmark, judgedSharpe, trials, dsr, superior } = findings
  const withheld = withholdingReasons(findings)
  const limits = limitingReasons(findings)
  return {
    level: withheld.length > 0 ? 'withheld' : limits.length > 0 ? 'none' : levelOf(findings),
    benchmark,
    judged_sharpe: judgedSharpe,
    trials,
    dsr,
    superior: superior === 'of_one' ? null : superior,
    reasons: [...withheld, ...limits, deflation(findings), superiority(findings), ...selection(findings)],
  }
}

function levelOf({ dsr, superior }: Findings): VerdictLevel {
  const passed = Number(dsr !== null && dsr >= confidence) + Number(superior === true)
  return passed === 2 ? 'strong' : passed === 1 ? 'weak' : 'none'
}

function withholdingReasons({ warnings, benchmark, longShort, gross }: Findings): VerdictReason[] {
  const reasons = warnings.flatMap(code => withholding[code] ?? [])
  if (benchmark !== 'universe' || longShort || gross === 1) return reasons
  return [
    ...reasons,
    reason(
      'gross_exposure',
      `The portfolio holds ${gross} times its equity and the universe once. In a market that rises or falls, that difference alone beats the universe or loses to it. Send config.gross 1, or a benchmark of the same exposure.`,
    ),
  ]
}

function limitingReasons({ periods, ruined }: Findings): VerdictReason[] {
  return [
    ...(periods < minPeriods
      ? [reason('short_record', `${periods} periods prove nothing: both tests need at least ${minPeriods}.`)]
      : []),
    ...(ruined ? [reason('ruined', 'The portfolio lost all of its equity.')] : []),
  ]
}

function deflation({ dsr, trials }: Findings): VerdictReason {
  const name = `The Deflated Sharpe ratio${trials === 1 ? '' : ` for ${trials.toLocaleString('en')} trials`}`
  if (dsr === null)
    return reason('dsr_undefined', `${name} does not exist: it needs two periods whose returns differ.`)
  return dsr >= confidence
    ? reason('dsr_passes', `${name} is ${shownDsr(dsr)}, and at least ${confidence} is required.`)
    : reason('dsr_fails', `${name} is ${shownDsr(dsr)}, below the required ${confidence}.`)
}

/** Rounded down, so that it is never shown as the threshold that it missed, nor as certainty. */
const shownDsr = (dsr: number) => (Math.floor(dsr * 1_000) / 1_000).toFixed(3)

const rivals: Readonly<Record<BenchmarkKind, string>> = {
  cash: 'cash',
  universe: 'the universe',
  series: 'the benchmark',
}

function superiority({ superior, trials, benchmark }: Findings): VerdictReason {
  const test = 'The test for superior predictive ability'
  const chance = `without skill, ${trials === 1 ? 'the configuration' : 'the best configuration'} would do at least this well against ${rivals[benchmark]} in`
  switch (superior) {
    case true:
      return reason('spa_passes', `${test} passes (p below .05): ${chance} fewer than 5 of 100 records.`)
    case false:
      return reason('spa_fails', `${test} fails (p of at least .05): ${chance} 5 of 100 records or more.`)
    case 'of_one':
      return reason(
        'spa_not_computed',
        `${test} was not computed, so the level is at most weak: of one backtest it would not count the other ${(trials - 1).toLocaleString('en')} of its batch. Send the configurations as one sweep.`,
      )
    case null:
      return reason(
        'spa_not_computed',
        `${test} was not computed, so the level is at most weak: the record is too short or too large for it, or a return overflowed.`,
      )
    default:
      return superior satisfies never
  }
}

function selection({ trials }: Findings): VerdictReason[] {
  if (trials > 1) return []
  return [
    reason(
      'one_configuration',
      'One configuration was judged, and nothing is deducted for choosing it. If it is the best of several that you tried, send them as one sweep.',
    ),
  ]
}

const reason = (code: VerdictReasonCode, message: string): VerdictReason => ({ code, message })
