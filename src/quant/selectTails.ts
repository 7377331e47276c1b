import { type BucketScratch, bucketCount, bucketScale, maxBucketLoad } from './bucketScratch.ts'
import { insertionPass } from './insertionPass.ts'
import { mergeSort } from './mergeSort.ts'
import { orderDate } from './orderDate.ts'
import type { ScoreRange } from './scoreRange.ts'

/** The k weakest rows to `out[0 .. k)` and the k strongest to `out[k .. 2k)`, both ascending by (score, asset):
 * the same rows in the same order that a full ranking gives, without ordering the middle. One histogram finds
 * the bucket in which each leg ends; only rows up to there are sorted.
 *
 * Needs 1 <= k, and 2k <= eligible for both tails. `bottom: false` leaves `out[0 .. k)` as it is. */
export function selectTails(
  score: Float64Array,
  startRow: number,
  endRow: number,
  range: ScoreRange,
  k: number,
  bottom: boolean,
  scratch: BucketScratch,
  out: Int32Array,
): void {
  const { eligible } = range
  if (eligible < endRow - startRow || !fillBuckets(score, startRow, endRow, range, k, bottom, scratch)) {
    // Names without a score, or legs that meet in one bucket: order the date in full.
    orderDate(score, startRow, endRow, range, scratch, scratch.rows, 0)
    if (bottom) for (let j = 0; j < k; j++) out[j] = scratch.rows[j]
    for (let j = 0; j < k; j++) out[k + j] = scratch.rows[eligible - k + j]
    return
  }
  const { rows, tails } = scratch
  gatherTails(score, startRow, endRow - startRow, scratch)
  sortTail(score, 0, tails.bottomCount, tails.bottomLoad, scratch)
  sortTail(score, tails.bottomCount, tails.topCount, tails.topLoad, scratch)
  if (bottom) for (let j = 0; j < k; j++) out[j] = rows[j]
  const topFrom = tails.bottomCount + tails.topCount - k
  for (let j = 0; j < k; j++) out[k + j] = rows[topFrom + j]
}

/** Counts scores into buckets and finds where each leg ends. False where the legs meet in one bucket. */
function fillBuckets(
  score: Float64Array,
  startRow: number,
  endRow: number,
  range: ScoreRange,
  k: number,
  bottom: boolean,
  scratch: BucketScratch,
): boolean {
  const { bucket, start, tails } = scratch
  const buckets = bucketCount(range.eligible)
  const scale = bucketScale(buckets, range.min, range.max)
  const min = range.min
  start.fill(0, 0, buckets)
  const rows = endRow - startRow
  for (let i = 0; i < rows; i++) {
    const b = ((score[startRow + i] - min) * scale) | 0
    bucket[i] = b
    start[b] = (start[b] + 1) | 0 // `start[b]++` took five times as long on Bun 1.4.4
  }
  let firstTop = buckets - 1
  let topCount = start[firstTop]
  while (topCount < k) topCount += start[--firstTop]
  let lastBottom = -1
  let bottomCount = 0
  if (bottom) while (bottomCount < k) bottomCount += start[++lastBottom]
  if (lastBottom >= firstTop) return false
  tails.firstTop = firstTop
  tails.lastBottom = lastBottom
  tails.topCount = topCount
  tails.bottomCount = bottomCount
  tails.bottomLoad = placeBuckets(start, 0, lastBottom + 1, 0)
  tails.topLoad = placeBuckets(start, firstTop, buckets, bottomCount)
  return true
}

/** Turns the counts of buckets from .. to into first places, from `place` on; returns the largest count. */
function placeBuckets(start: Int32Array, from: number, to: number, place: number): number {
  let heaviest = 0
  let next = place
  for (let b = from; b < to; b++) {
    const count = start[b]
    if (count > heaviest) heaviest = count
    start[b] = next
    next += count
  }
  return heaviest
}

/** Rows of the outer buckets to `scratch.rows`, bucket by bucket: bottom candidates first, top ones after them.
 * The first loop collects without a branch (1 where the bucket is not in the middle), the second places. */
function gatherTails(score: Float64Array, startRow: number, rows: number, scratch: BucketScratch): void {
  const { bucket, start, keys, spare } = scratch
  const sorted = scratch.rows
  const { firstTop, lastBottom } = scratch.tails
  let found = 0
  for (let i = 0; i < rows; i++) {
    const b = bucket[i]
    spare[found] = i
    found += 1 + (((b - firstTop) & (lastBottom - b)) >> 31)
  }
  for (let j = 0; j < found; j++) {
    const i = spare[j]
    const b = bucket[i]
    const place = start[b]
    start[b] = (place + 1) | 0
    keys[place] = score[startRow + i]
    sorted[place] = startRow + i
  }
}

function sortTail(
  score: Float64Array,
  from: number,
  count: number,
  load: number,
  scratch: BucketScratch,
): void {
  if (load <= maxBucketLoad) insertionPass(scratch.keys, scratch.rows, from, from, count)
  else mergeSort(score, scratch.rows, from, count, scratch.spare)
}
