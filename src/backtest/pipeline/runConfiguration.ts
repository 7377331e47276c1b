import type { MarketCosts } from '../../markets/costs.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { periodEnds, spansOf, trainingEnds } from '../dataset/returnEnds.ts'
import type { DateView } from '../dataset/subset.ts'
import type { FactorSeries } from '../factors/factorSeries.ts'
import type { Benchmark } from '../judging/benchmark.ts'
import { judgedReturns } from '../judging/judgedReturns.ts'
import { type Findings, judge } from '../judging/verdict.ts'
import { rebalanceDates } from '../portfolio/rebalanceDates.ts'
import { simulate } from '../portfolio/simulate.ts'
import type { BacktestInclude } from '../request.ts'
import { defaultParticipation } from '../requestEvidence.ts'
import type { BacktestDropped, BacktestResult, BacktestWarning } from '../result.ts'
import { mean } from '../statistics/moments.ts'
import type { PeriodSeries } from '../statistics/returns.ts'
import { type Summary, summarise } from '../summary.ts'
import { walkForward } from '../walkforward/folds.ts'
import { requireVolume } from './capacity.ts'
import { writeCurves } from './curves.ts'
import { type EvidenceRecords, type EvidenceSettings, type EvidenceTrial, writeEvidence } from './evidence.ts'
import { type FactorTrial, writeFactors } from './factors.ts'
import { writeIncluded } from './includedSections.ts'
import type { Judged } from './judgement.ts'
import { writeNeutralised } from './neutralised.ts'
import type { ResolvedConfig } from './resolveConfig.ts'
import { resolveCosts } from './resolveCosts.ts'
import { finiteOrNull, writeConfig, writeCurve, writeFolds, writeMetrics } from './resultFields.ts'
import { writeTrading } from './tradingFields.ts'

/** A result, and what a batch needs to know about its record. */
export interface RecordedRun {
  readonly result: BacktestResult
  /** Identifies the configuration. */
  readonly label: string
  /** Net returns per period. */
  readonly net: Float64Array
  /** The series that the record is judged by, per period. */
  readonly judged: Float64Array
  readonly findings: Findings
}

/** Everything that a run depends on besides its rows and its configuration. */
export interface RunSettings {
  readonly include: readonly BacktestInclude[]
  readonly marketCosts: MarketCosts
  /** Warnings about the rows, listed before all others. */
  readonly dataWarnings: readonly BacktestWarning[]
  readonly evidence: EvidenceSettings
  /** The benchmark of the record, given the first days of its periods. */
  readonly benchmark: (days: Int32Array) => Benchmark
  /** For the section `capacity`. */
  readonly participation?: number | undefined
  /** Judges the record: the winner of a sweep together with all of its trials, any other record by itself. */
  readonly judgeRecord: (trial: EvidenceTrial) => Judged
  /** Explain the record; undefined: none were sent. */
  readonly factors?: FactorSeries | undefined
  /** Every configuration of the sweep that this record won; undefined: it is a single one. */
  readonly factorTrials?: readonly FactorTrial[] | undefined
  /** Trading days from a date to the close at which its returns begin; 0 by default. */
  readonly entryLag?: number | undefined
  /** Another thread sets it to 1 to cancel the work; the run is then incomplete. */
  readonly stop?: Int32Array | undefined
}

/** Runs one configuration on a view of a dataset: simulates it, computes its statistics, and writes the
 * result. */
export function recordConfiguration(
  data: Dataset,
  view: DateView,
  config: ResolvedConfig,
  settings: RunSettings,
): RecordedRun {
  const { include, marketCosts, dataWarnings, evidence, stop } = settings
  const { participation = defaultParticipation, entryLag = 0 } = settings
  requireVolume(data, include)
  const periods = rebalanceDates(view.firstDate, view.endDate, config.step)
  const days = Int32Array.from(periods, date => data.days[date])
  const { tradingCosts, costs, warnings } = resolveCosts(data, periods, config, marketCosts)
  const { periodsPerYear, returnDays, portfolio } = config
  const simulation = simulate(data, periods, portfolio, tradingCosts, include.includes('positions'), stop)
  const { series } = simulation
  const { judged, benchmark } = judgedReturns(series, settings.benchmark(days), portfolio.longShort)
  const { net } = series
  const ends = periodEnds(data, periods)
  const folds = walkForward({ net, judged }, days, {
    folds: config.folds,
    tranches: portfolio.tranches,
    returnDays: returnDays + entryLag,
    ends: trainingEnds(data, periods),
    periodsPerYear,
  })
  const summary = summarise(series, judged, folds, portfolio.tranches, periodsPerYear)
  const emptyPeriods = countEmpty(series.held)
  const { used, dropped } = countDropped(data, view, periods, series)
  const allWarnings = [
    ...dataWarnings,
    ...warnings,
    ...(folds.length < config.folds ? [fewerFolds(config.folds, folds.length, periods.length)] : []),
    ...warnOfFewNames(data, periods, simulation.ranked),
    ...warnOfEmptyPeriods(emptyPeriods, periods.length),
    ...(summary.ruined ? [ruined] : []),
    ...warnOfSharpe(summary, periods.length, dataWarnings),
  ]
  const records: EvidenceRecords = {
    trials: [{ net, judged, benchmark, tranches: portfolio.tranches, avgTurnover: summary.avgTurnover }],
    winner: 0,
    days,
    returnDays: returnDays + entryLag,
    ends,
    periodsPerYear,
    hasCosts: summary.costDragAnnual > 0,
    pbo: null,
    warnings: allWarnings.map(({ code }) => code),
  }
  const { judgement, tested } = settings.judgeRecord(records.trials[0])
  const findings: Findings = {
    ...judgement,
    benchmark,
    judgedSharpe: finiteOrNull(summary.judgedSharpe),
    periods: periods.length,
    ruined: summary.ruined,
    longShort: portfolio.longShort,
    gross: portfolio.gross,
    warnings: records.warnings,
  }
  const verdict = judge(findings)
  const result: BacktestResult = {
    object: 'backtest_result',
    n_rows: used,
    n_dates: view.endDate - view.firstDate,
    n_periods: periods.length,
    n_empty_periods: emptyPeriods,
    periods_per_year: periodsPerYear,
    spacing: config.medianDateGap,
    step: config.step,
    config: writeConfig(config),
    benchmark,
    verdict,
    metrics: writeMetrics(summary),
    ...writeCurve(summary.curve, { days, returnDays, ends }),
    folds: writeFolds(folds, days, config.label),
    dropped,
    universe: { definition: universe, names_per_period: mean(Float64Array.from(simulation.known)) },
    costs,
    ...writeNeutralised(data, periods, config),
    warnings: allWarnings,
    ...(tested === null || evidence.sections.length === 0
      ? {}
      : { evidence: writeEvidence(evidence, records, tested) }),
    ...writeTrading(simulation, portfolio.trading, data, periodsPerYear),
    ...(settings.factors === undefined || stop?.[0] === 1
      ? {}
      : {
          factors: writeFactors(settings.factors, {
            net,
            longShort: portfolio.longShort,
            periods: { days, returnDays, medianDateGap: config.medianDateGap, spans: spansOf(data, periods) },
            tranches: portfolio.tranches,
            periodsPerYear,
            verdict,
            trials: settings.factorTrials,
            meanBlock: evidence.meanBlock,
          }),
        }),
    ...writeIncluded({ data, periods, days, config, tradingCosts }, simulation, include, participation),
    ...(include.includes('curves')
      ? {
          curves: writeCurves(
            series,
            folds.map(fold => ({ fold, net: series.net })),
            { days, returnDays, ends, periodsPerYear },
          ),
        }
      : {}),
  }
  return { result, label: config.label, net, judged, findings }
}

/** No strategy that trades on daily or monthly data is known to exceed this. */
const largestSharpe = 5
/** With fewer periods, a large Sharpe ratio is not surprising, and no verdict is positive anyway. */
const minSharpePeriods = 30

/** @param dataWarnings if one of these says that the score contains its own returns, there is no second warning */
export function warnOfSharpe(
  { sharpe, judgedSharpe }: Summary,
  periods: number,
  dataWarnings: readonly BacktestWarning[],
): BacktestWarning[] {
  const best = Math.max(sharpe ?? 0, judgedSharpe ?? 0)
  if (!(best > largestSharpe) || periods < minSharpePeriods) return []
  if (dataWarnings.some(({ code }) => code === 'score_is_return' || code === 'too_good')) return []
  return [
    {
      code: 'too_good',
      message: `The annualised Sharpe ratio is ${best.toFixed(1)}. Above ${largestSharpe}, the score probably contains later data, or returns are not those that could be earned; no verdict is given. Check that each score uses only what was known before its date, and that returns begin after it.`,
    },
  ]
}

function fewerFolds(requested: number, made: number, periods: number): BacktestWarning {
  return {
    code: 'fewer_folds',
    message: `${periods} periods are enough for only ${made} of the ${requested} requested folds.`,
  }
}

const universe =
  'All rows of a date with a known return, at equal weight: those with a score and those without.'

function countEmpty(held: Uint8Array): number {
  let empty = 0
  for (const one of held) if (one === 0) empty++
  return empty
}

function warnOfEmptyPeriods(empty: number, periods: number): BacktestWarning[] {
  if (empty === 0) return []
  if (empty === periods) return [noPositions]
  return [
    {
      code: 'empty_periods',
      message: `The portfolio held nothing in ${empty} of ${periods} periods, because no two names had a score. They earn 0 in the curve and the Sharpe ratio, and count in neither information_ratio nor hit_rate.`,
    },
  ]
}

/** With less than this, the result describes a few names or a few days, whatever its Sharpe ratio. */
const minNames = 10
const minNamesShare = 0.25
const minDates = 20
const minDatesShare = 0.5

/** @param ranked names with a rank, per period */
function warnOfFewNames(data: Dataset, periods: Int32Array, ranked: Int32Array): BacktestWarning[] {
  const dates = ranked.filter(names => names >= 2).length
  if (dates === 0) return []
  const warnings: BacktestWarning[] = []
  const names = upperMedian(ranked.filter(count => count >= 2))
  const rows = upperMedian(periods.map(date => data.offsets[date + 1] - data.offsets[date]))
  if (names < minNames || names < minNamesShare * rows)
    warnings.push({
      code: 'few_names',
      message: `The score ranks ${names} of ${rows} names on a typical date. With so few names, the result says more about the names than about the score.`,
    })
  if (dates < minDates || dates < minDatesShare * periods.length)
    warnings.push({
      code: 'few_dates',
      message: `The score ranks names in ${dates} of ${periods.length} periods. So few periods prove little.`,
    })
  return warnings
}

function upperMedian(counts: Int32Array): number {
  return counts.sort()[counts.length >> 1]
}

const noPositions: BacktestWarning = {
  code: 'no_positions',
  message: 'The portfolio stayed empty: no date has two names with a score.',
}

const ruined: BacktestWarning = {
  code: 'ruined',
  message: 'The equity fell to 0 or less. The curve ends there; the ratios still cover every period.',
}

/** Counts the excluded rows. used + rows_without_score + rows_off_step + rows_over_limit is the number of
 * rows that the request selects. */
function countDropped(
  data: Dataset,
  view: DateView,
  periods: Int32Array,
  series: PeriodSeries,
): { used: number; dropped: BacktestDropped } {
  const { offsets, score, forwardReturn, ranking } = data
  let rows = 0
  let withoutScore = 0
  let withoutReturn = 0
  for (const date of periods) {
    const end = offsets[date + 1]
    const all = end - offsets[date]
    rows += all
    // The rows of a date are not inspected if the ranking shows that all of them are complete.
    if (ranking && ranking.eligible[date] === all && ranking.known[date] === all) continue
    for (let row = offsets[date]; row < end; row++) {
      if (Number.isNaN(score[row])) withoutScore++
      else if (Number.isNaN(forwardReturn[row])) withoutReturn++
    }
  }
  let heldWithoutReturn = 0
  for (const names of series.heldWithoutReturn) heldWithoutReturn += names
  return {
    used: rows - withoutScore,
    dropped: {
      rows_over_limit: view.rowsOverLimit,
      rows_off_step: data.offsets[view.endDate] - data.offsets[view.firstDate] - rows,
      rows_without_score: withoutScore,
      rows_without_return: withoutReturn,
      held_without_return: heldWithoutReturn,
    },
  }
}
