/** Monday to Friday without holidays: the calendar for date gaps and for purging folds. Day 0 is 1970-01-01,
 * a Thursday. */

/** Business days from `first` (included) to `last` (excluded), like numpy's busday_count. */
export function businessDaysBetween(first: number, last: number): number {
  return businessDayIndex(last) - businessDayIndex(first)
}

/** The day `count` >= 1 business days after `day`. Counting from a Saturday or Sunday, the first one is
 * Monday. */
export function addBusinessDays(day: number, count: number): number {
  const sinceMonday = day + 3
  const weekday = sinceMonday - 7 * Math.floor(sinceMonday / 7)
  const index = businessDayIndex(day) + count - (weekday >= 5 ? 1 : 0)
  const week = Math.floor(index / 5)
  return 7 * week + (index - 5 * week) - 3
}

/** Business days before `day`, counted from Monday 1969-12-29. A Saturday or Sunday has the index of the
 * following Monday. */
function businessDayIndex(day: number): number {
  const sinceMonday = day + 3
  const week = Math.floor(sinceMonday / 7)
  return 5 * week + Math.min(sinceMonday - 7 * week, 5)
}
