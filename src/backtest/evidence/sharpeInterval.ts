import { quantile } from '../statistics/quantile.ts'
import { allocateBlocks, type Blocks, drawBlocks } from './bootstrap.ts'

/** Bounds of a Sharpe ratio per period, ddof 1. */
export interface SharpeInterval {
  readonly lowPerPeriod: number
  readonly highPerPeriod: number
  /** Probability between the bounds. */
  readonly level: number
}

/** Percentile interval of the Sharpe ratio: in each of B resamples of the stationary bootstrap mean / sd (ddof 1), and of these the
 * quantiles (1 - level) / 2 and (1 + level) / 2, interpolated linearly. A resample that does not vary counts as 0.
 *
 * The numbers are summed directly, not from running sums: a portfolio that was often empty has resamples of zeroes only, and
 * running sums would leave them a deviation made of rounding. O(B T).
 *
 * Null with fewer than two periods.
 *
 * @param net per period, fractions; T values, none of them NaN
 * @param meanBlock L >= 1, in periods
 * @param resamples B
 * @see Politis, D. N. and Romano, J. P. (1994), The Stationary Bootstrap, JASA 89(428)
 * @see Ledoit, O. and Wolf, M. (2008), Robust Performance Hypothesis Testing with the Sharpe Ratio, Journal of Empirical Finance 15(5) */
export function sharpeInterval(
  net: Float64Array,
  meanBlock: number,
  resamples: number,
  seed: number,
  level = 0.95,
): SharpeInterval | null {
  if (net.length < 2) return null
  const blocks = allocateBlocks(net.length)
  const rounding = 1e-13 * net.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0)
  const ratios = new Float64Array(resamples)
  for (let s = 0; s < resamples; s++) {
    const count = drawBlocks(seed, s, net.length, meanBlock, blocks)
    ratios[s] = resampledSharpe(net, blocks, count, rounding)
  }
  ratios.sort()
  return {
    lowPerPeriod: quantile(ratios, (1 - level) / 2),
    highPerPeriod: quantile(ratios, (1 + level) / 2),
    level,
  }
}

function resampledSharpe(
  net: Float64Array,
  { starts, ends }: Blocks,
  count: number,
  rounding: number,
): number {
  let sum = 0
  for (let i = 0; i < count; i++) for (let t = starts[i]; t < ends[i]; t++) sum += net[t]
  const mean = sum / net.length
  let squares = 0
  for (let i = 0; i < count; i++) for (let t = starts[i]; t < ends[i]; t++) squares += (net[t] - mean) ** 2
  const deviation = Math.sqrt(squares / (net.length - 1))
  return deviation > rounding ? mean / deviation : 0
}
