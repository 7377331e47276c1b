import type { DateSpacing } from './dateSpacing.ts'

const tradingDaysPerYear = 252
const calendarDaysPerYear = 365.25
/** Weekly, fortnightly, semi-monthly, monthly, every two months, quarterly, half-yearly and yearly. */
const usualPeriodsPerYear = [52, 26, 24, 12, 6, 4, 2, 1]
const usualTolerance = 0.04

/** P, which annualises every statistic: 252 / step for daily dates, whose median gap is one business day. For
 * all other dates it is 365.25 / (step * mean calendar gap), rounded to the nearest of 52, 26, 24, 12, 6, 4, 2
 * and 1 if it is within 4% of that number. Counting business days instead would give month ends 11.45 periods
 * per year, because their median gap is 22 business days.
 *
 * @param step from `rebalanceStep` */
export function periodsPerYear(step: number, { medianGap, meanCalendarGap }: DateSpacing): number {
  if (medianGap === 1) return tradingDaysPerYear / step
  const exact = calendarDaysPerYear / (step * meanCalendarGap)
  const near = usualPeriodsPerYear.filter(usual => Math.abs(exact - usual) <= usualTolerance * usual)
  return near.reduce(
    (best, usual) => (Math.abs(exact - usual) < Math.abs(exact - best) ? usual : best),
    near[0] ?? exact,
  )
}
