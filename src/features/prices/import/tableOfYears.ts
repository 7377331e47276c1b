import { dayNumber } from '../../../dates.ts'

export const firstYear = 1900
export const yearStarts = Int32Array.from({ length: 300 }, (_, index) =>
  dayNumber(`${firstYear + index}-01-01`),
)
export const firstDayOfTable = yearStarts[0]

/** The year of a day from 1900 on. */
export function yearOf(day: number): number {
  let year = firstYear + Math.floor((day - yearStarts[0]) / 365.2425)
  while (yearStarts[year - firstYear] > day) year--
  while (yearStarts[year - firstYear + 1] <= day) year++
  return year
}

/** The index of the first of some ascending days, from `start` on, that is after a year. */
export function endOfYear(days: Int32Array, start: number, year: number): number {
  const next = yearStarts[year - firstYear + 1]
  let end = start
  while (end < days.length && days[end] < next) end++
  return end
}
