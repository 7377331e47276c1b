import { type Dataset, maxRowsPerDate } from '../../dataset/dataset.ts'
import { allocateBuckets, type BucketScratch, bucketCount, orderDate } from '../../dataset/order.ts'
import { legSize } from '../legs.ts'
import type { BookSettings } from '../settings.ts'
import { type RunRows, spanOf } from './loadBlock.ts'
import type { PickMemory, TileMemory } from './memory.ts'

/** In place of ranks, what of them legs of equal weight look at: top, bottom or neither, picked from the scores of each
 * period without ordering them. Fills the block of ranks and `eligible`. For panels of one tile. */
export function pickRanks(
  run: RunRows,
  memory: TileMemory,
  settings: BookSettings,
  t: number,
  count: number,
  eligible: Int32Array,
): void {
  const { kernel, tile } = memory
  const { columnOf, full } = run.plan
  const { asset } = run.data
  const { integers } = kernel
  for (let i = 0; i < count; i++) {
    const { from, to } = spanOf(run, memory, t + i)
    const place = memory.ranks + 4 * i * tile.width
    const picked = full ? place : memory.pickRanks
    eligible[t + i] = pickPeriod(run.data, memory, settings, from, to, picked)
    if (full) continue
    integers.fill(-1, place / 4, place / 4 + tile.width)
    for (let row = from; row < to; row++) {
      integers[place / 4 + (columnOf ? columnOf[asset[row]] : asset[row])] = integers[picked / 4 + row - from]
    }
  }
}

/** Rows from .. to - 1, in a row at byte `picked`. Returns how many are eligible. */
export function pickPeriod(
  data: Dataset,
  { kernel, pickScores, stats, scratch }: PickMemory,
  { quantile, longShort }: BookSettings,
  from: number,
  to: number,
  picked: number,
): number {
  const { doubles, calls } = kernel
  const rows = to - from
  const width = Math.ceil(rows / 4) * 4
  doubles.set(data.score.subarray(from, to), pickScores / 8)
  doubles.fill(Number.NaN, pickScores / 8 + rows, pickScores / 8 + width)
  calls.scoreStats(pickScores, width, stats)
  const names = doubles[stats / 8 + 2]
  const k = legSize(names, quantile, longShort)
  if (k === 0) return names
  const buckets = bucketCount(names)
  const short = longShort ? 1 : 0
  if (calls.pickLegs(pickScores, picked, width, names, k, short, stats, buckets, scratch) === 0) {
    orderRows(data, kernel.integers, from, to, picked / 4, {
      eligible: names,
      min: doubles[stats / 8],
      max: doubles[stats / 8 + 1],
    })
  }
  return names
}

let scratch: BucketScratch | null = null

/** Too many names share a bucket: true ranks. */
function orderRows(
  data: Dataset,
  integers: Int32Array,
  from: number,
  to: number,
  at: number,
  range: { eligible: number; min: number; max: number },
): void {
  if (!scratch || scratch.rows.length < to - from) scratch = allocateBuckets(maxRowsPerDate(data))
  orderDate(data.score, from, to, { ...range, sum: 0 }, scratch, scratch.rows, 0)
  integers.fill(-1, at, at + to - from)
  for (let j = 0; j < range.eligible; j++) integers[at + scratch.rows[j] - from] = j
}
