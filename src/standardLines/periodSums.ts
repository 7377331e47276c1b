import { addMonths, nearestMonthEnd } from '../dates.ts'
import { isInstant, type Period, quartersOf } from '../wholeFilings/layOut.ts'

/** Shorter periods that a period consists of, by the keys of `periodKey`. */
export interface PartsOfPeriod {
  readonly identity: string
  readonly parts: readonly string[]
}

/** The ways in which filings divide a period of several quarters; empty for a quarter and for an instant. */
export function partsOfPeriod(period: Period): readonly PartsOfPeriod[] {
  const quarters = quartersOf(period)
  if (isInstant(period) || quarters < 2 || quarters > 4) return []
  const end = nearestMonthEnd(period.end)
  const key = (length: number, before: number) => `${length} ${addMonths(end, -3 * before)}`
  const toDate = {
    identity:
      quarters === 4
        ? 'The year = the fourth quarter + the first nine months'
        : 'The year to date = the quarter + the year to date before it',
    parts: [key(1, 0), key(quarters - 1, 1)],
  }
  if (quarters === 2) return [toDate]
  const all = Array.from({ length: quarters }, (_, before) => key(1, before))
  return [
    toDate,
    { identity: `${quarters === 4 ? 'The year' : 'The year to date'} = the sum of its quarters`, parts: all },
  ]
}
