import { dayOf } from '../fields.ts'

const inAuckland = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Pacific/Auckland',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
})

const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/

/** The day in New Zealand of one of the register's moments; NaN where it is none. It marks them as UTC, whose day ends at
 * noon or one o'clock there: should they be local after all, the day is at most one too late and never too early. */
export function newZealandDay(text: unknown): number {
  if (typeof text !== 'string' || !stamp.test(text) || Number.isNaN(dayOf(text.slice(0, 10))))
    return Number.NaN
  const at = Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(at) ? Number.NaN : dayOf(inAuckland.format(at))
}
