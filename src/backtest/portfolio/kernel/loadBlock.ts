import type { Dataset, Ranking } from '../../dataset/dataset.ts'
import type { TradingCosts } from '../settings.ts'
import { blockPeriods, type TileMemory } from './tileMemory.ts'
import type { TilePlan } from './tilePlan.ts'

/** The input of a run: rows, and how they map to periods and columns. */
export interface RunRows {
  readonly data: Dataset
  /** Null if legs are picked from scores. */
  readonly ranking: Ranking | null
  /** The target weight of every row if legs are formed inside markets, which makes ranks unnecessary; else
   * null. */
  readonly neutralWeights: Float64Array | null
  readonly periods: Int32Array
  readonly plan: TilePlan
  readonly costs: TradingCosts
}

/** A period's rows in a tile: elements from .. to - 1 of `rows` or, if that is null, rows from .. to - 1
 * themselves. */
interface Span {
  readonly rows: Int32Array | null
  readonly from: number
  readonly to: number
}

export function spanOf({ data, periods, plan }: RunRows, { tile }: TileMemory, t: number): Span {
  if (tile.from && tile.to) return { rows: tile.rows, from: tile.from[t], to: tile.to[t] }
  const start = data.offsets[periods[t]]
  if (!plan.full) return { rows: null, from: start, to: data.offsets[periods[t] + 1] }
  return { rows: null, from: start + tile.firstColumn, to: start + tile.firstColumn + tile.columns }
}

/** What is copied to a dense block of doubles. */
interface DoublesBlock {
  /** One per row. */
  readonly values: Float64Array
  /** The byte address of the block. */
  readonly address: number
  /** The value of a column without a row on that date. */
  readonly absent: number
}

/** Copies the rows' values in periods t .. t + count - 1 to the dense block. */
export function loadDoubles(
  run: RunRows,
  memory: TileMemory,
  { values, address, absent }: DoublesBlock,
  t: number,
  count: number,
): void {
  const { doubles } = memory.kernel
  const { width, firstColumn } = memory.tile
  const { columnOf, full } = run.plan
  const at = address / 8
  if (full) {
    copyFull(run, memory, { from: values, to: doubles, at }, t, count)
    return
  }
  doubles.fill(absent, at, at + count * width)
  const { asset } = run.data
  for (let i = 0; i < count; i++) {
    const { rows, from, to } = spanOf(run, memory, t + i)
    const base = at + i * width - firstColumn
    for (let j = from; j < to; j++) {
      const row = rows ? rows[j] : j
      doubles[base + (columnOf ? columnOf[asset[row]] : asset[row])] = values[row]
    }
  }
}

/** Like `loadDoubles` for ranks, with -1 for a column without a row. */
export function loadRanks(
  run: RunRows,
  memory: TileMemory,
  ranks: Int32Array,
  t: number,
  count: number,
): void {
  const { integers } = memory.kernel
  const { width, firstColumn } = memory.tile
  const { columnOf, full } = run.plan
  const at = memory.ranks / 4
  if (full) {
    copyFull(run, memory, { from: ranks, to: integers, at }, t, count)
    return
  }
  integers.fill(-1, at, at + count * width)
  const { asset } = run.data
  for (let i = 0; i < count; i++) {
    const { rows, from, to } = spanOf(run, memory, t + i)
    const base = at + i * width - firstColumn
    for (let j = from; j < to; j++) {
      const row = rows ? rows[j] : j
      integers[base + (columnOf ? columnOf[asset[row]] : asset[row])] = ranks[row]
    }
  }
}

/** For a panel with a row in every cell, where the rows of a period are its columns. If the tile is as wide
 * as the panel, whole dates are copied at once. */
function copyFull<A extends Float64Array | Int32Array>(
  run: RunRows,
  memory: TileMemory,
  copied: { readonly from: A; readonly to: A; readonly at: number },
  t: number,
  count: number,
): void {
  const { width, columns } = memory.tile
  const { periods, plan } = run
  if (width === plan.columns && periods[t + count - 1] - periods[t] === count - 1) {
    const { from } = spanOf(run, memory, t)
    copied.to.set(copied.from.subarray(from, from + count * width), copied.at)
    return
  }
  for (let i = 0; i < count; i++) {
    const { from } = spanOf(run, memory, t + i)
    copied.to.set(copied.from.subarray(from, from + columns), copied.at + i * width)
  }
}

/** The costs of a panel in which assets change their market. A name has the cost of the market in its latest
 * row, so each period starts from the costs of the previous period, and its own rows update them. */
export function loadVaryingCosts(run: RunRows, memory: TileMemory, t: number, count: number): void {
  const { doubles } = memory.kernel
  const { width, firstColumn, firstPeriod } = memory.tile
  const { asset, market } = run.data
  const { columnOf } = run.plan
  const start = memory.costs / 8
  // Only the last block is shorter, so the period before this block is the last one of a full block.
  if (t > firstPeriod)
    doubles.copyWithin(start, start + (blockPeriods - 1) * width, start + blockPeriods * width)
  for (let i = 0; i < count; i++) {
    const at = start + i * width
    if (i > 0) doubles.copyWithin(at, at - width, at)
    const { rows, from, to } = spanOf(run, memory, t + i)
    for (let j = from; j < to; j++) {
      const row = rows ? rows[j] : j
      const column = columnOf ? columnOf[asset[row]] : asset[row]
      doubles[at + column - firstColumn] = run.costs.roundTripOfMarket[market[row]]
    }
  }
}

/** The costs of a panel in which no asset changes its market. */
export function loadFixedCosts(run: RunRows, memory: TileMemory, marketOfAsset: Uint16Array): void {
  const { doubles } = memory.kernel
  const { firstColumn, columns } = memory.tile
  const { columnOf } = run.plan
  for (let asset = 0; asset < marketOfAsset.length; asset++) {
    const column = (columnOf ? columnOf[asset] : asset) - firstColumn
    if (column < 0 || column >= columns) continue
    doubles[memory.costs / 8 + column] = run.costs.roundTripOfMarket[marketOfAsset[asset]]
  }
}
