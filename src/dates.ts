import { FormatRegistry, Type } from '@sinclair/typebox'

/** A calendar day as `YYYY-MM-DD`. All days in the service are UTC days unless a manifest declares another
 * zone. */
export type IsoDate = string

const isoPattern = /^\d{4}-\d{2}-\d{2}$/
const dayMs = 86_400_000

/** True for a day that exists, in a year that PostgreSQL accepts: false for 2024-02-30 and for year 0. */
export function isIsoDate(text: string): boolean {
  if (!isoPattern.test(text) || text < '0001') return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text
}

/** Days since 1970-01-01. */
export function dayNumber(date: IsoDate): number {
  return Date.parse(`${date}T00:00:00Z`) / dayMs
}

export function isoDate(day: number): IsoDate {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

export function addDays(date: IsoDate, days: number): IsoDate {
  return isoDate(dayNumber(date) + days)
}

const firstDay = '0001-01-01'

/** The day this many days earlier, but never before year 1, the first with four digits. */
export function daysBefore(date: IsoDate, days: number): IsoDate {
  const day = addDays(date, -days)
  return /^\d{4}-/.test(day) && day > firstDay ? day : firstDay
}

/** The schema of a day in a request. Its format is `isIsoDate`, so `registerFormats` must run before a value
 * is validated. */
export const IsoDateSchema = (description: string, example: IsoDate) =>
  Type.String({ format: 'date', minLength: 10, maxLength: 10, description, examples: [example] })

/** The first and last of some days; null if there are none. */
export function daySpan(days: readonly IsoDate[]): { first: IsoDate; last: IsoDate } | null {
  const sorted = days.toSorted()
  const first = sorted.at(0)
  const last = sorted.at(-1)
  return first === undefined || last === undefined ? null : { first, last }
}

/** The month end nearest to a day, as written by a register that rounds period ends. Of two equally near
 * month ends the earlier: Costco's 2010-02-14 is 2010-01-31 in the Financial Statement Data Set 2010q1
 * (0001193125-10-059399). */
export function nearestMonthEnd(day: number): number {
  const date = new Date(day * dayMs)
  const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0) / dayMs
  const last = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 0) / dayMs
  return day - last <= next - day ? last : next
}

/** The first day of the `months` months that end with `monthEnd`. */
export function startOfMonths(monthEnd: number, months: number): number {
  const date = new Date(monthEnd * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1 - months, 1) / dayMs
}

/** The same day of another month, or its last day if it is shorter; the last day of a month stays the last
 * day. */
export function addMonths(day: number, months: number): number {
  const date = new Date(day * dayMs)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const isMonthEnd = new Date((day + 1) * dayMs).getUTCDate() === 1
  const last = Date.UTC(year, month + months + 1, 0) / dayMs
  return isMonthEnd ? last : Math.min(last, Date.UTC(year, month + months, date.getUTCDate()) / dayMs)
}

/** The last day of a month. `month` counts from 1 and may be outside the year: 0 is December of the previous
 * year. */
export const endOfMonth = (year: number, month: number): number => Date.UTC(year, month, 0) / dayMs

/** Registers the formats that schemas name. Without it, TypeBox rejects every value of such a schema. */
export function registerFormats(): void {
  FormatRegistry.Set('date', isIsoDate)
}
