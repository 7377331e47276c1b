/** For each trial, to `out`, a number that orders trials as their Sharpe ratios over a choice of periods do:
 * mean |mean| / variance, up to a factor that all share; -Infinity without deviation. Sums and sums of squares of the
 * choice come in two parts, one f64 a trial; `perPeriod` is 1 over its periods. `trials` is even: an odd one out is padded with zeroes. */
export function orderBySharpe(
  sumA: usize,
  sumB: usize,
  squaresA: usize,
  squaresB: usize,
  trials: i32,
  perPeriod: f64,
  out: usize,
): void {
  const share = f64x2.splat(perPeriod)
  const least = f64x2.splat(1e-13)
  const none = f64x2.splat(-Infinity)
  const bytes = (<usize>trials) << 3
  for (let i: usize = 0; i < bytes; i += 16) {
    const sum = f64x2.add(v128.load(sumA + i), v128.load(sumB + i))
    const squares = f64x2.add(v128.load(squaresA + i), v128.load(squaresB + i))
    const variance = f64x2.sub(squares, f64x2.mul(f64x2.mul(sum, sum), share))
    const varies = f64x2.gt(variance, f64x2.mul(least, squares))
    const ratio = f64x2.div(f64x2.mul(sum, f64x2.abs(sum)), variance)
    v128.store(out + i, v128.bitselect(ratio, none, varies))
  }
}

/** The first of the trials with the largest number. */
export function bestTrial(numbers: usize, trials: i32): i32 {
  let most = f64x2.splat(-Infinity)
  const bytes = (<usize>trials) << 3
  for (let i: usize = 0; i < bytes; i += 16) most = f64x2.pmax(most, v128.load(numbers + i))
  const largest = Math.max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1))
  let best = 0
  while (f64.load(numbers + ((<usize>best) << 3)) !== largest) best++
  return best
}

/** How many trials have a smaller number than `found`, plus how many have no larger one. */
export function countBelow(numbers: usize, trials: i32, found: f64): i32 {
  const bound = f64x2.splat(found)
  let counted = i64x2.splat(0)
  const bytes = (<usize>trials) << 3
  for (let i: usize = 0; i < bytes; i += 16) {
    const number = v128.load(numbers + i)
    counted = i64x2.add(counted, i64x2.add(f64x2.lt(number, bound), f64x2.le(number, bound))) // -1 where it is
  }
  return -(<i32>(i64x2.extract_lane(counted, 0) + i64x2.extract_lane(counted, 1)))
}
