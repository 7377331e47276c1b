import type { Superiority } from '../evidence/superiority.ts'
import type { TriedBefore } from '../overfitting/trialsVariance.ts'
import { confidence } from '../overfitting/winner.ts'
import type { BacktestVerdict, VerdictLevel, VerdictReason, VerdictReasonCode } from '../resultVerdict.ts'
import type { BenchmarkKind } from './benchmark.ts'
import { serialDsr } from './serialCorrelation.ts'

/** A test that passed with shorter blocks than the record calls for. Lengths in periods. */
export interface ShortBlocks {
  readonly usedBlock: number
  readonly ownBlock: number
}

/** What the tests say about a record. */
export interface Judgement {
  /** The number of trials from which the record was chosen as the best. */
  readonly trials: number
  readonly dsr: number | null
  /** VR; see `serialDsr`. */
  readonly varianceRatio: number
  /** `of_one`: the record is part of a batch, whose other configurations a test of this one alone would not
   * count. */
  readonly superiority: Superiority | null | 'of_one' | ShortBlocks
  /** The level for the p value of that test; see `levelOf` in evidence/superiority.ts. */
  readonly spaLevel: number
  /** The trials that the caller made before; absent: none. They are among `trials`. */
  readonly before?: TriedBefore
}

/** The inputs of a verdict. */
export interface Findings extends Judgement {
  readonly benchmark: BenchmarkKind
  /** Annualised; null if it is not defined. */
  readonly judgedSharpe: number | null
  readonly periods: number
  readonly ruined: boolean
  readonly longShort: boolean
  /** The gross exposure of the portfolio. */
  readonly gross: number
  /** The codes of the result's warnings. */
  readonly warnings: readonly string[]
}

/** The formulas hold for long records, in which means are normally distributed. Fewer periods than this prove
 * nothing. */
export const minPeriods = 30

/** Warnings that make both tests meaningless, because the tests take the returns at face value. */
const withholding: Readonly<Partial<Record<string, VerdictReason>>> = {
  overlapping_returns: {
    code: 'overlapping_returns',
    message:
      'The returns of consecutive dates seem to overlap, so that one event counts in several periods and the record looks steadier than it is. Send config.returnDays as the number of trading days that a return covers.',
  },
  score_is_return: {
    code: 'score_is_return',
    message:
      'The score follows the return that it should predict almost exactly, as if it had been computed from that return. Compute it from what was known on its date.',
  },
  too_good: {
    code: 'too_good',
    message:
      'The record is better than any score achieves without using future returns. Check that each score uses only what was known on its date, without full-sample means or revised data.',
  },
  returns_like_percent: {
    code: 'returns_like_percent',
    message: 'The returns look like percent sent as fractions. A return of 2.5% is 0.025.',
  },
}

/** The verdict on a record. The Deflated Sharpe ratio tests whether the best of so many trials is better than
 * the best of as many trials without skill. The test for superior predictive ability tests whether any of
 * them beats the benchmark by more than chance, given their correlations. `weak` requires one of the two
 * tests. `strong` requires both, with the second at half of its level: for a single configuration both tests
 * ask the same question, and noise that passes one also passes the other. */
export function judge(findings: Findings): BacktestVerdict {
  const { benchmark, judgedSharpe, trials, dsr, superiority, spaLevel, before } = findings
  const dsrSerial = serialDsr(dsr, findings.varianceRatio)
  const deflated: Deflated = { dsr, dsrSerial, trials, before }
  const withheld = withholdingReasons(findings)
  const limits = limitingReasons(findings)
  return {
    level: withheld.length > 0 ? 'withheld' : limits.length > 0 ? 'none' : levelOf(deflated, superiority),
    benchmark,
    judged_sharpe: judgedSharpe,
    trials,
    dsr,
    dsr_serial: dsrSerial,
    superior: isDecided(superiority) ? superiority !== 'none' : null,
    spa_level: spaLevel,
    ...(before === undefined ? {} : { already_tried: writeBefore(before, trials) }),
    reasons: [
      ...withheld,
      ...limits,
      deflation(deflated),
      superiorAbility(findings),
      ...selection(findings),
      ...ownBenchmark(findings),
    ],
  }
}

/** A benchmark that loses money makes any record look good. */
const ownBenchmark = ({ benchmark }: Findings): VerdictReason[] =>
  benchmark === 'series'
    ? [
        reason(
          'own_benchmark',
          'The verdict compares the record with the returns that were sent as the benchmark, and is only as reliable as they are.',
        ),
      ]
    : []

interface Deflated {
  readonly dsr: number | null
  readonly dsrSerial: number | null
  readonly trials: number
  readonly before: TriedBefore | undefined
}

function levelOf({ dsr, dsrSerial }: Deflated, superiority: Findings['superiority']): VerdictLevel {
  const isDeflated = passes(dsr) && passes(dsrSerial)
  if (isDeflated && superiority === 'clear') return 'strong'
  return isDeflated || superiority === 'clear' || superiority === 'close' ? 'weak' : 'none'
}

const isDecided = (superiority: Findings['superiority']): superiority is Superiority =>
  superiority === 'clear' || superiority === 'close' || superiority === 'none'

const passes = (dsr: number | null): boolean => dsr !== null && dsr >= confidence

function withholdingReasons({ warnings, benchmark, longShort, gross }: Findings): VerdictReason[] {
  const reasons = warnings.flatMap(code => withholding[code] ?? [])
  if (benchmark !== 'universe' || longShort || gross === 1) return reasons
  return [
    ...reasons,
    reason(
      'gross_exposure',
      `The portfolio invests ${gross} times its equity, the universe exactly its equity. In a rising or falling market, that difference alone can beat the universe or lose to it. Send config.gross 1, or a benchmark of the same exposure.`,
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

function writeBefore(before: TriedBefore, trials: number): NonNullable<BacktestVerdict['already_tried']> {
  const { count, basis, trialsVariance, sharpeThreshold } = before
  return {
    trials_already_tried: count,
    trials_of_request: trials - count,
    trials_variance: trialsVariance,
    variance_from: basis,
    sharpe_threshold: sharpeThreshold,
    assumption: assumptions[basis],
  }
}

const assumptions: Readonly<Record<TriedBefore['basis'], string>> = {
  trials:
    'The Sharpe ratios of the trials before this request are not known. They are assumed to scatter as those of this request do.',
  chance:
    'The Sharpe ratios of the other trials are not known. All trials are assumed to be independent and without skill, so that their Sharpe ratios per period have the variance of the sampling error, 1 / (n_periods - 1).',
}

function deflation({ dsr, dsrSerial, trials, before }: Deflated): VerdictReason {
  const shown = (number: number) => number.toLocaleString('en')
  const known =
    before === undefined
      ? ''
      : ` (${shown(trials - before.count)} of this request, ${shown(before.count)} tried before)`
  const name = `The Deflated Sharpe ratio${trials === 1 ? '' : ` for ${shown(trials)} trials`}${known}`
  if (dsr === null || dsrSerial === null)
    return reason('dsr_undefined', `${name} is undefined: it needs two periods with different returns.`)
  if (!passes(dsr))
    return reason('dsr_fails', `${name} is ${shownDsr(dsr)}, below the required ${confidence}.`)
  return passes(dsrSerial)
    ? reason('dsr_passes', `${name} is ${shownDsr(dsr)}, and at least ${confidence} is required.`)
    : reason(
        'serial_correlation',
        `${name} is ${shownDsr(dsr)}, but only ${shownDsr(dsrSerial)} after allowing for serial correlation, because gains follow gains and losses follow losses; at least ${confidence} is required.`,
      )
}

/** Rounded down, so that the value is never shown as the threshold that it missed, nor as certainty. */
const shownDsr = (dsr: number) => (Math.floor(dsr * 1_000) / 1_000).toFixed(3)

const shownShare = (share: number) => `${Number((100 * share).toPrecision(3))}%`

const rivals: Readonly<Record<BenchmarkKind, string>> = {
  cash: 'cash',
  universe: 'the universe',
  series: 'the benchmark that was sent',
}

function superiorAbility({ superiority, trials, benchmark, spaLevel, before }: Findings): VerdictReason {
  const test = 'The test for superior predictive ability'
  const meaning = `The p-value is the chance that ${trials === 1 ? 'a configuration' : 'the best of so many configurations'} without skill does at least this well against ${rivals[benchmark]}`
  const [limit, strongLimit] = [shownShare(spaLevel), shownShare(spaLevel / 2)]
  if (superiority !== null && typeof superiority === 'object') {
    const { usedBlock, ownBlock } = superiority
    return reason(
      'spa_short_blocks',
      `${test} passes only because evidence.meanBlock is ${usedBlock}: the returns of this record call for blocks of ${ownBlock.toFixed(1)} periods, and shorter ones hide serial correlation, so the level is at most weak. Omit evidence.meanBlock, or send at least ${Math.ceil(ownBlock)}.`,
    )
  }
  switch (superiority) {
    case 'clear':
      return reason(
        'spa_passes',
        `${test} passes: its p-value is below ${strongLimit}, the limit for strong evidence. ${meaning}.`,
      )
    case 'close':
      return reason(
        'spa_close',
        `${test} passes, but not clearly: its p-value is below the limit of ${limit}, but not below ${strongLimit}, the limit for strong evidence. ${meaning}.`,
      )
    case 'none':
      return reason(
        'spa_fails',
        spaLevel > 0
          ? `${test} fails: its p-value is not below the limit of ${limit}. ${meaning}.`
          : `${test} fails: the record has at most 15 blocks of independent periods, too few for any p-value to count.`,
      )
    case 'of_one':
      return reason(
        'spa_not_computed',
        `${test} was not computed, so the level is at most weak: run on one backtest, it would ignore the other ${(trials - (before?.count ?? 0) - 1).toLocaleString('en')} of its batch. Send the configurations as one sweep.`,
      )
    case null:
      return reason(
        'spa_not_computed',
        `${test} was not computed, so the level is at most weak: the record is too short or too large for it, or a return overflowed.`,
      )
    default:
      return superiority satisfies never
  }
}

function selection({ trials }: Findings): VerdictReason[] {
  if (trials > 1) return []
  return [
    reason(
      'one_configuration',
      'Only one configuration was judged, so nothing is deducted for selection. If it is the best of several that you tried, send all of them as one sweep.',
    ),
  ]
}

const reason = (code: VerdictReasonCode, message: string): VerdictReason => ({ code, message })
