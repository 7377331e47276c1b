import { dayNumber, isoDate } from '../../../dates.ts'

/**
 * The last day before the next business day. EDGAR dates no filing on a weekend or a federal holiday (5 U.S.C. 6103),
 * so an index of a Friday is complete up to Sunday.
 */
export function lastDayWithoutFilings(day: number): number {
  let last = day
  while (!isBusinessDay(last + 1)) last++
  return last
}

const weekday = (day: number) => new Date(`${isoDate(day)}T00:00:00Z`).getUTCDay()
const isWeekend = (day: number) => weekday(day) === 0 || weekday(day) === 6
const isBusinessDay = (day: number) => !isWeekend(day) && !isHoliday(day)

/** A holiday on a Saturday is observed on the Friday before it, one on a Sunday on the Monday after it. */
function isHoliday(day: number): boolean {
  const date = weekday(day)
  return (
    isNominalHoliday(day) ||
    (date === 5 && isNominalHoliday(day + 1)) ||
    (date === 1 && isNominalHoliday(day - 1))
  )
}

const monday = 1
const thursday = 4

function isNominalHoliday(day: number): boolean {
  const [year, month, date] = isoDate(day).split('-').map(Number)
  const isNth = (ofWeek: number, count: number) => weekday(day) === ofWeek && Math.ceil(date / 7) === count
  switch (month) {
    case 1:
      return date === 1 || isNth(monday, 3)
    case 2:
      return isNth(monday, 3)
    case 5:
      return weekday(day) === monday && day + 7 > dayNumber(`${year}-05-31`)
    case 6:
      return date === 19 && year >= 2021
    case 7:
      return date === 4
    case 9:
      return isNth(monday, 1)
    case 10:
      return isNth(monday, 2)
    case 11:
      return date === 11 || isNth(thursday, 4)
    case 12:
      return date === 25
    default:
      return false
  }
}
