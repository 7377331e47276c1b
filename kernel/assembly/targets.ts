/** Dense targets of one date: one weight per asset of the tile, 0 if the name is in no leg. `rank` is each
 * asset's rank (i32) among the date's n eligible names, weakest 0, and -1 if it is not eligible. The top leg
 * starts at `topFrom` = n - k; the bottom leg is below `bottomTo`, which is k, or 0 if long only.
 *
 * As an unsigned number, -1 is above every rank, so it is never in the bottom leg; as a signed number it is
 * below every rank, so it is never in the top leg.
 *
 * All functions process 4 assets at a time: `width` is a multiple of 4. */

/** The same weight for every name of a leg. */
export function equalTarget(
  rank: usize,
  x: usize,
  width: i32,
  topFrom: i32,
  bottomTo: i32,
  topWeight: f64,
  bottomWeight: f64,
): void {
  const above = i32x4.splat(topFrom - 1)
  const below = i32x4.splat(bottomTo)
  const top = f64x2.splat(topWeight)
  const bottom = f64x2.splat(bottomWeight)
  const end = rank + ((<usize>width) << 2)
  for (; rank < end; rank += 16, x += 32) {
    const r = v128.load(rank)
    const isTop = i32x4.gt_s(r, above)
    const isBottom = i32x4.lt_u(r, below)
    v128.store(x, choose(i64x2.extend_low_i32x4_s(isTop), top, i64x2.extend_low_i32x4_s(isBottom), bottom))
    v128.store(
      x,
      choose(i64x2.extend_high_i32x4_s(isTop), top, i64x2.extend_high_i32x4_s(isBottom), bottom),
      16,
    )
  }
}

/** 1 .. k units, with k for the strongest conviction: the highest rank of a top leg, the lowest of a bottom
 * leg. */
export function rankTarget(
  rank: usize,
  x: usize,
  width: i32,
  topFrom: i32,
  bottomTo: i32,
  topUnit: f64,
  bottomUnit: f64,
): void {
  const above = i32x4.splat(topFrom - 1)
  const below = i32x4.splat(bottomTo)
  const zero = i32x4.splat(0)
  const top = f64x2.splat(topUnit)
  const bottom = f64x2.splat(bottomUnit)
  const end = rank + ((<usize>width) << 2)
  for (; rank < end; rank += 16, x += 32) {
    const r = v128.load(rank)
    const ofTop = i32x4.max_s(i32x4.sub(r, above), zero)
    const ofBottom = i32x4.sub(below, i32x4.min_u(r, below))
    v128.store(
      x,
      f64x2.add(
        f64x2.mul(f64x2.convert_low_i32x4_s(ofTop), top),
        f64x2.mul(f64x2.convert_low_i32x4_s(ofBottom), bottom),
      ),
    )
    v128.store(
      x,
      f64x2.add(
        f64x2.mul(f64x2.convert_low_i32x4_s(upper(ofTop)), top),
        f64x2.mul(f64x2.convert_low_i32x4_s(upper(ofBottom)), bottom),
      ),
      16,
    )
  }
}

/** |score - mean| units. For a leg without conviction (all scores equal the mean), the caller uses equal weights
 * instead. */
export function scoreTarget(
  rank: usize,
  score: usize,
  x: usize,
  width: i32,
  topFrom: i32,
  bottomTo: i32,
  mean: f64,
  topUnit: f64,
  bottomUnit: f64,
): void {
  equalTarget(rank, x, width, topFrom, bottomTo, topUnit, bottomUnit)
  const middle = f64x2.splat(mean)
  const end = x + ((<usize>width) << 3)
  for (; x < end; x += 16, score += 16) {
    const unit = v128.load(x)
    const conviction = f64x2.abs(f64x2.sub(v128.load(score), middle))
    // A missing score is NaN and its unit 0; the product must be 0, not NaN.
    v128.store(x, v128.and(f64x2.mul(conviction, unit), f64x2.ne(unit, f64x2.splat(0))))
  }
}

/** Adds sum |score - mean| over the top leg to the f64 at `out`, and over the bottom leg to the next one. */
export function addConvictions(
  rank: usize,
  score: usize,
  width: i32,
  topFrom: i32,
  bottomTo: i32,
  mean: f64,
  out: usize,
): void {
  const above = i32x4.splat(topFrom - 1)
  const below = i32x4.splat(bottomTo)
  const middle = f64x2.splat(mean)
  let topSum = f64x2.splat(0)
  let bottomSum = f64x2.splat(0)
  const end = rank + ((<usize>width) << 2)
  for (; rank < end; rank += 16, score += 32) {
    const r = v128.load(rank)
    const isTop = i32x4.gt_s(r, above)
    const isBottom = i32x4.lt_u(r, below)
    const low = f64x2.abs(f64x2.sub(v128.load(score), middle))
    const high = f64x2.abs(f64x2.sub(v128.load(score, 16), middle))
    topSum = f64x2.add(topSum, v128.and(low, i64x2.extend_low_i32x4_s(isTop)))
    bottomSum = f64x2.add(bottomSum, v128.and(low, i64x2.extend_low_i32x4_s(isBottom)))
    topSum = f64x2.add(topSum, v128.and(high, i64x2.extend_high_i32x4_s(isTop)))
    bottomSum = f64x2.add(bottomSum, v128.and(high, i64x2.extend_high_i32x4_s(isBottom)))
  }
  f64.store(out, f64.load(out) + (f64x2.extract_lane(topSum, 0) + f64x2.extract_lane(topSum, 1)))
  f64.store(out, f64.load(out, 8) + (f64x2.extract_lane(bottomSum, 0) + f64x2.extract_lane(bottomSum, 1)), 8)
}

/** Replaces the missing returns (NaN) of a date with 0. */
export function dropMissing(values: usize, width: i32): void {
  const end = values + ((<usize>width) << 3)
  for (; values < end; values += 16) {
    const v = v128.load(values)
    v128.store(values, v128.and(v, f64x2.eq(v, v)))
  }
}

function choose(isTop: v128, top: v128, isBottom: v128, bottom: v128): v128 {
  return v128.or(v128.and(isTop, top), v128.and(isBottom, bottom))
}

/** Moves the upper two integers to the lower half, from which the conversion to doubles reads. */
function upper(v: v128): v128 {
  return i32x4.shuffle(v, v, 2, 3, 2, 3)
}
