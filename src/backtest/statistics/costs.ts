import { mean } from './moments.ts'
import type { PeriodSeries } from './returns.ts'

/** Annual cost drag, what trading and borrowing take in a year: mean (cost + borrow) * P, a fraction. 0 without a
 * period. O(T).
 *
 * @param periodsPerYear P */
export function costDragAnnual({ tradingCost, borrow }: PeriodSeries, periodsPerYear: number): number {
  return (mean(tradingCost) + mean(borrow)) * periodsPerYear
}

/** Break-even cost: the flat round-trip cost, in basis points, at which the mean net return is 0:
 *
 *   (mean gross - mean borrow) / mean turnover * 1e4
 *
 * Negative if the portfolio loses before trading costs; null if nothing is traded. O(T). */
export function breakEvenCostBps({ gross, borrow, turnover }: PeriodSeries): number | null {
  const traded = mean(turnover)
  return traded === 0 ? null : ((mean(gross) - mean(borrow)) / traded) * 1e4
}
