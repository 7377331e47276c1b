import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import type { BacktestSettings } from '../codec/settings.ts'
import { type Dataset, nameCount } from '../dataset/dataset.ts'
import { shareDataset } from '../dataset/packed.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { DateView } from '../dataset/subset.ts'
import { type FactorSeries, resolveFactors } from '../factors/factorSeries.ts'
import type { BacktestScore } from '../figureScore.ts'
import { type Benchmark, resolveBenchmark } from '../judging/benchmark.ts'
import type { DateSpacing } from '../portfolio/dateSpacing.ts'
import { rebalanceDates } from '../portfolio/rebalanceDates.ts'
import type { PortfolioSettings, TradingCosts } from '../portfolio/settings.ts'
import { simulateMany } from '../portfolio/simulate.ts'
import {
  type BacktestConfig,
  type BacktestInclude,
  type BacktestSweep,
  maxSweepConfigurations,
} from '../request.ts'
import { rankingName } from '../requestColumns.ts'
import { defaultParticipation } from '../requestEvidence.ts'
import type { BacktestRequestUsed, BacktestSourceUsed, BacktestWarning } from '../result.ts'
import type { BacktestPricesUsed } from '../resultPrices.ts'
import type { ReturnsUsed } from '../resultTrading.ts'
import { requireVolume } from './capacity.ts'
import { boundEvidence, type EvidenceSettings, resolveEvidence } from './evidence.ts'
import { echoRequest } from './requestEcho.ts'
import { type ResolvedConfig, resolveConfig } from './resolveConfig.ts'
import { resolveCosts } from './resolveCosts.ts'
import { type ArchiveInput, type SelectedData, selectArchiveData } from './selectData.ts'
import { rankingsOf, type ScoreVariant, type SweepScores } from './sweepScores.ts'

/** A sweep, cut into slices that may run anywhere in any order. The same rows and the same request give the
 * same plan in every process. */
export interface SweepPlan {
  /** Ranked, in shared memory; with `scores` the rows with the first of them. */
  readonly data: Dataset
  /** The scores that are tried; undefined: the score of `data`. */
  readonly scores?: SweepScores | undefined
  readonly view: DateView
  /** In the order of the grid. */
  readonly configs: readonly ResolvedConfig[]
  readonly slices: readonly SweepSlice[]
  /** The same for all configurations. */
  readonly tradingCosts: TradingCosts
  readonly marketCosts: MarketCosts
  readonly include: readonly BacktestInclude[]
  /** See `BacktestSettings`. */
  readonly pageOnly?: readonly BacktestInclude[]
  readonly evidence: EvidenceSettings
  readonly benchmark: Benchmark
  /** Explain the winner; undefined: none were sent. */
  readonly factors?: FactorSeries | undefined
  /** For the section `capacity`. */
  readonly participation: number
  readonly warnings: readonly BacktestWarning[]
  /** Configurations that the caller tried before. */
  readonly alreadyTried: number
  /** Null for a panel. */
  readonly dataVersion: number | null
  /** See `echoRequest`; its data version is that of the plan. */
  readonly request?: BacktestRequestUsed | undefined
  /** What selected the rows; undefined for a panel. */
  readonly source?: BacktestSourceUsed | undefined
  /** Describes the score if it is a metric, rather than a forecast or the caller's own. */
  readonly score?: BacktestScore | undefined
  /** See `SelectedData`. */
  readonly returns?: ReturnsUsed | undefined
  /** The prices that gave the returns. */
  readonly prices?: BacktestPricesUsed | undefined
}

/** Indices of its configurations in the plan's list. */
export type SweepSlice = readonly number[]

/** The output of a slice: for each of its configurations in turn, its net return per period, followed by its
 * mean turnover. In shared memory, so threads copy nothing, and the bytes can be stored or sent unchanged. */
export type SliceSeries = Float64Array

export function planArchiveSweep(input: ArchiveInput): SweepPlan {
  const selected = selectArchiveData(input)
  const plan = planSweep(selected, input.request, input.costs)
  return { ...plan, request: echoRequest(input.request, selected) }
}

/** Resolves the grid's configurations, cuts them into slices, and moves the rows to shared memory. */
export function planSweep(
  selected: SelectedData,
  request: BacktestSettings,
  marketCosts: MarketCosts,
): SweepPlan {
  const { config, sweep } = request
  const configs = gridConfigs(config, sweep || true, selected.returnDays, selected.spacing)
  return planConfigs(selected, request, marketCosts, configs)
}

/** A sweep of some columns as scores: the grid of the request, or its configuration alone, for each column and each
 * combination of all.
 *
 * @param select the rows of a configuration */
export function planScores(
  select: (config: BacktestConfig) => SelectedData,
  { columns, rows }: { readonly columns: readonly string[]; readonly rows: number },
  request: BacktestSettings,
  marketCosts: MarketCosts,
): SweepPlan {
  const { config, sweep } = request
  const rankings = rankingsOf(columns)
  boundScores(rows, rankings.length)
  const selections = rankings.map(rankBy => select({ ...config, rankBy }))
  const [{ returnDays, spacing }] = selections
  const grids = rankings.map(rankBy => gridConfigs({ ...config, rankBy }, sweep || {}, returnDays, spacing))
  const configs = grids.flat()
  if (configs.length > maxSweepConfigurations) throw tooMany(configs.length)
  const variants = selections.map(({ data, warnings, weights = null }, i): ScoreVariant => {
    const { combine = null } = rankings[i]
    return { name: rankingName(rankings[i]), combine, data: rankedData(data), warnings, weights }
  })
  const variantOf = grids.flatMap((grid, variant) => grid.map(() => variant))
  const first = { ...selections[0], data: variants[0].data }
  const plan = planConfigs(first, request, marketCosts, configs)
  const slices = grids.flatMap((grid, variant) => {
    const before = variantOf.indexOf(variant)
    const periods = rebalanceDates(plan.view.firstDate, plan.view.endDate, configs[0].step).length
    return cutSlices(grid, periods, nameCount(plan.data.assets)).map(slice => slice.map(at => before + at))
  })
  return { ...plan, slices, scores: { columns, variants, variantOf } }
}

/** Each score takes 12 bytes per row. */
const maxScoredRows = 50_000_000

function boundScores(rows: number, scores: number): void {
  if (rows * scores <= maxScoredRows) return
  throw new Failure(
    'backtest_impossible',
    `scores makes ${scores} scores of ${rows.toLocaleString('en')} rows, above the limit of ${maxScoredRows.toLocaleString('en')} together. Send fewer columns or rows.`,
    { param: 'scores' },
  )
}

/** The rows that a configuration of a plan ranks. */
export const dataOf = ({ data, scores }: Pick<SweepPlan, 'data' | 'scores'>, config: number): Dataset =>
  scores === undefined ? data : scores.variants[scores.variantOf[config]].data

function rankedData(data: Dataset): Dataset {
  const shared = shareDataset(data)
  return shared.ranking ? shared : rankDataset(shared)
}

function planConfigs(
  selected: SelectedData,
  request: BacktestSettings,
  marketCosts: MarketCosts,
  configs: readonly ResolvedConfig[],
): SweepPlan {
  const { include } = request
  requireVolume(selected.data, include)
  const { view, warnings, dataVersion, source, score, returns, prices } = selected
  const data = rankedData(selected.data)
  const periods = rebalanceDates(view.firstDate, view.endDate, configs[0].step)
  const evidence = resolveEvidence(include, request.evidence)
  boundEvidence(evidence, configs.length, periods.length)
  const days = Int32Array.from(periods, date => data.days[date])
  return {
    data,
    view,
    configs,
    slices: cutSlices(configs, periods.length, nameCount(data.assets)),
    tradingCosts: resolveCosts(data, periods, configs[0], marketCosts).tradingCosts,
    marketCosts,
    include,
    evidence,
    benchmark: resolveBenchmark(request.benchmark, request.evidence, days),
    ...(request.factors === undefined ? {} : { factors: resolveFactors(request.factors, prices ?? null) }),
    participation: request.evidence?.participation ?? defaultParticipation,
    warnings,
    alreadyTried: request.trialsAlreadyTried ?? 0,
    dataVersion,
    ...(source === undefined ? {} : { source }),
    ...(score === undefined ? {} : { score }),
    ...(returns === undefined ? {} : { returns }),
    ...(prices === undefined ? {} : { prices }),
  }
}

export interface SliceInput {
  readonly data: Dataset
  readonly view: DateView
  readonly configs: readonly ResolvedConfig[]
  readonly tradingCosts: TradingCosts
  /** Filled by the simulation. */
  readonly series: SliceSeries
  /** Set to 1 to stop the simulation within one period. */
  readonly stop: Int32Array
}

/** Simulates some configurations of a sweep into shared memory. */
export function simulateSlice({ data, view, configs, tradingCosts, series, stop }: SliceInput): null {
  const periods = rebalanceDates(view.firstDate, view.endDate, configs[0].step)
  simulateMany(
    data,
    periods,
    configs.map(config => config.portfolio),
    tradingCosts,
    series,
    stop,
  )
  return null
}

const standardQuantiles = [0.05, 0.1, 0.2, 0.3]
const standardWeightings = ['equal', 'rank', 'score'] as const
const standardHolds = [1, 5, 10, 21]

/** Every configuration that a sweep tries, in the order direction, quantile, weighting, holdDays. `true`
 * selects the standard grid of 48 in the given direction. In the caller's own grid, an omitted axis keeps
 * its value in `config`. */
function gridConfigs(
  config: BacktestConfig,
  sweep: true | BacktestSweep,
  defaultReturnDays: number,
  spacing: DateSpacing,
): ResolvedConfig[] {
  const grid =
    sweep === true
      ? standardGrid((config.rebalance === undefined ? config.returnDays : undefined) ?? defaultReturnDays)
      : sweep
  const directions = grid.direction ?? [config.direction]
  const quantiles = grid.quantile ?? [config.quantile]
  const weightings = grid.weighting ?? [config.weighting]
  const holds = grid.holdDays ?? [config.holdDays]
  const count = directions.length * quantiles.length * weightings.length * holds.length
  if (count > maxSweepConfigurations) throw tooMany(count)
  const configs: ResolvedConfig[] = []
  for (const direction of directions) {
    for (const quantile of quantiles) {
      for (const weighting of weightings) {
        holds.forEach((holdDays, i) => {
          const own = Object.fromEntries(
            Object.entries({ direction, quantile, weighting, holdDays }).filter(
              ([, value]) => value !== undefined,
            ),
          )
          const param = grid.holdDays ? `sweep.holdDays[${i}]` : 'config.holdDays'
          configs.push(resolveConfig({ ...config, ...own }, defaultReturnDays, spacing, param))
        })
      }
    }
  }
  return configs
}

function standardGrid(returnDays: number) {
  return {
    direction: undefined,
    quantile: standardQuantiles,
    weighting: standardWeightings,
    holdDays: standardHolds.map(hold => hold * returnDays),
  }
}

function tooMany(count: number): Failure {
  const max = maxSweepConfigurations.toLocaleString('en')
  return new Failure(
    'parameter_invalid',
    `sweep has ${count.toLocaleString('en')} configurations; the limit is ${max}. Remove values from one of its lists.`,
    { param: 'sweep' },
  )
}

/** A slice with this much work ends with its current target. */
const enoughMs = 10
/** Only a slice with a single portfolio may exceed this, so that other requests get a thread in time and
 * progress is visible. */
const maxMs = 45
/** Approximate times per period and asset: forming a target, and moving one portfolio that holds it. */
const targetMs = 1e-6
const portfolioMs = 0.6e-6
/** The fixed cost of a period per portfolio, expressed in names. Without it, a thousand portfolios of five
 * names would form one slice. */
const namesPerPeriod = 100

/** Cuts the configurations into slices of 10 to 45 ms of work. Configurations that differ only in holding
 * time are adjacent: they hold the same targets, which are then formed only once. */
export function cutSlices(configs: readonly ResolvedConfig[], periods: number, names: number): SweepSlice[] {
  const cells = periods * (names + namesPerPeriod)
  const keys = configs.map(({ portfolio }) => targetKey(portfolio))
  const order = configs.map((_, i) => i)
  order.sort((a, b) => (keys[a] === keys[b] ? a - b : keys[a] < keys[b] ? -1 : 1))
  const slices: number[][] = []
  let spentMs = Number.POSITIVE_INFINITY
  order.forEach((config, i) => {
    const newTarget = i === 0 || keys[config] !== keys[order[i - 1]]
    const costMs = cells * (newTarget ? targetMs + portfolioMs : portfolioMs)
    if ((newTarget && spentMs >= enoughMs) || spentMs + costMs > maxMs) {
      slices.push([])
      spentMs = cells * (targetMs + portfolioMs)
    } else spentMs += costMs
    slices[slices.length - 1].push(config)
  })
  return slices
}

function targetKey({ longShort, quantile, weighting }: PortfolioSettings): string {
  return `${longShort} ${quantile} ${weighting}`
}
