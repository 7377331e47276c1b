import type { Rebalance } from '../requestTrading.ts'

/** Weekdays that exchanges close for on end, such as Christmas and Boxing Day. A longer gap was either not announced or
 * is a holiday that a score cannot wait for. */
const maxHolidays = 2

/** The dates on which a portfolio is rebalanced: date indices, ascending.
 *
 * The nominal day is the named weekday of each week, or the last Monday to Friday of each month or quarter. The
 * rebalancing date is the panel's last date up to the nominal day, if at most two weekdays are missing between them:
 * holidays are published years ahead, so a trader knew that no trading day would follow. After a longer gap, which
 * nobody may have foreseen (September 2001), it is the first date after the nominal day.
 *
 * Later dates of a panel cannot change this for a nominal day that the panel has reached: nominal days after the last
 * date are left out, unless they are that date. So a panel that is cut after a rebalancing keeps all earlier ones.
 *
 * O(dates + nominal days).
 *
 * @param days ascending, since 1970-01-01 */
export function rebalancingDates(days: Int32Array, rule: Rebalance): Int32Array {
  const dates: number[] = []
  if (days.length === 0) return new Int32Array(0)
  const last = days[days.length - 1]
  let next = 0
  for (const nominal of nominalDays(days[0], last, rule)) {
    while (next < days.length && days[next] <= nominal) next++
    const before = next - 1
    const isNear = before >= 0 && weekdaysBetween(days[before], nominal) <= maxHolidays
    const date = isNear ? before : next
    if (date < days.length && date > (dates.at(-1) ?? -1)) dates.push(date)
  }
  return Int32Array.from(dates)
}

function nominalDays(first: number, last: number, rule: Rebalance): number[] {
  return rule === 'month_end' || rule === 'quarter_end'
    ? monthEnds(first, last, rule === 'quarter_end' ? 3 : 1)
    : weekEnds(first, last, weekdays.indexOf(rule.slice('weekly:'.length)))
}

const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI']

/** Day 0, 1970-01-01, was a Thursday. */
const weekdayOf = (day: number) => (((day + 3) % 7) + 7) % 7

function weekEnds(first: number, last: number, weekday: number): number[] {
  const found: number[] = []
  for (let day = first + ((weekday - weekdayOf(first) + 7) % 7); day <= last; day += 7) found.push(day)
  return found
}

const dayMs = 86_400_000

/** @param months 1, or 3 for the ends of March, June, September and December */
function monthEnds(first: number, last: number, months: number): number[] {
  const found: number[] = []
  const date = new Date(first * dayMs)
  const year = date.getUTCFullYear()
  const end = months * Math.floor(date.getUTCMonth() / months) + months
  for (let month = end; ; month += months) {
    const day = Date.UTC(year, month, 0) / dayMs
    const weekend = Math.max(0, weekdayOf(day) - 4)
    if (day - weekend > last) return found
    if (day - weekend >= first) found.push(day - weekend)
  }
}

/** Mondays to Fridays after `day`, up to `end`. */
function weekdaysBetween(day: number, end: number): number {
  let count = 0
  for (let one = day + 1; one <= end && count <= maxHolidays; one++) if (weekdayOf(one) < 5) count++
  return count
}
