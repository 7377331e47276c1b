import { Failure } from '../../errors.ts'
import { isIsoDate } from '../../model/date.ts'
import { signalTickerPattern } from '../../model/signal.ts'
import type { SignalPosition } from '../../store/signals/signalFilter.ts'

const ticker = new RegExp(signalTickerPattern)

/** A place in the served order as clients carry it: opaque, and safe in a URL. */
export function encodeCursor(place: SignalPosition): string {
  const parts = [place.date, place.ticker, String(place.horizonDays), place.market]
  return Buffer.from(parts.join(' ')).toString('base64url')
}

export function decodeCursor(cursor: string): SignalPosition {
  const parts = Buffer.from(cursor, 'base64url').toString('latin1').split(' ')
  const [date = '', name = '', horizon = '', market = ''] = parts
  const isPlace =
    parts.length === 4 &&
    isIsoDate(date) &&
    ticker.test(name) &&
    /^[137]$/.test(horizon) &&
    /^[A-Z]{2}$/.test(market)
  const place = { date, ticker: name, horizonDays: Number(horizon), market }
  if (isPlace && encodeCursor(place) === cursor) return place
  throw new Failure(
    'parameter_invalid',
    'cursor is none of ours: send the `next` of a signal list unchanged, or leave it out to begin at the start.',
    { param: 'cursor' },
  )
}
