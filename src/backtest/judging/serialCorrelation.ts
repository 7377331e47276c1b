import { bootstrapVariance } from '../evidence/bootstrapVariance.ts'
import { mean } from '../statistics/moments.ts'
import { normalCdf, normalQuantile } from '../statistics/normal.ts'

/** How much less certain the mean of a record is than that of independent periods: VR, the variance that the
 * stationary bootstrap gives sqrt(T) times the mean, over the variance of one period. At least 1, so negative
 * serial correlation never strengthens the evidence. 1 for a record that does not vary. O(T).
 *
 * @param judged per period
 * @param meanBlock of the bootstrap, in periods */
export function varianceRatio(judged: Float64Array, meanBlock: number): number {
  const center = mean(judged)
  const demeaned = judged.map(value => value - center)
  const variance = demeaned.reduce((sum, value) => sum + value * value, 0) / judged.length
  return variance > 0 ? Math.max(1, bootstrapVariance(demeaned, meanBlock) / variance) : 1
}

/** A Deflated Sharpe ratio that allows for serial correlation, which its formula does not: PHI(PHI^-1(dsr) /
 * sqrt(VR)). Null if dsr is.
 *
 * @param ratio VR, from `varianceRatio` */
export const serialDsr = (dsr: number | null, ratio: number): number | null =>
  dsr === null || ratio === 1 || dsr <= 0 || dsr >= 1
    ? dsr
    : normalCdf(normalQuantile(dsr) / Math.sqrt(ratio))
