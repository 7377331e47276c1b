import { mean } from './mean.ts'
import type { PeriodSeries } from './periodSeries.ts'

/** The flat round-trip cost, in basis points, at which the mean net return is 0:
 * (mean gross - mean borrow) / mean turnover * 1e4. Negative where the book loses before costs; null where nothing
 * is traded. */
export function breakEvenCostBps({ gross, borrow, turnover }: PeriodSeries): number | null {
  const traded = mean(turnover)
  return traded === 0 ? null : ((mean(gross) - mean(borrow)) / traded) * 1e4
}
