import { type Dataset, maxRowsPerDate, nameCount, type Ranking } from '../dataset/dataset.ts'
import { rankDataset, universeReturns } from '../dataset/rank.ts'
import { loadFixedCosts } from './kernel/loadBlock.ts'
import { pickRanking } from './kernel/pickLegs.ts'
import { convictionBlock, countIdle, type Run, readPortfolio, simulateBlock } from './kernel/simulateBlock.ts'
import { blockPeriods, openTile, type TileMemory } from './kernel/tileMemory.ts'
import { planTiles, type TilePlan } from './kernel/tilePlan.ts'
import { neutralTargets } from './legs.ts'
import type { PortfolioSettings, TradingCosts } from './settings.ts'

/** Sums and weights are h times those of the portfolio. */
interface PortfolioSums
  extends Pick<
    Run,
    'sums' | 'heldWithoutReturn' | 'weight' | 'trancheCount' | 'eligible' | 'known' | 'idlePeriods'
  > {
  /** The equal-weight return of all names with a known return, per period. */
  readonly universe: Float64Array
}

interface SimulationOptions {
  /** Another thread sets it to 1 to cancel the work; it is checked between two blocks of periods. */
  readonly stop?: Int32Array | undefined
  /** Counts the tranches that hold each name, for one portfolio: fills `heldWithoutReturn`, `weight` and
   * `trancheCount`. */
  readonly trackPositions?: boolean
}

/** Simulates, in one pass over the periods, all portfolios that hold the same targets for different times.
 * Targets are formed once, as dense arrays in a ring that covers the longest holding time. A portfolio
 * changes by the target that enters minus the one that expires. The compiled kernel does the work tile by
 * tile; within a tile, block of periods by block; and within a block, portfolio by portfolio.
 *
 * A portfolio's sums are bit-identical whatever the other portfolios are, and however legs are found.
 *
 * O(cells (1 + portfolios)), a cell being one column in one period.
 *
 * @param periods date indices, from `rebalanceDates`
 * @param tranches h of each portfolio */
export function simulatePortfolios(
  dataset: Dataset,
  periods: Int32Array,
  settings: PortfolioSettings,
  tranches: readonly number[],
  costs: TradingCosts,
  { stop, trackPositions = false }: SimulationOptions = {},
): PortfolioSums {
  const plan = planTiles(dataset, periods)
  const ranking = rankingFor(dataset, periods, settings, plan)
  const data = { ...dataset, ranking }
  const count = periods.length
  const trackedNames = trackPositions ? nameCount(data.assets) : 0
  const { universe, known } = universeReturns(data, periods)
  const neutral =
    ranking && settings.neutralMarket ? neutralTargets({ ...data, ranking }, periods, settings) : null
  const eligible = neutral?.inLegs ?? Int32Array.from(periods, date => ranking?.eligible[date] ?? 0)
  const idlePeriods = new Int32Array(count)
  // Without a ranking, the number of eligible names is known only once each block has picked its legs.
  if (ranking) countIdle(idlePeriods, eligible, settings, 0, count)
  const run: Run = {
    data,
    ranking,
    neutralWeights: neutral?.weight ?? null,
    periods,
    plan,
    costs,
    needs: {
      periods: count,
      tranches,
      settings,
      picksLegs: ranking === null,
      costsVary: data.marketOfAsset === null,
      trackPositions,
    },
    eligible,
    meanScore: Float64Array.from(periods, date => ranking?.meanScore[date] ?? 0),
    known,
    convictions: new Float64Array(settings.weighting === 'score' ? 2 * count : 0),
    idlePeriods,
    sums: tranches.map(() => new Float64Array(4 * count)),
    grossReturns: tranches.map(() => new Float64Array(settings.drift ? count : 0)),
    heldWithoutReturn: new Int32Array(count),
    weight: new Float64Array(trackedNames),
    trancheCount: new Int32Array(trackedNames),
  }
  runTiles(run, stop)
  const { sums, heldWithoutReturn, weight, trancheCount } = run
  return { sums, universe, heldWithoutReturn, weight, trancheCount, eligible, known, idlePeriods }
}

/** The dataset's own ranking, or one created for this run. Null if legs of equal weight are picked block by
 * block without ordering a date, which requires whole dates in one tile. */
function rankingFor(
  data: Dataset,
  periods: Int32Array,
  settings: PortfolioSettings,
  { tiles }: TilePlan,
): Ranking | null {
  if (data.ranking) return data.ranking
  if (settings.weighting !== 'equal' || settings.neutralMarket) return rankDataset(data).ranking
  return tiles.length < 2 ? null : pickRanking(data, periods, settings)
}

function runTiles(run: Run, stop: Int32Array | undefined): void {
  const { data, plan, needs, neutralWeights } = run
  const maxRows = maxRowsPerDate(data)
  // A score weight is divided by a sum over the whole date, so all tiles add to that sum before the first one
  // is weighted.
  if (needs.settings.weighting === 'score' && neutralWeights === null && plan.tiles.length > 1) {
    for (const tile of plan.tiles) eachBlock(run, openTile(tile, needs, maxRows), stop, convictionBlock)
  }
  if (needs.settings.drift && plan.tiles.length > 1) earnGrossReturns(run, maxRows, stop)
  for (const tile of plan.tiles) {
    const memory = openTile(tile, needs, maxRows)
    if (data.marketOfAsset) loadFixedCosts(run, memory, data.marketOfAsset)
    eachBlock(run, memory, stop, simulateBlock)
    if (needs.trackPositions) readPortfolio(run, memory)
  }
}

/** Fills `grossReturns` for portfolios cut into several tiles, in a pass without drift, which earns the same
 * returns. */
function earnGrossReturns(run: Run, maxRows: number, stop: Int32Array | undefined): void {
  const sums = run.sums.map(({ length }) => new Float64Array(length))
  const settings = { ...run.needs.settings, drift: false }
  const needs = { ...run.needs, settings, trackPositions: false }
  for (const tile of run.plan.tiles) {
    eachBlock({ ...run, needs, sums }, openTile(tile, needs, maxRows), stop, simulateBlock)
  }
  run.grossReturns.forEach((earned, portfolio) => {
    for (let t = 0; t < earned.length; t++) earned[t] = sums[portfolio][4 * t + 2]
  })
}

/** Calls `step` for each block of periods. The blocks extend past the tile's last row by the longest holding
 * time, after which every portfolio has sold its names. */
function eachBlock(
  run: Run,
  memory: TileMemory,
  stop: Int32Array | undefined,
  step: typeof simulateBlock,
): void {
  const { firstPeriod, lastPeriod } = memory.tile
  const end = Math.min(run.periods.length, lastPeriod + 1 + Math.max(...run.needs.tranches))
  for (let t = firstPeriod; t < end; t += blockPeriods) {
    if (stop && Atomics.load(stop, 0) === 1) return
    step(run, memory, t, Math.min(blockPeriods, end - t))
  }
}
