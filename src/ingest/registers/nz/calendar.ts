import { dayOf } from '../../reading/fields.ts'

const inAuckland = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Pacific/Auckland',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
})

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/

/**
 * The day in New Zealand of one of the register's timestamps; NaN for other texts. The register marks them as
 * UTC, whose day ends at noon or one o'clock there. If they were local times after all, the day would be at
 * most one too late, never too early.
 */
export function newZealandDay(text: unknown): number {
  if (typeof text !== 'string' || !timestamp.test(text) || Number.isNaN(dayOf(text.slice(0, 10))))
    return Number.NaN
  const at = Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(at) ? Number.NaN : dayOf(inAuckland.format(at))
}

const dayMs = 86_400_000

/**
 * The first day from `day` on which something can be due. What is due on a day off may be done on the next
 * working day (Legislation Act 2019, section 55). Working days are those of section 13 and, before it, of the
 * Interpretation Act 1999, section 29. For a holiday whose date is set each year, every possible date counts
 * as a day off, because assuming a later due day is safe.
 */
export function workingDayFrom(day: number): number {
  let found = day
  while (!isWorkingDay(found)) found++
  return found
}

/** 1970-01-01 was a Thursday. */
const weekday = (day: number) => (day + 4) % 7

function isWorkingDay(day: number): boolean {
  if (weekday(day) === 0 || weekday(day) === 6) return false
  const date = new Date(day * dayMs)
  const year = date.getUTCFullYear()
  const monthDay = (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
  const isMonday = weekday(day) === 1
  if (monthDay >= 1225 || monthDay <= 102) return false
  // If the first days of the year fall on a weekend, the following Monday and Tuesday are off instead.
  if (monthDay <= 104 && weekday(day) <= 2) return false
  // Good Friday and Easter Monday.
  const easter = easterOf(year)
  if (day === easter - 2 || day === easter + 1) return false
  // Waitangi Day and Anzac Day, or the Monday after their weekend.
  for (const holiday of [206, 425]) {
    if (monthDay === holiday || (isMonday && monthDay > holiday && monthDay <= holiday + 2)) return false
  }
  // The Sovereign's Birthday is the first Monday in June, Labour Day the fourth in October, Matariki a Friday
  // in June or July.
  if (isMonday && ((monthDay >= 601 && monthDay <= 607) || (monthDay >= 1022 && monthDay <= 1028)))
    return false
  return !(weekday(day) === 5 && year >= 2022 && monthDay >= 619 && monthDay <= 714)
}

/** Easter Sunday (the anonymous Gregorian computus). */
function easterOf(year: number): number {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114
  return Date.UTC(year, Math.floor(f / 31) - 1, (f % 31) + 1) / dayMs
}
