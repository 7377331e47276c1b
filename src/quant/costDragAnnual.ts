import { mean } from './mean.ts'
import type { PeriodSeries } from './periodSeries.ts'

/** What trading and borrowing take in a year, as a fraction: mean (cost + borrow) * P. */
export function costDragAnnual({ tradingCost, borrow }: PeriodSeries, periodsPerYear: number): number {
  return (mean(tradingCost) + mean(borrow)) * periodsPerYear
}
