/** Writes one date's eligible rows to the start of `out`, ordered by (score, asset). It is a bucket sort by value
 * with an insertion pass, or a merge sort if one bucket gets too many rows. Rows arrive in asset order and
 * every step is stable, which breaks ties.
 *
 * @param range the result of `scoreRange` for these rows */
export function orderDate(
  score: Float64Array,
  startRow: number,
  endRow: number,
  range: ScoreRange,
  scratch: BucketScratch,
  out: Int32Array,
): void {
  const { eligible, min } = range
  const { bucket, start, keys } = scratch
  const rows = endRow - startRow
  const buckets = bucketCount(eligible)
  const scale = bucketScale(buckets, min, range.max)
  start.fill(0, 0, buckets + 1)
  // A NaN falls into bucket 0; the line after the loop removes it from the count again.
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
    const position = start[b]
    start[b] = (position + 1) | 0
    keys[position] = s
    out[position] = startRow + i
  }
  if (heaviest <= maxBucketLoad) insertionPass(keys, out, eligible)
  else mergeSort(score, out, eligible, scratch.spare)
}

/** With more scores than this in one bucket, an insertion pass becomes quadratic. */
const maxBucketLoad = 32

const maxBuckets = 16_384

/** Enough buckets to hold about two scores each if scores are spread evenly. A power of two. */
export function bucketCount(eligible: number): number {
  let buckets = 64
  while (2 * buckets < eligible && buckets < maxBuckets) buckets *= 2
  return buckets
}

/** The factor from (score - min) to a bucket number. If the range is zero, or so small that the factor
 * overflows, the factor is 0 and all rows share one bucket. Monotone in the score, so buckets have the order
 * of their scores. */
function bucketScale(buckets: number, min: number, max: number): number {
  const scale = max > min ? (buckets - 1) / (max - min) : 0
  return Number.isFinite(scale) ? scale : 0
}

/** Finishes a bucket sort: the first `count` keys are nearly in order, and `rows` moves along with them. The strict comparison leaves equal keys in the order in which they came. Cost: one comparison per
 * name plus the inversions inside the buckets. */
function insertionPass(keys: Float64Array, rows: Int32Array, count: number): void {
  for (let i = 1; i < count; i++) {
    const key = keys[i]
    if (keys[i - 1] <= key) continue
    const row = rows[i]
    let j = i - 1
    while (j >= 0 && keys[j] > key) {
      keys[j + 1] = keys[j]
      rows[j + 1] = rows[j]
      j--
    }
    keys[j + 1] = key
    rows[j + 1] = row
  }
}

/** Sorts the first `count` rows by score. The sort is stable, so equal scores keep their order.
 * Bottom-up merge sort, O(n log n) for any scores: the fallback for scores that crowd into a few buckets.
 *
 * @param spare at least `count` long */
function mergeSort(score: Float64Array, rows: Int32Array, count: number, spare: Int32Array): void {
  for (let width = 1; width < count; width *= 2) {
    for (let left = 0; left < count; left += 2 * width) {
      const middle = Math.min(left + width, count)
      const right = Math.min(left + 2 * width, count)
      let a = left
      let b = middle
      for (let to = left; to < right; to++) {
        const takeLeft = a < middle && (b >= right || score[rows[a]] <= score[rows[b]])
        spare[to] = takeLeft ? rows[a++] : rows[b++]
      }
    }
    for (let i = 0; i < count; i++) rows[i] = spare[i]
  }
}

/** Memory for ordering one date. The caller owns it, so that the loop over dates allocates nothing. */
export interface BucketScratch {
  readonly bucket: Uint16Array
  readonly start: Int32Array
  /** Sort keys in the order of the rows, so that the insertion pass reads memory sequentially. */
  readonly keys: Float64Array
  readonly spare: Int32Array
  readonly rows: Int32Array
}

export function allocateBuckets(maxRowsPerDate: number): BucketScratch {
  return {
    bucket: new Uint16Array(maxRowsPerDate),
    start: new Int32Array(maxBuckets + 1),
    keys: new Float64Array(maxRowsPerDate),
    spare: new Int32Array(maxRowsPerDate + 1),
    rows: new Int32Array(maxRowsPerDate),
  }
}

/** Statistics of a date's scores. `min` and `max` are Infinity and -Infinity if no row is eligible. */
export interface ScoreRange {
  eligible: number
  min: number
  max: number
  /** The sum of the eligible scores. */
  sum: number
}

/** Fills `range` from rows start .. end - 1. A NaN score is not eligible.
 *
 * Unrolled by four, because a single running sum would wait for each addition. A NaN makes the sum NaN; only
 * then are the scores checked one by one. */
export function scoreRange(score: Float64Array, start: number, end: number, range: ScoreRange): void {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  let sumA = 0
  let sumB = 0
  let sumC = 0
  let sumD = 0
  let row = start
  for (; row + 3 < end; row += 4) {
    const a = score[row]
    const b = score[row + 1]
    const c = score[row + 2]
    const d = score[row + 3]
    sumA += a
    sumB += b
    sumC += c
    sumD += d
    if (a < min) min = a
    if (a > max) max = a
    if (b < min) min = b
    if (b > max) max = b
    if (c < min) min = c
    if (c > max) max = c
    if (d < min) min = d
    if (d > max) max = d
  }
  for (; row < end; row++) {
    const a = score[row]
    sumA += a
    if (a < min) min = a
    if (a > max) max = a
  }
  range.sum = sumA + sumB + (sumC + sumD)
  range.eligible = end - start
  range.min = min
  range.max = max
  if (Number.isNaN(range.sum)) skipMissing(score, start, end, range)
}

function skipMissing(score: Float64Array, start: number, end: number, range: ScoreRange): void {
  let eligible = 0
  let sum = 0
  for (let row = start; row < end; row++) {
    const s = score[row]
    if (Number.isNaN(s)) continue
    eligible++
    sum += s
  }
  range.eligible = eligible
  range.sum = sum
}
