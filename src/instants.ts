import { addDays, type IsoDate } from './dates.ts'
import type { Zone } from './zones.ts'

/**
 * The point in time that a request asks for: a day, which includes everything that was filed up to its end, or an
 * instant in the zone of its market, such as `2010-01-25T16:00:00-05:00`, which includes everything that was public by
 * then. `markets/asOf.ts` parses it.
 */
export type AsOf = string

const dayLength = 'YYYY-MM-DD'.length

/** Why a row counts as of an instant: because its filing day has ended, or by its filing's acceptance time. */
export const knownByRules = ['day', 'time'] as const
export type KnownBy = (typeof knownByRules)[number]

/** The field of a row with the reason. Absent if `as_of` is a day. */
export const knownByField = (byTime: boolean | undefined): { readonly known_by?: KnownBy } =>
  byTime === undefined ? {} : { known_by: knownByRules[byTime ? 1 : 0] }

export const isInstant = (asOf: AsOf): boolean => asOf.length > dayLength

/** The day of `as_of` in its market. */
export const dayOf = (asOf: AsOf): IsoDate => asOf.slice(0, dayLength)

/** The last day that has ended in the market at an instant. Filings without a time count up to that day. */
export const lastEndedDay = (asOf: AsOf): IsoDate => addDays(dayOf(asOf), -1)

/** The last day whose filings all count: the day itself or, for an instant, the last day that has ended. */
export const lastWholeDay = (asOf: AsOf): IsoDate => (isInstant(asOf) ? lastEndedDay(asOf) : asOf)

export function formatInstant(ms: number, zone: Zone): AsOf {
  const offset = zone.offsetAt(ms)
  const local = new Date(ms + offset).toISOString()
  const time = ms % 1_000 === 0 ? local.slice(0, 19) : local.slice(0, 23)
  return `${time}${offsetText(offset)}`
}

function offsetText(offset: number): string {
  const minutes = Math.abs(Math.round(offset / 60_000))
  const two = (value: number) => String(value).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
