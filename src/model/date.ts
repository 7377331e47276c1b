import { Type } from '@sinclair/typebox'

/** A calendar day as `YYYY-MM-DD`. All days in the service are UTC days unless a manifest says otherwise. */
export type IsoDate = string

const shape = /^\d{4}-\d{2}-\d{2}$/
const dayMs = 86_400_000

/** True for a day that exists, in a year that PostgreSQL knows: 2024-02-30 does not, the year 0 neither. */
export function isIsoDate(text: string): boolean {
  if (!shape.test(text) || text < '0001') return false
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

/** The schema of a day in a request; whether the day exists is `isIsoDate`, registered as a TypeBox format. */
export const IsoDateSchema = (description: string, example: IsoDate) =>
  Type.String({ format: 'date', minLength: 10, maxLength: 10, description, examples: [example] })
