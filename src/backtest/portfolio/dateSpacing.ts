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
