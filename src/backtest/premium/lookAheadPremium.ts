import type { MarketCosts } from '../../markets/costs.ts'
import type { Dataset } from '../dataset/dataset.ts'
import {
  differenceBlockLength,
  type SharpeDifference,
  sharpeDifference,
} from '../evidence/sharpeDifference.ts'
import { boundEvidence, type EvidenceSettings, resolveEvidence } from '../pipeline/evidence.ts'
import { type ResolvedConfig, resolveConfig } from '../pipeline/resolveConfig.ts'
import { resolveCosts } from '../pipeline/resolveCosts.ts'
import { selectPanelData } from '../pipeline/selectData.ts'
import { rebalanceDates } from '../portfolio/rebalanceDates.ts'
import { type Simulation, simulate } from '../portfolio/simulate.ts'
import type { BacktestConfig } from '../request.ts'
import type { BacktestEvidence } from '../requestEvidence.ts'
import type { BacktestCosts, BacktestWarning } from '../result.ts'
import { costDragAnnual } from '../statistics/costs.ts'
import { mean } from '../statistics/moments.ts'
import { sharpe } from '../statistics/sharpe.ts'

/** The scores that are compared. */
export const variants = ['sent', 'known', 'knownOrAnnounced'] as const
export type Variant = (typeof variants)[number]
export type ByVariant<T> = Readonly<Record<Variant, T>>

export interface PremiumInput {
  /** Dates, names and forward returns. Its own scores and ranking are ignored. */
  readonly data: Dataset
  /** A score for each row of the dataset, in its order; NaN: none.
   *
   * - `sent`: as the caller sent it
   * - `known`: as it was known on the row's date
   * - `knownOrAnnounced`: the same, but as sent where an earnings release had already announced the value
   *
   * NaN in `known` means that nobody could have known a value. A row that could not be checked, such as one of a
   * company that no register covers, must be NaN in all three: otherwise its absence would count as look-ahead. */
  readonly scores: ByVariant<Float64Array>
  readonly config: BacktestConfig
  readonly costs: MarketCosts
  readonly evidence?: Pick<BacktestEvidence, 'seed' | 'bootstraps' | 'meanBlock'> | undefined
}

/** The record of one variant. Returns, turnover and names are those of the common periods. */
export interface VariantRecord {
  /** Null if the record does not vary. */
  readonly sharpePerPeriod: number | null
  readonly sharpeAnnualised: number | null
  /** Rows with a score, on all dates that the backtest uses. */
  readonly rowsScored: number
  /** Mean number of names that the score ranks. */
  readonly meanNames: number
  /** Mean of 1/2 sum |dw| per period. */
  readonly meanTurnover: number
  /** What trading and borrowing take in a year, a fraction. */
  readonly costDragAnnual: number
  /** Used dates on which the portfolio is empty, before the first common period or after it. */
  readonly emptyPeriods: number
}

/** The look-ahead premium, and what it was computed from. */
export interface Premium {
  readonly variants: ByVariant<VariantRecord>
  /** SR(sent) - SR(known); null if one of the ratios is not defined or the difference has no finite bounds. */
  readonly premium: SharpeDifference | null
  /** SR(sent) - SR(knownOrAnnounced). */
  readonly premiumWithoutAnnounced: SharpeDifference | null
  /** Days on which the common periods begin. */
  readonly days: Int32Array
  /** Dates that the backtest uses, common or not. */
  readonly usedDates: number
  readonly config: ResolvedConfig
  readonly costs: BacktestCosts
  readonly evidence: EvidenceSettings
  /** In periods. */
  readonly meanBlock: number
  /** Of the rows as sent, and of the costs. */
  readonly warnings: readonly BacktestWarning[]
}

/** What a backtest owes to values that nobody could have known: the same configuration is simulated, after costs, on
 * the scores as sent and as known, and the Sharpe ratios of the net returns (per period, ddof 1) are subtracted.
 *
 * - **Universe.** All variants choose from the rows that have a score as sent; a value for any other row is
 *   ignored. Rows without a known value are left out of `known` only, because an honest trader had nothing to rank them
 *   by. So the premium has two parts: values that were revised or published later, and names that could not have been
 *   ranked yet. `rowsScored` shows how many rows the second part concerns.
 * - **Periods.** The ratios cover the periods in which all variants hold names, and every portfolio starts empty at
 *   the first of them. So a variant earns nothing from an early start, and no ratio is diluted by the zeroes of an empty
 *   portfolio.
 * - **Interval.** `sharpeDifference`, which resamples both records with the same blocks. Unless the request sets it,
 *   the mean block is the longer of the lengths that suit the two differences.
 *
 * A premium is what this sample earned. It is an estimate of what look-ahead earns in general, and the interval is for
 * that number. O(rows + B T).
 *
 * Throws `backtest_impossible` for a configuration that the rows do not allow, and for too many resamples.
 *
 * @see Ledoit, O. and Wolf, M. (2008), Robust Performance Hypothesis Testing with the Sharpe Ratio, Journal of
 *   Empirical Finance 15(5) */
export function lookAheadPremium(input: PremiumInput): Premium {
  const scores = withinSent(input.scores)
  const selected = selectPanelData({ ...input.data, score: scores.sent, ranking: null }, input.config)
  const { data, view, returnDays, spacing } = selected
  const config = resolveConfig(input.config, returnDays, spacing)
  const used = rebalanceDates(view.firstDate, view.endDate, config.step)
  const evidence = resolveEvidence(['interval'], input.evidence)
  boundEvidence(evidence, 2, used.length)
  const { tradingCosts, costs, warnings } = resolveCosts(data, used, config, input.costs)
  const run = (score: Float64Array, periods: Int32Array) =>
    simulate({ ...data, score, ranking: null }, periods, config.portfolio, tradingCosts)
  const whole = forEachVariant(variant => run(scores[variant], used))
  const start = commonPeriods(whole).at(0) ?? used.length
  const periods = used.subarray(start)
  const runs = start === 0 ? whole : forEachVariant(variant => run(scores[variant], periods))
  const common = commonPeriods(runs)
  const net = forEachVariant(variant => at(runs[variant].series.net, common))
  const meanBlock =
    evidence.meanBlock ??
    Math.max(
      differenceBlockLength(net.sent, net.known),
      differenceBlockLength(net.sent, net.knownOrAnnounced),
    )
  const draws = { meanBlock, resamples: evidence.bootstraps, seed: evidence.seed }
  return {
    variants: forEachVariant(variant => ({
      ...recordOf(runs[variant], common, config),
      rowsScored: countScored({ ...data, score: scores[variant] }, used),
      emptyPeriods: whole[variant].series.held.filter(held => held === 0).length,
    })),
    premium: sharpeDifference(net.sent, net.known, draws),
    premiumWithoutAnnounced: sharpeDifference(net.sent, net.knownOrAnnounced, draws),
    days: Int32Array.from(common, t => data.days[periods[t]]),
    usedDates: used.length,
    config,
    costs,
    evidence,
    meanBlock,
    warnings: [...selected.warnings, ...warnings],
  }
}

const forEachVariant = <T>(make: (variant: Variant) => T): ByVariant<T> => ({
  sent: make('sent'),
  known: make('known'),
  knownOrAnnounced: make('knownOrAnnounced'),
})

/** The scores without those of rows that have none as sent. */
function withinSent({ sent, known, knownOrAnnounced }: ByVariant<Float64Array>): ByVariant<Float64Array> {
  const masked = (score: Float64Array) =>
    score.map((value, row) => (Number.isNaN(sent[row]) ? Number.NaN : value))
  return { sent, known: masked(known), knownOrAnnounced: masked(knownOrAnnounced) }
}

/** The periods in which every variant holds names. */
function commonPeriods(runs: ByVariant<Simulation>): number[] {
  const common: number[] = []
  for (let t = 0; t < runs.sent.series.held.length; t++)
    if (variants.every(variant => runs[variant].series.held[t] === 1)) common.push(t)
  return common
}

const at = (values: ArrayLike<number>, periods: readonly number[]): Float64Array =>
  Float64Array.from(periods, t => values[t])

function recordOf({ series, ranked }: Simulation, common: readonly number[], config: ResolvedConfig) {
  const net = at(series.net, common)
  const costs = { ...series, tradingCost: at(series.tradingCost, common), borrow: at(series.borrow, common) }
  return {
    sharpePerPeriod: sharpe(net, 1),
    sharpeAnnualised: sharpe(net, config.periodsPerYear),
    meanNames: mean(at(ranked, common)),
    meanTurnover: mean(at(series.turnover, common)),
    costDragAnnual: costDragAnnual(costs, config.periodsPerYear),
  }
}

function countScored({ offsets, score }: Pick<Dataset, 'offsets' | 'score'>, dates: Int32Array): number {
  let scored = 0
  for (const date of dates)
    for (let row = offsets[date]; row < offsets[date + 1]; row++) if (!Number.isNaN(score[row])) scored++
  return scored
}
