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

/** Finishes a bucket sort: `keys[from .. from + count)` are nearly in order; `rows` moves along. Strict
 * comparison keeps equal keys in the order they came. Cost: one comparison per name plus the inversions inside
 * buckets. */
export function insertionPass(
  keys: Float64Array,
  rows: Int32Array,
  keysFrom: number,
  rowsFrom: number,
  count: number,
): void {
  for (let i = 1; i < count; i++) {
    const key = keys[keysFrom + i]
    if (keys[keysFrom + i - 1] <= key) continue
    const row = rows[rowsFrom + i]
    let j = i - 1
    while (j >= 0 && keys[keysFrom + j] > key) {
      keys[keysFrom + j + 1] = keys[keysFrom + j]
      rows[rowsFrom + j + 1] = rows[rowsFrom + j]
      j--
    }
    keys[keysFrom + j + 1] = key
    rows[rowsFrom + j + 1] = row
  }
}

/** Sorts `rows[from .. from + count)` by score, stably, so equal scores keep the order they came in. Bottom-up
 * merge sort, O(n log n) whatever the scores: the fallback for scores that share too few buckets.
 *
 * @param spare at least `count` long */
export function mergeSort(
  score: Float64Array,
  rows: Int32Array,
  from: number,
  count: number,
  spare: Int32Array,
): void {
  for (let width = 1; width < count; width *= 2) {
    for (let left = 0; left < count; left += 2 * width) {
      const middle = Math.min(left + width, count)
      const right = Math.min(left + 2 * width, count)
      let a = left
      let b = middle
      for (let to = left; to < right; to++) {
        const takeLeft = a < middle && (b >= right || score[rows[from + a]] <= score[rows[from + b]])
        spare[to] = takeLeft ? rows[from + a++] : rows[from + b++]
      }
    }
    for (let i = 0; i < count; i++) rows[from + i] = spare[i]
  }
}

/** Room for ordering one date. Owned by the caller so that the date loop allocates nothing. */
export interface BucketScratch {
  readonly bucket: Uint16Array
  readonly start: Int32Array
  /** Sort keys beside the rows, so that the insertion pass reads memory in order. */
  readonly keys: Float64Array
  readonly spare: Int32Array
  readonly rows: Int32Array
  readonly tails: TailBounds
}

/** Where a date's legs end among its buckets. */
export interface TailBounds {
  firstTop: number
  lastBottom: number
  /** Candidates: rows in the outer buckets, at least one leg's worth each. */
  topCount: number
  bottomCount: number
  /** Rows in the fullest bucket of each tail. */
  topLoad: number
  bottomLoad: number
}

export const maxBuckets = 16_384

export function allocateBuckets(maxRowsPerDate: number): BucketScratch {
  return {
    bucket: new Uint16Array(maxRowsPerDate),
    start: new Int32Array(maxBuckets + 1),
    keys: new Float64Array(maxRowsPerDate),
    spare: new Int32Array(maxRowsPerDate + 1),
    rows: new Int32Array(maxRowsPerDate),
    tails: { firstTop: 0, lastBottom: 0, topCount: 0, bottomCount: 0, topLoad: 0, bottomLoad: 0 },
  }
}

/** Buckets that hold about two scores each where scores are spread evenly. A power of two. */
export function bucketCount(eligible: number): number {
  let buckets = 64
  while (2 * buckets < eligible && buckets < maxBuckets) buckets *= 2
  return buckets
}

/** Factor from (score - min) to a bucket number; 0 (one bucket for all) where the range is nil or so small that
 * the factor overflows. Monotone in the score, so the order of buckets is the order of scores. */
export function bucketScale(buckets: number, min: number, max: number): number {
  const scale = max > min ? (buckets - 1) / (max - min) : 0
  return Number.isFinite(scale) ? scale : 0
}

/** More equal-bucket scores than this and an insertion pass turns quadratic. */
export const maxBucketLoad = 32

/** What one look over a date's scores yields. `min` and `max` are +-Infinity where nothing is eligible. */
export interface ScoreRange {
  eligible: number
  min: number
  max: number
  /** Of the eligible scores. */
  sum: number
}

/** Fills `range` from rows start .. end. A NaN score is not eligible.
 *
 * Unrolled by four: one running sum would wait for each addition. A NaN shows in the sum; only then are the
 * scores looked at one by one. */
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
