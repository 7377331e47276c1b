import { mean } from './moments.ts'
import type { PeriodSeries } from './periodSeries.ts'

/** What trading and borrowing take in a year, as a fraction: mean (cost + borrow) * P. */
export function costDragAnnual({ tradingCost, borrow }: PeriodSeries, periodsPerYear: number): number {
  return (mean(tradingCost) + mean(borrow)) * periodsPerYear
}

/** The flat round-trip cost, in basis points, at which the mean net return is 0:
 * (mean gross - mean borrow) / mean turnover * 1e4. Negative where the book loses before costs; null where nothing
 * is traded. */
export function breakEvenCostBps({ gross, borrow, turnover }: PeriodSeries): number | null {
  const traded = mean(turnover)
  return traded === 0 ? null : ((mean(gross) - mean(borrow)) / traded) * 1e4
}
