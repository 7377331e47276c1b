import { median } from 'simple-statistics'
import { businessDaysBetween } from '../dataset/calendar.ts'

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
