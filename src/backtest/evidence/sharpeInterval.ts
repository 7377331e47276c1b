import { quantile } from '../statistics/quantile.ts'
import { type Blocks, forEachResample } from './bootstrap.ts'

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
  const rounding = roundingOf(net)
  const ratios = new Float64Array(resamples)
  forEachResample(net.length, { meanBlock, resamples, seed }, (integers, blocks, s) => {
    const { mean, deviation } = resampledMoments(net, integers, blocks)
    ratios[s] = deviation > rounding ? mean / deviation : 0
  })
  ratios.sort()
  return {
    lowPerPeriod: quantile(ratios, (1 - level) / 2),
    highPerPeriod: quantile(ratios, (1 + level) / 2),
    level,
  }
}

/** The deviation up to which a resample of a series varies by rounding only. */
export const roundingOf = (series: Float64Array): number =>
  1e-13 * series.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0)

/** Mean and standard deviation (ddof 1) of one resample of a series. */
export function resampledMoments(
  series: Float64Array,
  integers: Int32Array,
  { starts, ends, count }: Blocks,
): { mean: number; deviation: number } {
  const [first, last] = [starts / 4, ends / 4]
  let sum = 0
  for (let i = 0; i < count; i++)
    for (let t = integers[first + i]; t < integers[last + i]; t++) sum += series[t]
  const mean = sum / series.length
  let squares = 0
  for (let i = 0; i < count; i++)
    for (let t = integers[first + i]; t < integers[last + i]; t++) squares += (series[t] - mean) ** 2
  return { mean, deviation: Math.sqrt(squares / (series.length - 1)) }
}
