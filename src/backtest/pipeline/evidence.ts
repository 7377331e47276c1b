import { Failure } from '../../errors.ts'
import { optimalBlockLength } from '../evidence/blockLength.ts'
import { type CpcvGroup, cpcv, cpcvGroups } from '../evidence/cpcv.ts'
import { sharpeInterval } from '../evidence/sharpeInterval.ts'
import { type SpaResult, superiorPredictiveAbility } from '../evidence/spa.ts'
import type { BacktestInclude } from '../request.ts'
import { type BacktestEvidence, type EvidenceSection, evidenceSections } from '../requestEvidence.ts'
import type { EvidenceUsed } from '../resultEvidence.ts'
import { kurtosisRaw, skewness } from '../statistics/moments.ts'
import { quantile } from '../statistics/quantile.ts'
import { minTrackRecordPeriods, probabilisticSharpe, sharpe } from '../statistics/sharpe.ts'
import { evidenceNotes, type NotedRecords } from './evidenceNotes.ts'
import { finiteOrNull } from './resultFields.ts'

/** What evidence a request wants and how, with every default filled in. */
export interface EvidenceSettings {
  readonly sections: readonly EvidenceSection[]
  readonly seed: number
  readonly bootstraps: number
  /** Null: chosen from the record. */
  readonly meanBlock: number | null
  readonly benchmark: 'universe' | 'cash'
  readonly groups: number
  readonly testGroups: number
}

/** Null if `include` has no section of evidence. */
export function resolveEvidence(
  include: readonly BacktestInclude[],
  sent: BacktestEvidence = {},
): EvidenceSettings | null {
  const sections = evidenceSections.filter(section => include.includes(section))
  if (sections.length === 0) return null
  const { seed = 1, bootstraps = 1_000, meanBlock = null, benchmark = 'universe' } = sent
  const { groups = 10, testGroups = 2 } = sent
  return { sections, seed, bootstraps, meanBlock, benchmark, groups, testGroups }
}

/** Periods drawn in all resamples, and returns of all configurations. Above these one request would hold a thread for many seconds
 * or hundreds of megabytes. */
const maxDraws = 100_000_000
const maxReturns = 50_000_000

/** Refuses evidence that takes too long or too much memory. */
export function boundEvidence(
  { sections, bootstraps }: EvidenceSettings,
  configurations: number,
  periods: number,
): void {
  if (!sections.some(section => section === 'spa' || section === 'interval')) return
  if (bootstraps * periods > maxDraws) {
    throw new Failure(
      'backtest_impossible',
      `evidence.bootstraps (${bootstraps}) times ${periods} periods is above the limit of ${maxDraws.toLocaleString('en')}. Send fewer bootstraps or dates.`,
      { param: 'evidence.bootstraps' },
    )
  }
  if (sections.includes('spa') && configurations * periods > maxReturns) {
    throw new Failure(
      'backtest_impossible',
      `spa of ${configurations} configurations with ${periods} periods is above the limit of ${maxReturns.toLocaleString('en')} returns. Send fewer configurations or dates, or omit spa from include.`,
      { param: 'include' },
    )
  }
}

/** The records that evidence is about: one configuration, or all trials of a sweep. */
export interface EvidenceRecords extends NotedRecords {
  readonly trials: readonly EvidenceTrial[]
  /** The configuration that the result is about. */
  readonly winner: number
  readonly universe: Float64Array
  readonly returnDays: number
  readonly periodsPerYear: number
}

export interface EvidenceTrial {
  readonly net: Float64Array
  /** h, in periods. */
  readonly tranches: number
  readonly avgTurnover: number
}

/** The net return of each trial and what `spa` compares it with. */
export function spaInput(settings: EvidenceSettings, { trials, universe }: EvidenceRecords) {
  const series = trials.map(({ net }) => net)
  const benchmark = settings.benchmark === 'cash' ? new Float64Array(universe.length) : universe
  return { series, benchmark, meanBlock: settings.meanBlock ?? chooseMeanBlock(series, benchmark) }
}

/** The longer of two block lengths: that of the mean net return of all configurations, and that of their mean excess return. One length
 * serves all, since all are resampled together. `interval` is of net returns: where these correlate over time and a loud benchmark hides
 * it, the length of the excess alone would make the interval too narrow. */
function chooseMeanBlock(series: readonly Float64Array[], benchmark: Float64Array): number {
  const mean = new Float64Array(benchmark.length)
  for (const net of series) for (let t = 0; t < mean.length; t++) mean[t] += net[t] / series.length
  const excess = mean.map((net, t) => net - benchmark[t])
  return Math.max(optimalBlockLength(mean), optimalBlockLength(excess))
}

/** The sections of `evidence`, each present. */
type Sections = Required<Pick<EvidenceUsed, EvidenceSection>>

/** The section `evidence` of a result.
 *
 * @param spa of a sweep, whose resamples ran as slices of their own; undefined: computed here, for one configuration */
export function writeEvidence(
  settings: EvidenceSettings,
  records: EvidenceRecords,
  spa?: SpaResult | null,
): EvidenceUsed {
  const { sections, seed, bootstraps } = settings
  const { series, benchmark, meanBlock } = spaInput(settings, records)
  const { periodsPerYear } = records
  const net = series[records.winner]
  const written: Partial<Sections> = {}
  for (const section of sections) {
    switch (section) {
      case 'spa':
        written.spa = writeSpa(
          spa === undefined ? superiorPredictiveAbility(series, benchmark, meanBlock, bootstraps, seed) : spa,
          bootstraps,
        )
        break
      case 'interval':
        written.interval = writeInterval(net, meanBlock, settings, periodsPerYear)
        break
      case 'track_record':
        written.track_record = writeTrackRecord(net, periodsPerYear)
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
    benchmark: settings.benchmark,
    groups: settings.groups,
    test_groups: settings.testGroups,
    ...written,
    notes: evidenceNotes(records, written, meanBlock),
  }
}

function writeSpa(spa: SpaResult | null, bootstraps: number): Sections['spa'] {
  if (spa === null) return null
  const { lower, consistent, upper, realityCheck, statistic } = spa
  return { lower, consistent, upper, reality_check: realityCheck, resolution: 1 / bootstraps, statistic }
}

function writeInterval(
  net: Float64Array,
  meanBlock: number,
  { bootstraps, seed }: EvidenceSettings,
  periodsPerYear: number,
): Sections['interval'] {
  const interval = sharpeInterval(net, meanBlock, bootstraps, seed)
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

function writeTrackRecord(net: Float64Array, periodsPerYear: number): Sections['track_record'] {
  const sharpePerPeriod = sharpe(net, 1)
  const skew = skewness(net)
  const kurtosis = kurtosisRaw(net)
  const record =
    sharpePerPeriod === null || skew === null || kurtosis === null
      ? null
      : { sharpePerPeriod, skew, kurtosisRaw: kurtosis, periods: net.length }
  return {
    sharpe: finiteOrNull(sharpe(net, periodsPerYear)),
    sharpe_per_period: finiteOrNull(sharpePerPeriod),
    psr: record && finiteOrNull(probabilisticSharpe(record, 0)),
    min_track_record_periods: record && finiteOrNull(minTrackRecordPeriods(record, 0, confidence)),
    skew: finiteOrNull(skew),
    kurtosis_raw: finiteOrNull(kurtosis),
    n_periods: net.length,
  }
}

function writeCpcv({ groups, testGroups }: EvidenceSettings, records: EvidenceRecords): Sections['cpcv'] {
  const { trials, days, returnDays, periodsPerYear } = records
  if (trials.length < 2 || days.length < 2 * groups) return null
  const groupsOf = new Map<number, CpcvGroup[]>()
  const candidates = trials.map(({ net, tranches }) => {
    const own = groupsOf.get(tranches) ?? cpcvGroups(days, groups, { tranches, returnDays })
    groupsOf.set(tranches, own)
    return { net, groups: own }
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
