/** Arithmetic mean; 0 for an empty series. O(T). */
export function mean(values: Float64Array): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]
  return values.length === 0 ? 0 : sum / values.length
}

/** Mean and standard deviation (ddof 1) of a series, in two passes. O(T).
 *
 * The standard deviation is null with fewer than two values, and where the values differ by no more than rounding
 * (1e-13 of the largest): a ratio to such a deviation would be noise. The mean of an empty series is 0. */
export function sampleMoments(values: Float64Array): { mean: number; standardDeviation: number | null } {
  const count = values.length
  let sum = 0
  let largest = 0
  for (let i = 0; i < count; i++) {
    sum += values[i]
    largest = Math.max(largest, Math.abs(values[i]))
  }
  const mean = count === 0 ? 0 : sum / count
  if (count < 2) return { mean, standardDeviation: null }
  let squares = 0
  for (let i = 0; i < count; i++) squares += (values[i] - mean) ** 2
  const deviation = Math.sqrt(squares / (count - 1))
  return { mean, standardDeviation: deviation > 1e-13 * largest ? deviation : null }
}

/** Skewness g3 = m3 / m2^(3/2), population moments (divided by T): the estimator that the probabilistic and the
 * deflated Sharpe ratio are published with. Null with fewer than two values or no deviation. O(T). */
export function skewness(values: Float64Array): number | null {
  return standardisedMoment(values, 3)
}

/** Kurtosis g4 = m4 / m2^2, population moments (divided by T); a normal distribution has 3, not 0. Null with fewer than
 * two values or no deviation. O(T). */
export function kurtosisRaw(values: Float64Array): number | null {
  return standardisedMoment(values, 4)
}

/** Population moment m_power over m_2^(power / 2); null where `sampleMoments` finds no standard deviation. */
function standardisedMoment(values: Float64Array, power: number): number | null {
  const { mean, standardDeviation } = sampleMoments(values)
  if (standardDeviation === null) return null
  return centralMoment(values, mean, power) / centralMoment(values, mean, 2) ** (power / 2)
}

/** Mean of (x - mean)^power, divided by T: a population moment. */
function centralMoment(values: Float64Array, mean: number, power: number): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += (values[i] - mean) ** power
  return sum / values.length
}
