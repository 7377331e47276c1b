/** How many securities of a market have a close on a day. */
export interface DayOfCloses {
  /** Days since 1970-01-01. */
  readonly day: number
  /** At least 1. */
  readonly closes: number
}

/** No market closes for longer: a day without trading lies within this many calendar days before one with. */
const longestClosureDays = 14

/**
 * The days on which a market trades, of those on which any security has a close:
 *
 * - a weekday, unless fewer than a tenth as many securities have one as on the trading day before it, and fewer than a
 *   tenth as many as on some weekday of the two weeks after it. Such a row is stray: it may be dated on a holiday. The first
 *   and the last day have no such neighbours and count;
 * - a Saturday or Sunday only if at least half as many securities have one as on the trading weekday before it.
 *
 * A stray row would otherwise move the horizons of a whole market.
 *
 * @param days ascending
 */
export function tradingDaysOf(days: readonly DayOfCloses[]): Int32Array {
  const found: number[] = []
  let closesBefore = 0
  for (const [at, { day, closes }] of days.entries()) {
    const isWeekendDay = isWeekend(day)
    if (isWeekendDay ? closes * 2 < closesBefore : closes * 10 < closesBefore && isBeforeMore(days, at))
      continue
    if (!isWeekendDay) closesBefore = closes
    found.push(day)
  }
  return Int32Array.from(found)
}

/** Whether more than ten times as many securities have a close on a weekday soon after. */
function isBeforeMore(days: readonly DayOfCloses[], at: number): boolean {
  const { day, closes } = days[at]
  for (let next = at + 1; next < days.length && days[next].day <= day + longestClosureDays; next++)
    if (!isWeekend(days[next].day) && closes * 10 < days[next].closes) return true
  return false
}

const isWeekend = (day: number): boolean => (day + 3) % 7 >= 5
