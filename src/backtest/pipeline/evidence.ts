import { Failure } from '../../errors.ts'
import { optimalBlockLength } from '../evidence/blockLength.ts'
import { type CpcvGroup, cpcv, cpcvGroups } from '../evidence/cpcv.ts'
import { sharpeInterval } from '../evidence/sharpeInterval.ts'
import type { SpaResult } from '../evidence/spa.ts'
import { type SpaOutcome, testSuperiority } from '../evidence/superiority.ts'
import type { BenchmarkKind } from '../judging/benchmark.ts'
import type { BacktestInclude } from '../request.ts'
import { type BacktestEvidence, type EvidenceSection, evidenceSections } from '../requestEvidence.ts'
import type { EvidenceUsed } from '../resultEvidence.ts'
import { kurtosisRaw, skewness } from '../statistics/moments.ts'
import { quantile } from '../statistics/quantile.ts'
import { minTrackRecordPeriods, probabilisticSharpe, sharpe } from '../statistics/sharpe.ts'
import { evidenceNotes, type NotedRecords } from './evidenceNotes.ts'
import { finiteOrNull } from './resultFields.ts'

/** The evidence that a request wants and how to compute it, with every default filled in. */
export interface EvidenceSettings {
  /** The sections that the result contains; the verdict needs the resamples of `spa` in any case. */
  readonly sections: readonly EvidenceSection[]
  readonly seed: number
  readonly bootstraps: number
  /** null: chosen from the record. */
  readonly meanBlock: number | null
  readonly groups: number
  readonly testGroups: number
}

export function resolveEvidence(
  include: readonly BacktestInclude[],
  sent: BacktestEvidence = {},
): EvidenceSettings {
  const sections = evidenceSections.filter(section => include.includes(section))
  const { seed = 1, bootstraps = 1_000, meanBlock = null } = sent
  const { groups = 10, testGroups = 2 } = sent
  return { sections, seed, bootstraps, meanBlock, groups, testGroups }
}

/** Limits on the number of periods drawn in all resamples, and on the number of returns of all configurations. Above
 * them, one request would occupy a thread for many seconds or take hundreds of megabytes. */
const maxDraws = 100_000_000
const maxReturns = 50_000_000

/** Rejects evidence that would take too much time or memory. */
export function boundEvidence(
  { sections, bootstraps }: EvidenceSettings,
  configurations: number,
  periods: number,
): void {
  if (!sections.some(section => section === 'spa' || section === 'interval')) return
  boundDraws(bootstraps, periods)
  if (sections.includes('spa') && configurations * periods > maxReturns) {
    throw new Failure(
      'backtest_impossible',
      `spa of ${configurations} configurations with ${periods} periods is above the limit of ${maxReturns.toLocaleString('en')} returns. Send fewer configurations or dates, or omit spa from include.`,
      { param: 'include' },
    )
  }
}

/** Rejects resamples that would take too much time. */
export function boundDraws(bootstraps: number, periods: number): void {
  if (bootstraps * periods <= maxDraws) return
  throw new Failure(
    'backtest_impossible',
    `evidence.bootstraps (${bootstraps}) times ${periods} periods is above the limit of ${maxDraws.toLocaleString('en')}. Send fewer bootstraps or dates.`,
    { param: 'evidence.bootstraps' },
  )
}

/** Whether the resamples of `spa` may stop as soon as they decide the verdict, because the result does not
 * contain their p values. */
export const isDecisionEnough = ({ sections }: EvidenceSettings): boolean => !sections.includes('spa')

/** Whether the test is affordable for the verdict. A request that explicitly includes `spa` is rejected above
 * these limits. */
export const canTest = ({ bootstraps }: EvidenceSettings, configurations: number, periods: number): boolean =>
  bootstraps * periods <= maxDraws && configurations * periods <= maxReturns

/** The records behind the evidence: one configuration, or all trials of a sweep. */
export interface EvidenceRecords extends NotedRecords {
  readonly trials: readonly EvidenceTrial[]
  /** The configuration that the result is about. */
  readonly winner: number
  /** Trading days from the date of a period to the end of its return. */
  readonly returnDays: number
  /** See `FoldSettings`. */
  readonly ends?: Int32Array | undefined
  readonly periodsPerYear: number
}

export interface EvidenceTrial {
  readonly net: Float64Array
  /** The series that the record is judged by: net return minus the return of its benchmark. */
  readonly judged: Float64Array
  readonly benchmark: BenchmarkKind
  /** h, in periods. */
  readonly tranches: number
  readonly avgTurnover: number
}

type Returns = Pick<EvidenceTrial, 'net' | 'judged'>

/** The input that `spa` resamples. The benchmark of each trial has already been subtracted, so the benchmark
 * of the test earns 0. */
export function spaInput(settings: EvidenceSettings, trials: readonly Returns[]) {
  return {
    series: trials.map(({ judged }) => judged),
    benchmark: new Float64Array(trials[0].judged.length),
    meanBlock: meanBlockOf(settings, trials),
  }
}

/** The mean block length of all resamples: the one in the request or, if there is none, the longer of two optimal
 * lengths, one for the mean net return of all configurations and one for their mean judged return. All
 * configurations are resampled together, so they share one length. */
export function meanBlockOf({ meanBlock }: EvidenceSettings, trials: readonly Returns[]): number {
  if (meanBlock !== null) return meanBlock
  const length = optimalBlockLength(meanSeries(trials.map(({ judged }) => judged)))
  if (trials.every(trial => trial.judged === trial.net)) return length
  return Math.max(length, optimalBlockLength(meanSeries(trials.map(({ net }) => net))))
}

function meanSeries(series: readonly Float64Array[]): Float64Array {
  const total = new Float64Array(series[0].length)
  for (const values of series) for (let t = 0; t < total.length; t++) total[t] += values[t] / series.length
  return total
}

/** The test for superior predictive ability of some records, and the block length of its resamples. */
export interface Tested {
  readonly outcome: SpaOutcome
  readonly meanBlock: number
}

/** Runs that test on this thread.
 *
 * @param isSkipped true if nothing depends on the test */
export function testRecords(
  settings: EvidenceSettings,
  trials: readonly EvidenceTrial[],
  isSkipped = false,
): Tested {
  const { series, benchmark, meanBlock } = spaInput(settings, trials)
  const isEnough = isDecisionEnough(settings)
  if (isSkipped || (isEnough && !canTest(settings, trials.length, benchmark.length)))
    return { outcome: { kind: 'impossible' }, meanBlock }
  const draws = { resamples: settings.bootstraps, seed: settings.seed, isDecisionEnough: isEnough }
  return { outcome: testSuperiority(series, benchmark, meanBlock, draws), meanBlock }
}

/** The sections of `evidence`, none of them optional. */
type Sections = Required<Pick<EvidenceUsed, EvidenceSection>>

/** The section `evidence` of a result. */
export function writeEvidence(
  settings: EvidenceSettings,
  records: EvidenceRecords,
  { outcome, meanBlock }: Tested,
): EvidenceUsed {
  const { sections, seed, bootstraps } = settings
  const { trials, periodsPerYear } = records
  const { judged } = trials[records.winner]
  const written: Partial<Sections> = {}
  for (const section of sections) {
    switch (section) {
      case 'spa':
        written.spa = outcome.kind === 'complete' ? writeSpa(outcome.result, bootstraps) : null
        break
      case 'interval':
        written.interval = writeInterval(judged, meanBlock, settings, periodsPerYear)
        break
      case 'track_record':
        written.track_record = writeTrackRecord(judged, periodsPerYear)
        break
      case 'cpcv':
        written.cpcv = writeCpcv(settings, records)
        break
      default:
        section satisfies never
    }
  }
  return {
    seed,
    bootstraps,
    mean_block: meanBlock,
    mean_block_chosen: settings.meanBlock === null,
    benchmark: benchmarkOf(trials),
    groups: settings.groups,
    test_groups: settings.testGroups,
    ...written,
    notes: evidenceNotes(records, written, meanBlock),
  }
}

function benchmarkOf(trials: readonly EvidenceTrial[]): EvidenceUsed['benchmark'] {
  const [{ benchmark }] = trials
  return trials.every(trial => trial.benchmark === benchmark) ? benchmark : 'by_direction'
}

function writeSpa(spa: SpaResult, bootstraps: number): Sections['spa'] {
  const { lower, consistent, upper, realityCheck, statistic } = spa
  return { lower, consistent, upper, reality_check: realityCheck, resolution: 1 / bootstraps, statistic }
}

function writeInterval(
  judged: Float64Array,
  meanBlock: number,
  { bootstraps, seed }: EvidenceSettings,
  periodsPerYear: number,
): Sections['interval'] {
  const interval = sharpeInterval(judged, meanBlock, bootstraps, seed)
  if (interval === null) return null
  const { lowPerPeriod, highPerPeriod, level } = interval
  const root = Math.sqrt(periodsPerYear)
  return {
    low: finiteOrNull(lowPerPeriod * root),
    high: finiteOrNull(highPerPeriod * root),
    low_per_period: finiteOrNull(lowPerPeriod),
    high_per_period: finiteOrNull(highPerPeriod),
    level,
  }
}

const confidence = 0.95

function writeTrackRecord(judged: Float64Array, periodsPerYear: number): Sections['track_record'] {
  const sharpePerPeriod = sharpe(judged, 1)
  const skew = skewness(judged)
  const kurtosis = kurtosisRaw(judged)
  const record =
    sharpePerPeriod === null || skew === null || kurtosis === null
      ? null
      : { sharpePerPeriod, skew, kurtosisRaw: kurtosis, periods: judged.length }
  return {
    sharpe: finiteOrNull(sharpe(judged, periodsPerYear)),
    sharpe_per_period: finiteOrNull(sharpePerPeriod),
    psr: record && finiteOrNull(probabilisticSharpe(record, 0)),
    min_track_record_periods: record && finiteOrNull(minTrackRecordPeriods(record, 0, confidence)),
    skew: finiteOrNull(skew),
    kurtosis_raw: finiteOrNull(kurtosis),
    n_periods: judged.length,
  }
}

function writeCpcv({ groups, testGroups }: EvidenceSettings, records: EvidenceRecords): Sections['cpcv'] {
  const { trials, days, returnDays, ends, periodsPerYear } = records
  if (trials.length < 2 || days.length < 2 * groups) return null
  const groupsOf = new Map<number, CpcvGroup[]>()
  const candidates = trials.map(({ judged, tranches }) => {
    const own = groupsOf.get(tranches) ?? cpcvGroups(days, groups, { tranches, returnDays, ends })
    groupsOf.set(tranches, own)
    return { net: judged, groups: own }
  })
  const paths = cpcv(candidates, testGroups)
  if (paths === null) return null
  const root = Math.sqrt(periodsPerYear)
  const known = Float64Array.from(paths.filter(path => path !== null)).sort()
  return {
    paths: paths.map(path => finiteOrNull(path === null ? null : path * root)),
    paths_per_period: paths.map(finiteOrNull),
    median: known.length === 0 ? null : finiteOrNull(quantile(known, 0.5) * root),
    share_above_0: known.length === 0 ? null : known.filter(path => path > 0).length / known.length,
    choices: (paths.length * groups) / testGroups,
  }
}
