import { type Kernel, Layout, openKernel } from '../portfolio/kernel/wasm.ts'
import { quantile } from '../statistics/quantile.ts'
import { type Blocks, blocksOf, drawBlocks, placeBlocks, resamplesAtOnce } from './bootstrap.ts'

/** Bounds of a Sharpe ratio per period, ddof 1. */
export interface SharpeInterval {
  readonly lowPerPeriod: number
  readonly highPerPeriod: number
  /** Probability between the bounds. */
  readonly level: number
}

/** Percentile interval of the Sharpe ratio: the quantiles (1 - level) / 2 and (1 + level) / 2, interpolated
 * linearly, of mean / sd (ddof 1) in B resamples of the stationary bootstrap. A resample that does not vary
 * counts as 0.
 *
 * The numbers are summed directly rather than from running sums. A portfolio that was often empty has
 * resamples that contain only zeroes, and running sums would give these a deviation made of rounding errors.
 * O(B T).
 *
 * Null with fewer than two periods.
 *
 * @param net per period, fractions; T values, none of them NaN
 * @param meanBlock L >= 1, in periods
 * @param resamples B
 * @see Politis, D. N. and Romano, J. P. (1994), The Stationary Bootstrap, JASA 89(428)
 * @see Ledoit, O. and Wolf, M. (2008), Robust Performance Hypothesis Testing with the Sharpe Ratio, Journal of
 *   Empirical Finance 15(5) */
export function sharpeInterval(
  net: Float64Array,
  meanBlock: number,
  resamples: number,
  seed: number,
  level = 0.95,
): SharpeInterval | null {
  if (net.length < 2) return null
  const layout = new Layout()
  const addresses = placeBlocks(layout, net.length)
  const kernel = openKernel(layout.bytes)
  const rounding = 1e-13 * net.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0)
  const ratios = new Float64Array(resamples)
  for (let drawn = 0; drawn < resamples; drawn += resamplesAtOnce) {
    drawBlocks(kernel, addresses, seed, drawn, net.length, meanBlock)
    for (let s = drawn; s < Math.min(resamples, drawn + resamplesAtOnce); s++)
      ratios[s] = resampledSharpe(net, kernel, blocksOf(kernel, addresses, net.length, s - drawn), rounding)
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
  { integers }: Kernel,
  { starts, ends, count }: Blocks,
  rounding: number,
): number {
  const [first, last] = [starts / 4, ends / 4]
  let sum = 0
  for (let i = 0; i < count; i++) for (let t = integers[first + i]; t < integers[last + i]; t++) sum += net[t]
  const mean = sum / net.length
  let squares = 0
  for (let i = 0; i < count; i++)
    for (let t = integers[first + i]; t < integers[last + i]; t++) squares += (net[t] - mean) ** 2
  const deviation = Math.sqrt(squares / (net.length - 1))
  return deviation > rounding ? mean / deviation : 0
}
