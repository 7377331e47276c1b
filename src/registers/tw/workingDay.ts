const dayMs = 86_400_000

const lunar = new Intl.DateTimeFormat('en-u-ca-chinese', {
  month: 'numeric',
  day: 'numeric',
  timeZone: 'UTC',
})

/** The first day from `day` on which a report can be due: a period that ends on a Saturday, a Sunday or a holiday ends on
 * the next day that is none (Administrative Procedure Act, article 48). Of all holidays only the Dragon Boat Festival can
 * fall on the day of a report. A working Saturday, and a Friday that makes up for one, are taken for days off: later is safe. */
export function workingDayFrom(day: number): number {
  let found = day
  while (isWeekend(found) || isDragonBoatBreak(found)) found++
  return found
}

/** 1970-01-01 was a Thursday. */
const weekday = (day: number) => (day + 4) % 7
const isWeekend = (day: number) => weekday(day) === 0 || weekday(day) === 6

/** The fifth of the fifth month; a Friday or a Monday beside its weekend, or between it and a weekend, is off too. */
function isDragonBoatBreak(day: number): boolean {
  if (isFestival(day)) return true
  if (weekday(day) === 5) return isFestival(day - 1) || isFestival(day + 1)
  return weekday(day) === 1 && (isFestival(day - 1) || isFestival(day + 1))
}

const isFestival = (day: number) => lunar.format(day * dayMs) === '5/5'
