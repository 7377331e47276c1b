import { standardisedMoment } from './standardisedMoment.ts'

/** Skewness g3 = m3 / m2^(3/2), population moments (divided by T): the estimator that the probabilistic and the
 * deflated Sharpe ratio are published with. Null with fewer than two values or no deviation. */
export function skewness(values: Float64Array): number | null {
  return standardisedMoment(values, 3)
}
