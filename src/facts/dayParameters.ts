import { type IsoDate, isIsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'

/** Parses a day parameter; throws a Failure if there is no such day. */
export function readDay(param: 'from', sent: string): IsoDate {
  if (isIsoDate(sent)) return sent
  throw new Failure(
    'parameter_invalid',
    `${param}=${sent.slice(0, 40)} is not a valid date. Send one as YYYY-MM-DD, for example 2010-02-01.`,
    { param },
  )
}
