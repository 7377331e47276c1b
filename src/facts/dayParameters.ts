import { type IsoDate, isIsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'

/** The as-of day to serve: `sent` if it exists and is not in the future, or today if none was sent. */
export function readAsOf(sent: string | undefined, today: IsoDate): IsoDate {
  if (sent === undefined) return today
  const day = readDay('as_of', sent)
  if (day <= today) return day
  throw new Failure(
    'parameter_invalid',
    `as_of=${sent} is in the future: today is ${today} (UTC). Send a day up to today, or omit as_of.`,
    { param: 'as_of' },
  )
}

/** Parses a day parameter; throws a Failure if there is no such day. */
export function readDay(param: 'as_of' | 'from', sent: string): IsoDate {
  if (isIsoDate(sent)) return sent
  throw new Failure(
    'parameter_invalid',
    `${param}=${sent.slice(0, 40)} is not a valid date. Send one as YYYY-MM-DD, for example 2010-02-01.`,
    { param },
  )
}
