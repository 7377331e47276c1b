import { sampleMoments } from '../statistics/moments.ts'
import { quantile } from '../statistics/quantile.ts'
import { optimalBlockLength } from './blockLength.ts'
import { type Blocks, forEachResample, type Resampling } from './bootstrap.ts'
import { bootstrapVariance } from './bootstrapVariance.ts'
import { resampledMoments, roundingOf } from './sharpeInterval.ts'

/** The difference of two Sharpe ratios per period, ddof 1, and its bounds. */
export interface SharpeDifference {
  /** SR(a) - SR(b). */
  readonly differencePerPeriod: number
  readonly lowPerPeriod: number
  readonly highPerPeriod: number
  /** Probability between the bounds. */
  readonly level: number
}

export interface DifferenceOptions extends Resampling {
  /** Probability between the bounds; 0.95 if absent. */
  readonly level?: number
}

/** Difference of the Sharpe ratios of two records of the same periods, D = SR(a) - SR(b) with SR = mean / sd
 * (ddof 1), and its symmetric studentised interval from B paired resamples of the stationary bootstrap:
 *
 *   D -+ q s,  q = the quantile `level`, interpolated linearly, of |D* - D| / s* over the resamples
 *
 * Both records are resampled with the same blocks, so whatever they have in common cancels. The standard errors
 * follow from the linear part of D, whose mean is 0: with z = (r - mean) / sd,
 *
 *   c_t = psi_t(a) - psi_t(b),  psi_t = z_t - SR / 2 (z_t^2 - (T - 1) / T)
 *   s^2 = w^2 / T, w^2 as in `bootstrapVariance`
 *   s*^2 = 1 / T^2 sum over runs of (sum over the run of c*_t)^2
 *
 * c* is c with the moments of the resample. A run is a maximal sequence of successive periods in the resample,
 * where the first period of the record succeeds the last. O(B T).
 *
 * The interval is studentised, as Ledoit and Wolf recommend, because the percentile interval is too narrow: blocks
 * understate the variance of a short record, and only s* corrects for that. Measured on 400 pairs of 36 normal
 * periods whose returns have a correlation of 0.9, nominal 95% intervals of mean block 1, 4 and 10 contain the true
 * difference in 94, 88 and 83% (percentile), 97, 95 and 86% (basic), and 96, 97 and 97% (this one).
 *
 * A record of a resample that does not vary has a Sharpe ratio of 0 and psi = 0. A resample with s* = 0, such as
 * one in which both records are the same, says nothing about the error: its ratio counts as infinite. If c does not
 * vary, as for equal records, both bounds are D.
 *
 * Null with fewer than two periods, if a record does not vary or is not finite, or if no finite q exists: the records
 * differ in too few periods, or have too few blocks (below about 3 L periods).
 *
 * @param a net returns per period, fractions; T values, none of them NaN
 * @param b likewise, of the same periods
 * @see Ledoit, O. and Wolf, M. (2008), Robust Performance Hypothesis Testing with the Sharpe Ratio, Journal of
 *   Empirical Finance 15(5)
 * @see Goetze, F. and Kuensch, H. R. (1996), Second-Order Correctness of the Blockwise Bootstrap for Stationary
 *   Observations, Annals of Statistics 24(5), for s*
 * @see Politis, D. N. and Romano, J. P. (1994), The Stationary Bootstrap, JASA 89(428) */
export function sharpeDifference(
  a: Float64Array,
  b: Float64Array,
  { level = 0.95, ...resampling }: DifferenceOptions,
): SharpeDifference | null {
  const periods = a.length
  const linearised = linearise(a, b)
  if (linearised === null) return null
  const { difference, linear } = linearised
  const exact = {
    differencePerPeriod: difference,
    lowPerPeriod: difference,
    highPerPeriod: difference,
    level,
  }
  if (linear.every(value => Math.abs(value) < linearRounding)) return exact
  const error = Math.sqrt(Math.max(0, bootstrapVariance(linear, resampling.meanBlock)) / periods)
  const rounding = { a: roundingOf(a), b: roundingOf(b) }
  const ratios = new Float64Array(resampling.resamples)
  forEachResample(periods, resampling, (integers, blocks, s) => {
    const ofA = resampledRatio(a, integers, blocks, rounding.a)
    const ofB = resampledRatio(b, integers, blocks, rounding.b)
    const resampled = (ofA?.sharpe ?? 0) - (ofB?.sharpe ?? 0)
    const squares = sumOfSquaredRuns(
      integers,
      blocks,
      periods,
      t => linearPart(ofA, a[t]) - linearPart(ofB, b[t]),
    )
    const resampledError = Math.sqrt(squares) / periods
    ratios[s] =
      resampledError > linearRounding
        ? Math.abs(resampled - difference) / resampledError
        : Number.POSITIVE_INFINITY
  })
  ratios.sort()
  const margin = quantile(ratios, level) * error
  if (!Number.isFinite(margin)) return null
  return { ...exact, lowPerPeriod: difference - margin, highPerPeriod: difference + margin }
}

/** The mean block length for `sharpeDifference`: the one that suits the mean of c, whose variance the resamples
 * estimate, but at most T / 6. With longer blocks a record often has no bounds. 1 if the difference is not defined.
 *
 * @param a net returns per period, fractions; T values, none of them NaN
 * @param b likewise, of the same periods */
export function differenceBlockLength(a: Float64Array, b: Float64Array): number {
  const linearised = linearise(a, b)
  if (linearised === null) return 1
  return Math.max(1, Math.min(optimalBlockLength(linearised.linear), a.length / 6))
}

/** D and c; null if a record does not vary or is not finite. */
function linearise(a: Float64Array, b: Float64Array): { difference: number; linear: Float64Array } | null {
  const ratioA = standardise(a, sampleMoments(a))
  const ratioB = standardise(b, sampleMoments(b))
  if (ratioA === null || ratioB === null) return null
  const difference = ratioA.sharpe - ratioB.sharpe
  if (!Number.isFinite(difference)) return null
  return { difference, linear: a.map((value, t) => linearPart(ratioA, value) - linearPart(ratioB, b[t])) }
}

/** c has no unit and is of the order of 1, so what is below this is rounding. */
const linearRounding = 1e-12

/** What standardises the returns of a record or of a resample of it. */
interface Ratio {
  readonly mean: number
  readonly deviation: number
  readonly sharpe: number
  /** (T - 1) / T, the mean of z^2. */
  readonly meanSquare: number
}

function standardise(
  series: Float64Array,
  { mean, standardDeviation }: { mean: number; standardDeviation: number | null },
): Ratio | null {
  if (standardDeviation === null) return null
  const meanSquare = (series.length - 1) / series.length
  return { mean, deviation: standardDeviation, sharpe: mean / standardDeviation, meanSquare }
}

function resampledRatio(
  series: Float64Array,
  integers: Int32Array,
  blocks: Blocks,
  rounding: number,
): Ratio | null {
  const { mean, deviation } = resampledMoments(series, integers, blocks)
  return standardise(series, { mean, standardDeviation: deviation > rounding ? deviation : null })
}

/** psi_t of a return. */
function linearPart(ratio: Ratio | null, value: number): number {
  if (ratio === null) return 0
  const z = (value - ratio.mean) / ratio.deviation
  return z - (ratio.sharpe / 2) * (z * z - ratio.meanSquare)
}

function sumOfSquaredRuns(
  integers: Int32Array,
  { starts, ends, count }: Blocks,
  periods: number,
  valueAt: (period: number) => number,
): number {
  let squares = 0
  let run = 0
  for (let i = 0; i < count; i++) {
    const start = integers[starts / 4 + i]
    const end = integers[ends / 4 + i]
    if (i > 0 && start !== integers[ends / 4 + i - 1] % periods) {
      squares += run * run
      run = 0
    }
    for (let t = start; t < end; t++) run += valueAt(t)
  }
  return squares + run * run
}
