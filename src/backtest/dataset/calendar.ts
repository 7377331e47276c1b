/** Monday to Friday, no holidays: the calendar that spacing and purging are measured in. Day 0 is 1970-01-01, a
 * Thursday. */

/** Business days before `day`, counted from Monday 1969-12-29. For a Saturday or Sunday: those before the Monday
 * after it. */
export function businessDayIndex(day: number): number {
  const sinceMonday = day + 3
  const week = Math.floor(sinceMonday / 7)
  return 5 * week + Math.min(sinceMonday - 7 * week, 5)
}

/** Business days from `first` (counted) to `last` (not counted); numpy's busday_count. */
export function businessDaysBetween(first: number, last: number): number {
  return businessDayIndex(last) - businessDayIndex(first)
}

/** The day `count` >= 1 business days after `day`; the first one after a Saturday or Sunday is its Monday. */
export function addBusinessDays(day: number, count: number): number {
  const sinceMonday = day + 3
  const weekday = sinceMonday - 7 * Math.floor(sinceMonday / 7)
  const index = businessDayIndex(day) + count - (weekday >= 5 ? 1 : 0)
  const week = Math.floor(index / 5)
  return 7 * week + (index - 5 * week) - 3
}

/** Spacing of a panel: the median business-day gap between consecutive dates (1 daily, 5 weekly, 21 monthly); of
 * an even number of gaps the mean of the middle two. At least 1 (dates on both days of a weekend have no business
 * day between them), and 1 for a single date.
 *
 * @param days ascending, since 1970-01-01 */
export function spacing(days: Int32Array): number {
  if (days.length < 2) return 1
  const gaps = new Int32Array(days.length - 1)
  for (let i = 0; i < gaps.length; i++) gaps[i] = businessDaysBetween(days[i], days[i + 1])
  gaps.sort()
  const middle = gaps.length >> 1
  const median = gaps.length % 2 === 1 ? gaps[middle] : (gaps[middle - 1] + gaps[middle]) / 2
  return Math.max(1, median)
}
