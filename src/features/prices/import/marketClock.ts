import type { IsoDate } from '../../../dates.ts'

/** The easternmost time zone, where each day begins first. */
export const easternmostZone = 'Etc/GMT-14'

/** The Swedish date format is YYYY-MM-DD. */
export const localDay = (now: Date, timeZone: string): IsoDate =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now)
