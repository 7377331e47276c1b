import { standardisedMoment } from './standardisedMoment.ts'

/** Kurtosis g4 = m4 / m2^2, population moments (divided by T); a normal distribution has 3, not 0. Null with fewer
 * than two values or no deviation. */
export function kurtosisRaw(values: Float64Array): number | null {
  return standardisedMoment(values, 4)
}
