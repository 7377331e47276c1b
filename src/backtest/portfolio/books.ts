import { type Dataset, maxRowsPerDate, nameCount, type Ranking } from '../dataset/dataset.ts'
import { rankDataset, universeReturn } from '../dataset/rank.ts'
import { loadFixedCosts } from './kernel/loadBlock.ts'
import { blockPeriods, openTile, placePicks, type TileMemory } from './kernel/memory.ts'
import { Layout, openKernel } from './kernel/open.ts'
import { pickPeriod } from './kernel/pickRanks.ts'
import { planTiles, type TilePlan } from './kernel/tilePlan.ts'
import { convictionBlock, countIdle, type Run, readBook, walkBlock } from './kernel/walkBlock.ts'
import { neutralTargets } from './neutral.ts'
import type { BookSettings, Prices } from './settings.ts'

/** What walking books yields; sums and weights are h times what they are in the book. */
export interface Walked extends Pick<Run, 'sums' | 'unpaid' | 'weight' | 'live'> {
  /** Equal-weight return of every name with a known return, per period. */
  readonly universe: Float64Array
}

export interface WalkOptions {
  /** Leaves off between two blocks of periods when it finds 1 there. */
  readonly stop?: Int32Array | undefined
  /** Keeps count of who is in a tranche, for one book: `unpaid`, `weight` and `live`. */
  readonly follow?: boolean
}

/** Walks the periods once for all books that hold the same targets for different times. Targets are formed once, densely,
 * and kept in a ring as long as the longest book holds; a book changes by the target that enters less the one that
 * leaves. The work runs tile by tile, block of periods by block, book by book, in the compiled kernel.
 *
 * A book's sums do not depend, to the bit, on the other books, nor on how legs were found.
 *
 * O(cells (1 + books)), a cell being one column in one period.
 *
 * @param tranches h of each book */
export function walkBooks(
  given: Dataset,
  periods: Int32Array,
  settings: BookSettings,
  tranches: readonly number[],
  prices: Prices,
  { stop, follow = false }: WalkOptions = {},
): Walked {
  const plan = planTiles(given, periods)
  const ranking = rankingFor(given, periods, settings, plan)
  const data = { ...given, ranking }
  const count = periods.length
  const names = follow ? nameCount(data.assets) : 0
  const { universe, known } = universeOf(data, periods)
  const inMarkets =
    ranking && settings.neutralMarket ? neutralTargets({ ...data, ranking }, periods, settings) : null
  const eligible = inMarkets?.inLegs ?? Int32Array.from(periods, date => ranking?.eligible[date] ?? 0)
  const idle = new Int32Array(count)
  // Where legs are picked as the walk goes, it counts as it goes.
  if (ranking) countIdle(idle, eligible, settings, 0, count)
  const run: Run = {
    data,
    ranking,
    neutral: inMarkets?.weight ?? null,
    periods,
    plan,
    prices,
    needs: {
      periods: count,
      tranches,
      settings,
      picks: ranking === null,
      movingCosts: data.marketOfAsset === null,
      follow,
    },
    eligible,
    mean: Float64Array.from(periods, date => ranking?.meanScore[date] ?? 0),
    known,
    convictions: new Float64Array(settings.weighting === 'score' ? 2 * count : 0),
    idle,
    sums: tranches.map(() => new Float64Array(4 * count)),
    unpaid: new Int32Array(count),
    weight: new Float64Array(names),
    live: new Int32Array(names),
  }
  walkTiles(run, stop)
  const { sums, unpaid, weight, live } = run
  return { sums, universe, unpaid, weight, live }
}

/** Legs of equal weight are picked without an order: as the walk goes, where one tile holds whole dates. */
function rankingFor(
  data: Dataset,
  periods: Int32Array,
  settings: BookSettings,
  { tiles }: TilePlan,
): Ranking | null {
  if (data.ranking) return data.ranking
  if (settings.weighting !== 'equal' || settings.neutralMarket) return rankDataset(data).ranking
  return tiles.length < 2 ? null : pickRanking(data, periods, settings)
}

function walkTiles(run: Run, stop: Int32Array | undefined): void {
  const { data, plan, needs, neutral } = run
  const mostRows = maxRowsPerDate(data)
  if (needs.settings.weighting === 'score' && neutral === null && plan.tiles.length > 1) {
    for (const tile of plan.tiles) eachBlock(run, openTile(tile, needs, mostRows), stop, convictionBlock)
  }
  for (const tile of plan.tiles) {
    const memory = openTile(tile, needs, mostRows)
    if (data.marketOfAsset) loadFixedCosts(run, memory, data.marketOfAsset)
    eachBlock(run, memory, stop, walkBlock)
    if (needs.follow) readBook(run, memory)
  }
}

function eachBlock(run: Run, memory: TileMemory, stop: Int32Array | undefined, step: typeof walkBlock): void {
  const { firstPeriod, lastPeriod } = memory.tile
  const end = Math.min(run.periods.length, lastPeriod + 1 + Math.max(...run.needs.tranches))
  for (let t = firstPeriod; t < end; t += blockPeriods) {
    if (stop && Atomics.load(stop, 0) === 1) return
    step(run, memory, t, Math.min(blockPeriods, end - t))
  }
}

function universeOf(data: Dataset, periods: Int32Array): { universe: Float64Array; known: Int32Array } {
  const universe = new Float64Array(periods.length)
  const known = new Int32Array(periods.length)
  for (let t = 0; t < periods.length; t++) {
    const date = periods[t]
    if (data.ranking) {
      universe[t] = data.ranking.universe[date]
      known[t] = data.ranking.known[date]
    } else universeReturn(data.forwardReturn, data.offsets[date], data.offsets[date + 1], universe, known, t)
  }
  return { universe, known }
}

/** A ranking that is good for legs of equal weight and this quantile alone, and only in these periods: it tells top,
 * bottom and neither apart, without the date ever being ordered. A third of the time of `rankDataset`. */
export function pickRanking(data: Dataset, periods: Int32Array, settings: BookSettings): Ranking {
  const { offsets, days } = data
  const ranking = {
    rank: new Int32Array(data.asset.length),
    eligible: new Int32Array(days.length),
    meanScore: new Float64Array(days.length),
    universe: new Float64Array(days.length),
    known: new Int32Array(days.length),
  }
  const layout = new Layout()
  const places = placePicks(layout, maxRowsPerDate(data))
  const memory = { kernel: openKernel(layout.bytes), ...places }
  const from = places.pickRanks / 4
  for (const date of periods) {
    const start = offsets[date]
    const end = offsets[date + 1]
    ranking.eligible[date] = pickPeriod(data, memory, settings, start, end, places.pickRanks)
    ranking.rank.set(memory.kernel.integers.subarray(from, from + end - start), start)
    universeReturn(data.forwardReturn, start, end, ranking.universe, ranking.known, date)
  }
  return ranking
}
