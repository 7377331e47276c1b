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
