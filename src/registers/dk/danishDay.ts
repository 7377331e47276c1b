import { dayOf } from '../fields.ts'

const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

const inCopenhagen = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Europe/Copenhagen',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
})

/** A moment of the register's index, and the day it is in Denmark: 22:00Z is the next day there in summer, 23:00Z in winter.
 * null where the text is no moment: one without a zone could be of two days. */
export function danishDay(text: unknown): { readonly day: number; readonly at: number } | null {
  if (typeof text !== 'string' || !stamp.test(text) || Number.isNaN(dayOf(text.slice(0, 10)))) return null
  const at = Date.parse(text)
  if (Number.isNaN(at)) return null
  const day = dayOf(inCopenhagen.format(at))
  return Number.isNaN(day) ? null : { day, at }
}
