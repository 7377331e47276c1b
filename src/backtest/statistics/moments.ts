import * as library from 'simple-statistics'

/** The functions used from simple-statistics. Its types require arrays, but it only reads the elements and
 * the length. Copying a typed array to an array takes 15 times as long as computing its mean. */
interface Moments {
  mean(values: ArrayLike<number>): number
  variance(values: ArrayLike<number>): number
  sampleSkewness(values: ArrayLike<number>, biased: true): number
  sumNthPowerDeviations(values: ArrayLike<number>, power: number): number
}
const moments: Moments = library

/** Arithmetic mean; 0 for an empty series. O(T). */
export function mean(values: Float64Array): number {
  return values.length === 0 ? 0 : moments.mean(values)
}

/** Mean and standard deviation (ddof 1) of a series, in two passes. O(T).
 *
 * The standard deviation is null with fewer than two values. It is also null if the values differ only by
 * rounding (1e-13 of the largest), because a ratio to it would be noise. The mean of an empty series is 0.
 *
 * The deviation is computed here, because `sampleStandardDeviation` takes four times as long, and each fold
 * of each trial needs one. */
export function sampleMoments(values: Float64Array): { mean: number; standardDeviation: number | null } {
  const count = values.length
  const center = mean(values)
  if (count < 2) return { mean: center, standardDeviation: null }
  let squares = 0
  let largest = 0
  for (let i = 0; i < count; i++) {
    squares += (values[i] - center) ** 2
    largest = Math.max(largest, Math.abs(values[i]))
  }
  const deviation = Math.sqrt(squares / (count - 1))
  return { mean: center, standardDeviation: deviation > 1e-13 * largest ? deviation : null }
}

/** Skewness g3 = m3 / m2^(3/2), population moments (divided by T): the estimator that the probabilistic and the
 * deflated Sharpe ratio are published with. Null with fewer than two values or no deviation. O(T). */
export function skewness(values: Float64Array): number | null {
  if (sampleMoments(values).standardDeviation === null) return null
  // Two values are symmetric, and the library requires three.
  return values.length === 2 ? 0 : moments.sampleSkewness(values, true)
}

/** Kurtosis g4 = m4 / m2^2, population moments (divided by T); a normal distribution has 3, not 0. Null with fewer than
 * two values or no deviation. O(T). */
export function kurtosisRaw(values: Float64Array): number | null {
  if (sampleMoments(values).standardDeviation === null) return null
  return moments.sumNthPowerDeviations(values, 4) / values.length / moments.variance(values) ** 2
}
