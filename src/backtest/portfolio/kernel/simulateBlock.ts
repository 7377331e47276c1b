import { legSize } from '../legs.ts'
import type { PortfolioSettings } from '../settings.ts'
import { loadDoubles, loadRanks, loadVaryingCosts, type RunRows } from './loadBlock.ts'
import { pickBlock } from './pickLegs.ts'
import { addConvictions, formTargets, targetsFromRows } from './targets.ts'
import type { TileMemory, TileNeeds } from './tileMemory.ts'

/** A run in progress: its input and the arrays that it fills. Arrays have one element per period unless
 * stated otherwise. */
export interface Run extends RunRows {
  readonly needs: TileNeeds
  readonly eligible: Int32Array
  readonly meanScore: Float64Array
  /** The number of known returns. */
  readonly known: Int32Array
  /** With score weights, two per period: the sums of |score - mean| over the top and the bottom leg, by which
   * the weights are divided. */
  readonly convictions: Float64Array
  /** Consecutive periods without a leg, up to and including this one. */
  readonly idlePeriods: Int32Array
  /** For each portfolio, four per period: sum |dw|, sum |dw| cost, sum w r, sum min(w, 0), all multiplied by
   * h. */
  readonly sums: readonly Float64Array[]
  /** With drift, for each portfolio: h times its gross return per period. With one tile, the run fills it.
   * With several tiles it must be known beforehand, because the return of the whole portfolio determines the
   * trades of every tile. */
  readonly grossReturns: readonly Float64Array[]
  /** With `trackPositions`, for the only portfolio: the number of names held without a return. */
  readonly heldWithoutReturn: Int32Array
  /** Its last weights, one per asset, multiplied by h. */
  readonly weight: Float64Array
  /** How many of its tranches hold each asset at the end. */
  readonly trancheCount: Int32Array
}

/** Simulates periods t .. t + count - 1 of one tile: converts rows to dense columns, forms targets, then
 * moves every portfolio through all of the periods. */
export function simulateBlock(run: Run, memory: TileMemory, t: number, count: number): void {
  const { data, needs, neutralWeights, plan } = run
  const { settings, tranches, trackPositions, costsVary } = needs
  const absent = trackPositions ? Number.NaN : 0
  loadDoubles(run, memory, { values: data.forwardReturn, address: memory.returns, absent }, t, count)
  if (costsVary) loadVaryingCosts(run, memory, t, count)
  if (neutralWeights) targetsFromRows(run, memory, neutralWeights, t, count)
  else {
    loadRanksAndScores(run, memory, t, count)
    if (run.ranking === null) countIdle(run.idlePeriods, run.eligible, settings, t, count)
    if (settings.weighting === 'score' && plan.tiles.length === 1) addConvictions(run, memory, t, count)
    formTargets(run, memory, t, count)
  }
  if (trackPositions) countHeldWithoutReturn(run, memory, t, count)
  zeroMissingReturns(run, memory, t, count)
  for (let p = 0; p < tranches.length; p++) movePortfolio(run, memory, p, t, count)
}

/** Adds one tile's part of the convictions. With several tiles, all of them are added before the first tile
 * is weighted. */
export function convictionBlock(run: Run, memory: TileMemory, t: number, count: number): void {
  loadRanksAndScores(run, memory, t, count)
  addConvictions(run, memory, t, count)
}

function loadRanksAndScores(run: Run, memory: TileMemory, t: number, count: number): void {
  const { settings } = run.needs
  if (run.ranking) loadRanks(run, memory, run.ranking.rank, t, count)
  else pickBlock(run, memory, settings, t, count, run.eligible)
  if (settings.weighting === 'score')
    loadDoubles(run, memory, { values: run.data.score, address: memory.scores, absent: Number.NaN }, t, count)
}

function countHeldWithoutReturn(
  { needs, heldWithoutReturn }: Run,
  memory: TileMemory,
  t: number,
  count: number,
): void {
  const { kernel, targets, slots, tile, trancheCounts, returns } = memory
  const counted = memory.heldWithoutReturn / 8
  kernel.doubles.fill(0, counted, counted + count)
  kernel.calls.countUnpaid(
    targets,
    slots,
    ringDepth(needs, 0),
    t,
    count,
    tile.width,
    trancheCounts,
    returns,
    memory.heldWithoutReturn,
  )
  for (let i = 0; i < count; i++) heldWithoutReturn[t + i] += kernel.doubles[counted + i]
}

/** From here on, missing returns count as 0. Periods without any are skipped. */
function zeroMissingReturns(run: Run, { kernel, tile, returns }: TileMemory, t: number, count: number): void {
  const { data, periods, known, needs, plan } = run
  for (let i = 0; i < count; i++) {
    const date = periods[t + i]
    const rows = data.offsets[date + 1] - data.offsets[date]
    const hasAbsent = needs.trackPositions && !plan.full
    if (hasAbsent || known[t + i] < rows) kernel.calls.dropMissing(returns + 8 * tile.width * i, tile.width)
  }
}

/** Moves one portfolio through the block, and empties it in each period in which its idle periods reach h. */
function movePortfolio(run: Run, memory: TileMemory, portfolio: number, t: number, count: number): void {
  const { needs, sums, idlePeriods } = run
  const { doubles } = memory.kernel
  const { lastPeriod } = memory.tile
  const h = needs.tranches[portfolio]
  // A portfolio is empty h periods after its last row, even if others hold their names for longer.
  const moves = Math.min(count, lastPeriod + h - t + 1)
  if (moves <= 0) return
  const out = memory.sums / 8
  doubles.fill(0, out, out + 4 * moves)
  for (let from = 0; from < moves; ) {
    let end = from
    while (end < moves && idlePeriods[t + end] !== h) end++
    const emptied = end < moves
    if (emptied) end++
    if (needs.settings.drift) callDrift(run, memory, portfolio, t, from, end)
    else callWalk(needs, memory, portfolio, t, from, end - from)
    if (emptied) {
      emptyPortfolio(needs, memory, portfolio)
      doubles.fill(0, out + 4 * end - 2, out + 4 * end)
      if (needs.settings.drift) run.grossReturns[portfolio][t + end - 1] = 0
    }
    from = end
  }
  const sum = sums[portfolio]
  for (let i = 0; i < 4 * moves; i++) sum[4 * t + i] += doubles[out + i]
}

/** Runs the kernel over `count` periods, starting at period `from` of the block. */
function callWalk(
  needs: TileNeeds,
  { kernel, tile, targets, slots, returns, costs, weights, sums }: TileMemory,
  portfolio: number,
  t: number,
  from: number,
  count: number,
): void {
  const doubles = 8 * tile.width
  const costStride = needs.costsVary ? doubles : 0
  const weightsAt = weights + doubles * portfolio
  const returnsAt = returns + doubles * from
  const costsAt = costs + costStride * from
  const sumsAt = sums + 32 * from
  const ring = [targets, slots, ringDepth(needs, portfolio), t + from, count, tile.width, weightsAt] as const
  kernel.calls.walk(...ring, returnsAt, costsAt, costStride, sumsAt)
}

/** Runs the kernel over the block's periods from .. end - 1 one by one, because the return of a drifting
 * portfolio in one period determines its trades in the next. */
function callDrift(
  { needs, plan, grossReturns }: Run,
  { kernel, tile, targets, slots, returns, costs, weights, grownWeights, sums }: TileMemory,
  portfolio: number,
  t: number,
  from: number,
  end: number,
): void {
  const doubles = 8 * tile.width
  const costStride = needs.costsVary ? doubles : 0
  const depth = ringDepth(needs, portfolio)
  const earned = grossReturns[portfolio]
  for (let i = from; i < end; i++) {
    kernel.calls.driftPeriod(
      targets + doubles * ((t + i) % slots),
      targets + doubles * ((t + i + slots - depth) % slots),
      tile.width,
      weights + doubles * portfolio,
      grownWeights + doubles * portfolio,
      t + i === 0 ? 1 : growthOf(earned[t + i - 1] / needs.tranches[portfolio]),
      returns + doubles * i,
      costs + costStride * i,
      sums + 32 * i,
    )
    if (plan.tiles.length === 1) earned[t + i] = kernel.doubles[sums / 8 + 4 * i + 2]
  }
}

/** The tolerance for a return of -1, to allow for rounding. */
const ruinRounding = 1e-13

/** 1 + R, by which weights are divided after the portfolio has grown. A portfolio that lost everything
 * returns Infinity, which makes the old weights 0, so the next portfolio is bought from nothing. 1 + R
 * itself would divide by 0 or turn long into short. */
function growthOf(grossReturn: number): number {
  return grossReturn > ruinRounding - 1 ? 1 + grossReturn : Number.POSITIVE_INFINITY
}

/** Sets the weights of a portfolio without tranches to exactly 0. Adding and subtracting targets leaves
 * rounding errors in the weights. They would keep earning returns, and a fold without positions would show a
 * Sharpe ratio. */
function emptyPortfolio({ settings }: TileNeeds, memory: TileMemory, portfolio: number): void {
  const { kernel, tile, weights, grownWeights } = memory
  const at = (weights + 8 * tile.width * portfolio) / 8
  kernel.doubles.fill(0, at, at + tile.width)
  if (!settings.drift) return
  const grown = (grownWeights + 8 * tile.width * portfolio) / 8
  kernel.doubles.fill(0, grown, grown + tile.width)
}

/** How many periods back the target that expires was formed. If a portfolio holds for longer than the run, no
 * target expires. The ring is then as deep as the run, and the slot read for the expiring target is still 0.
 */
function ringDepth({ tranches, periods }: TileNeeds, portfolio: number): number {
  return Math.min(tranches[portfolio], periods)
}

/** Copies the last weights and tranche counts of the only portfolio from the tile's columns to assets. */
export function readPortfolio({ plan, weight, trancheCount }: Run, memory: TileMemory): void {
  const { doubles } = memory.kernel
  const { firstColumn, columns } = memory.tile
  for (let asset = 0; asset < weight.length; asset++) {
    const column = (plan.columnOf ? plan.columnOf[asset] : asset) - firstColumn
    if (column < 0 || column >= columns) continue
    weight[asset] = doubles[memory.weights / 8 + column]
    trancheCount[asset] = doubles[memory.trancheCounts / 8 + column]
  }
}

/** Fills idlePeriods[t .. t + count - 1]: the number of consecutive periods, up to and including each one,
 * that formed no leg. Once it reaches h, the portfolio is empty.
 *
 * @param eligible the number of names that may be in legs, for every period */
export function countIdle(
  idlePeriods: Int32Array,
  eligible: Int32Array,
  { quantile, longShort }: Pick<PortfolioSettings, 'quantile' | 'longShort'>,
  t: number,
  count: number,
): void {
  for (let i = t; i < t + count; i++) {
    const before = i > 0 ? idlePeriods[i - 1] : 0
    idlePeriods[i] = legSize(eligible[i], quantile, longShort) > 0 ? 0 : before + 1
  }
}
