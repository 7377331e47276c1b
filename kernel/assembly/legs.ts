/** Picks the two legs of a date by histogram, without ordering it. `rank` becomes 0 for the bottom leg's k
 * names, n - 1 for the top leg's, -1 for names without a score (NaN), and k for all others (0 if long only,
 * where 0 is in no leg). Targets with equal weights need no more than that.
 *
 * Ties are broken by index: the higher index is stronger.
 *
 * @param stats from `scoreStats`: smallest and largest score
 * @param scratch memory for `width` + `buckets` i32, and for `maxCandidates` f64 and i32
 * @returns 1, or 0 if more than `maxCandidates` names share the bucket in which a leg ends: order the date
 *   in full */
export function pickLegs(
  score: usize,
  rank: usize,
  width: i32,
  eligible: i32,
  k: i32,
  longShort: i32,
  stats: usize,
  buckets: i32,
  scratch: usize,
): i32 {
  const bucketOf = scratch
  const counts = bucketOf + ((<usize>width) << 2)
  const keys = counts + ((<usize>buckets) << 2)
  const rows = keys + ((<usize>maxCandidates) << 3)
  const min = f64.load(stats)
  let scale = <f64>(buckets - 1) / (f64.load(stats, 8) - min)
  // If scores are equal, or so close that the factor is not finite, they share one bucket.
  if (!(scale < Infinity)) scale = 0
  countBuckets(score, width, min, scale, bucketOf, counts, buckets)
  store<i32>(counts, load<i32>(counts) - (width - eligible))

  let top = buckets - 1
  let above = 0
  for (;;) {
    const count = load<i32>(counts + ((<usize>top) << 2))
    if (above + count >= k) break
    above += count
    top--
  }
  let found = collectBucket(score, bucketOf, width, top, keys, rows)
  if (found < 0) return 0
  const firstTop = found - (k - above)
  const topKey = load<f64>(keys + ((<usize>firstTop) << 3))
  const topRow = load<i32>(rows + ((<usize>firstTop) << 2))

  let bottomKey = -Infinity
  let bottomRow = -1
  if (longShort) {
    let bottom = 0
    let below = 0
    for (;;) {
      const count = load<i32>(counts + ((<usize>bottom) << 2))
      if (below + count >= k) break
      below += count
      bottom++
    }
    found = collectBucket(score, bucketOf, width, bottom, keys, rows)
    if (found < 0) return 0
    const lastBottom = k - below - 1
    bottomKey = load<f64>(keys + ((<usize>lastBottom) << 3))
    bottomRow = load<i32>(rows + ((<usize>lastBottom) << 2))
  }
  markLegs(score, rank, width, topKey, topRow, bottomKey, bottomRow, eligible - 1, longShort ? k : 0)
  return 1
}

/** More names than this in the bucket where a leg ends are not worth an insertion sort. The caller sizes the
 * scratch memory with the same number (src/backtest/portfolio/kernel/tileMemory.ts). */
const maxCandidates = 64

/** Writes three f64 to `out`: the smallest score, the largest score, and how many scores are not missing
 * (NaN). */
export function scoreStats(score: usize, width: i32, out: usize): void {
  const end = score + ((<usize>width) << 3)
  let min = f64x2.splat(Infinity)
  let max = f64x2.splat(-Infinity)
  let known = i64x2.splat(0)
  for (; score < end; score += 32) {
    const a = v128.load(score)
    const b = v128.load(score, 16)
    min = f64x2.pmin(f64x2.pmin(min, a), b)
    max = f64x2.pmax(f64x2.pmax(max, a), b)
    known = i64x2.add(known, i64x2.add(f64x2.eq(a, a), f64x2.eq(b, b))) // the mask of a score is -1
  }
  f64.store(out, Math.min(f64x2.extract_lane(min, 0), f64x2.extract_lane(min, 1)))
  f64.store(out, Math.max(f64x2.extract_lane(max, 0), f64x2.extract_lane(max, 1)), 8)
  f64.store(out, -(<f64>(i64x2.extract_lane(known, 0) + i64x2.extract_lane(known, 1))), 16)
}

/** Writes each name's bucket and counts the names of each bucket. Adding 2^52 leaves the nearest whole number
 * in the low bits of a double, and rounding preserves the order of scores. A missing score goes to bucket 0.
 */
function countBuckets(
  score: usize,
  width: i32,
  min: f64,
  scale: f64,
  bucketOf: usize,
  counts: usize,
  buckets: i32,
): void {
  memory.fill(counts, 0, (<usize>buckets) << 2)
  const minimum = f64x2.splat(min)
  const factor = f64x2.splat(scale)
  const magic = f64x2.splat(4503599627370496)
  const end = score + ((<usize>width) << 3)
  for (; score < end; score += 32, bucketOf += 16) {
    const a = v128.load(score)
    const b = v128.load(score, 16)
    const placeA = v128.and(f64x2.mul(f64x2.sub(a, minimum), factor), f64x2.eq(a, a))
    const placeB = v128.and(f64x2.mul(f64x2.sub(b, minimum), factor), f64x2.eq(b, b))
    const place = i32x4.shuffle(f64x2.add(placeA, magic), f64x2.add(placeB, magic), 0, 2, 4, 6)
    v128.store(bucketOf, place)
    increment(counts + ((<usize>i32x4.extract_lane(place, 0)) << 2))
    increment(counts + ((<usize>i32x4.extract_lane(place, 1)) << 2))
    increment(counts + ((<usize>i32x4.extract_lane(place, 2)) << 2))
    increment(counts + ((<usize>i32x4.extract_lane(place, 3)) << 2))
  }
}

function increment(place: usize): void {
  store<i32>(place, load<i32>(place) + 1)
}

/** Collects the names of one bucket, ascending by (score, index). Returns their number, or -1 if there are
 * more than `maxCandidates`. */
function collectBucket(
  score: usize,
  bucketOf: usize,
  width: i32,
  bucket: i32,
  keys: usize,
  rows: usize,
): i32 {
  const wanted = i32x4.splat(bucket)
  let found = 0
  for (let i = 0; i < width; i += 4) {
    const hits = i32x4.eq(v128.load(bucketOf + ((<usize>i) << 2)), wanted)
    if (!v128.any_true(hits)) continue
    for (let j = i; j < i + 4; j++) {
      if (load<i32>(bucketOf + ((<usize>j) << 2)) !== bucket) continue
      const key = load<f64>(score + ((<usize>j) << 3))
      if (Number.isNaN(key)) continue
      if (found === maxCandidates) return -1
      let at = found++
      for (; at > 0 && load<f64>(keys + ((<usize>(at - 1)) << 3)) > key; at--) {
        store<f64>(keys + ((<usize>at) << 3), load<f64>(keys + ((<usize>(at - 1)) << 3)))
        store<i32>(rows + ((<usize>at) << 2), load<i32>(rows + ((<usize>(at - 1)) << 2)))
      }
      store<f64>(keys + ((<usize>at) << 3), key)
      store<i32>(rows + ((<usize>at) << 2), j)
    }
  }
  return found
}

/** Writes `top` for names at or above the key and row where the top leg begins, 0 for those at or below where
 * the bottom leg ends, `middle` for the others, and -1 for missing scores. */
function markLegs(
  score: usize,
  rank: usize,
  width: i32,
  topKey: f64,
  topRow: i32,
  bottomKey: f64,
  bottomRow: i32,
  top: i32,
  middle: i32,
): void {
  const topKeys = f64x2.splat(topKey)
  const bottomKeys = f64x2.splat(bottomKey)
  const beforeTop = i32x4.splat(topRow - 1)
  const afterBottom = i32x4.splat(bottomRow + 1)
  const tops = i32x4.splat(top)
  const middles = i32x4.splat(middle)
  const step = i32x4.splat(4)
  let place = i32x4(0, 1, 2, 3)
  for (let i = 0; i < width; i += 4) {
    const a = v128.load(score + ((<usize>i) << 3))
    const b = v128.load(score + ((<usize>i) << 3), 16)
    const atTop = v128.and(narrow(f64x2.eq(a, topKeys), f64x2.eq(b, topKeys)), i32x4.gt_s(place, beforeTop))
    const isTop = v128.or(narrow(f64x2.gt(a, topKeys), f64x2.gt(b, topKeys)), atTop)
    const atBottom = v128.and(
      narrow(f64x2.eq(a, bottomKeys), f64x2.eq(b, bottomKeys)),
      i32x4.lt_s(place, afterBottom),
    )
    const isBottom = v128.or(narrow(f64x2.lt(a, bottomKeys), f64x2.lt(b, bottomKeys)), atBottom)
    const missing = narrow(f64x2.ne(a, a), f64x2.ne(b, b))
    const marked = v128.or(v128.and(isTop, tops), v128.andnot(middles, v128.or(isTop, isBottom)))
    v128.store(rank + ((<usize>i) << 2), v128.or(marked, missing)) // all ones is -1
    place = i32x4.add(place, step)
  }
}

/** Combines the masks of two pairs of doubles into one mask of four integers. */
function narrow(low: v128, high: v128): v128 {
  return i32x4.shuffle(low, high, 0, 2, 4, 6)
}
