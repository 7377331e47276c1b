import { businessDaysBetween } from './businessDays.ts'

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
