import { median } from 'simple-statistics'
import { businessDaysBetween } from '../dataset/calendar.ts'

/** The spacing of a panel's dates. */
export interface DateSpacing {
  /** Median in business days, from `medianDateGap`; `spacing` in the result. */
  readonly medianGap: number
  /** Mean in calendar days, from `meanCalendarGap`. */
  readonly meanCalendarGap: number
}

/** @param days ascending, since 1970-01-01 */
export function dateSpacing(days: Int32Array): DateSpacing {
  return { medianGap: medianDateGap(days), meanCalendarGap: meanCalendarGap(days) }
}

/** The dates that become periods: every `step`-th of firstDate .. endDate - 1, from the first. With step > 1 the
 * returns of neighbouring dates overlap, and compounding all of them would count each day several times.
 *
 * @param step from `rebalanceStep`
 * @returns date indices */
export function rebalanceDates(firstDate: number, endDate: number, step: number): Int32Array {
  const dates = new Int32Array(Math.max(0, Math.ceil((endDate - firstDate) / step)))
  for (let t = 0; t < dates.length; t++) dates[t] = firstDate + t * step
  return dates
}

/** Dates from one period to the next: step = max(1, round(returnDays / dateGap)), halves up.
 *
 * @param dateGap business days, from `medianDateGap` */
export function rebalanceStep(returnDays: number, dateGap: number): number {
  return Math.max(1, Math.round(returnDays / dateGap))
}

/** Median gap between consecutive dates, in business days: 1 for daily, 5 for weekly, 21 for monthly panels. Of an even
 * number of gaps it is the mean of the middle two. At least 1, because both days of a weekend have no business day
 * between them; 1 for a single date. The result calls it `spacing`.
 *
 * @param days ascending, since 1970-01-01 */
export function medianDateGap(days: Int32Array): number {
  if (days.length < 2) return 1
  const gaps = Array.from({ length: days.length - 1 }, (_, i) => businessDaysBetween(days[i], days[i + 1]))
  return Math.max(1, median(gaps))
}

/** Mean gap between consecutive dates, in calendar days: 7 for weekly, 30.4 for monthly panels. At least 1; 1 for a
 * single date.
 *
 * @param days ascending and all different, since 1970-01-01 */
function meanCalendarGap(days: Int32Array): number {
  return days.length < 2 ? 1 : (days[days.length - 1] - days[0]) / (days.length - 1)
}

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
