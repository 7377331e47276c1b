/** Writes to `out`, for each trial, a number that orders trials as their Sharpe ratios over chosen periods
 * do: mean |mean| / variance, up to a common factor; -Infinity without deviation.
 *
 * @param sumA sums of returns, one f64 per trial, over the first part of the periods; `sumB` over the second
 * @param squaresA sums of squares, likewise
 * @param trials even; an odd number of trials is padded with zeroes
 * @param perPeriod 1 over the number of periods */
export function orderBySharpe(
  sumA: usize,
  sumB: usize,
  squaresA: usize,
  squaresB: usize,
  trials: i32,
  perPeriod: f64,
  out: usize,
): void {
  const scale = f64x2.splat(perPeriod)
  const rounding = f64x2.splat(1e-13)
  const none = f64x2.splat(-Infinity)
  const bytes = (<usize>trials) << 3
  for (let i: usize = 0; i < bytes; i += 16) {
    const sum = f64x2.add(v128.load(sumA + i), v128.load(sumB + i))
    const squares = f64x2.add(v128.load(squaresA + i), v128.load(squaresB + i))
    const variance = f64x2.sub(squares, f64x2.mul(f64x2.mul(sum, sum), scale))
    const varies = f64x2.gt(variance, f64x2.mul(rounding, squares))
    const ratio = f64x2.div(f64x2.mul(sum, f64x2.abs(sum)), variance)
    v128.store(out + i, v128.bitselect(ratio, none, varies))
  }
}

/** The index of the first trial with the largest number. */
export function bestTrial(numbers: usize, trials: i32): i32 {
  let maxima = f64x2.splat(-Infinity)
  const bytes = (<usize>trials) << 3
  for (let i: usize = 0; i < bytes; i += 16) maxima = f64x2.pmax(maxima, v128.load(numbers + i))
  const largest = Math.max(f64x2.extract_lane(maxima, 0), f64x2.extract_lane(maxima, 1))
  let best = 0
  while (f64.load(numbers + ((<usize>best) << 3)) !== largest) best++
  return best
}

/** The number of trials below `found` plus the number at or below it: twice the mean rank of ties, minus
 * 1. */
export function countBelow(numbers: usize, trials: i32, found: f64): i32 {
  const bound = f64x2.splat(found)
  let counted = i64x2.splat(0)
  const bytes = (<usize>trials) << 3
  for (let i: usize = 0; i < bytes; i += 16) {
    const number = v128.load(numbers + i)
    counted = i64x2.add(counted, i64x2.add(f64x2.lt(number, bound), f64x2.le(number, bound))) // a true mask is -1
  }
  return -(<i32>(i64x2.extract_lane(counted, 0) + i64x2.extract_lane(counted, 1)))
}
