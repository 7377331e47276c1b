import { type BucketScratch, bucketCount, bucketScale, maxBucketLoad } from './bucketScratch.ts'
import { insertionPass } from './insertionPass.ts'
import { mergeSort } from './mergeSort.ts'
import type { ScoreRange } from './scoreRange.ts'

/** Writes one date's eligible rows to `out[at ..]`, ordered by (score, asset): a bucket sort by value and an
 * insertion pass, or a merge sort where one bucket holds too many. Rows come in asset order and every step is
 * stable, which settles ties.
 *
 * @param range what `scoreRange` found for these rows */
export function orderDate(
  score: Float64Array,
  startRow: number,
  endRow: number,
  range: ScoreRange,
  scratch: BucketScratch,
  out: Int32Array,
  at: number,
): void {
  const { eligible, min } = range
  const { bucket, start, keys } = scratch
  const rows = endRow - startRow
  const buckets = bucketCount(eligible)
  const scale = bucketScale(buckets, min, range.max)
  start.fill(0, 0, buckets + 1)
  // A NaN falls into bucket 0 and is taken out of the count again.
  for (let i = 0; i < rows; i++) {
    const b = ((score[startRow + i] - min) * scale) | 0
    bucket[i] = b
    start[b + 1] = (start[b + 1] + 1) | 0 // `start[b + 1]++` took five times as long on Bun 1.4.4
  }
  start[1] -= rows - eligible
  let heaviest = 0
  for (let b = 1; b <= buckets; b++) {
    if (start[b] > heaviest) heaviest = start[b]
    start[b] += start[b - 1]
  }
  for (let i = 0; i < rows; i++) {
    const s = score[startRow + i]
    if (Number.isNaN(s)) continue
    const b = bucket[i]
    const place = start[b]
    start[b] = (place + 1) | 0
    keys[place] = s
    out[at + place] = startRow + i
  }
  if (heaviest <= maxBucketLoad) insertionPass(keys, out, 0, at, eligible)
  else mergeSort(score, out, at, eligible, scratch.spare)
}
