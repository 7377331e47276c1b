import { isFreeData, type Principal, tierOf } from '../../access/licences.ts'
import { addDays, type IsoDate, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { horizonDays } from '../../horizons.ts'
import type { SignalFilter, SignalPosition } from './queries.ts'
import { firstSignalDay, type SignalsQuery, signalLimit, signalTickerPattern } from './schema.ts'

/** The delay of the view of a key without the quant plan. */
const signalDelayDays = 90

/** What a request will see, decided before any query. Equal `cacheKey`s mean equal bytes while the data version stays the same. */
export interface SignalsPlan {
  readonly tier: string
  readonly fullAccess: boolean
  readonly delayedDays: number
  /** True if the response has to contain the Free Licence. */
  readonly freeLicence: boolean
  readonly filter: SignalFilter
  readonly limit: number
  readonly cacheKey: string
}

export function planSignals(
  deps: { readonly today: () => IsoDate },
  principal: Principal,
  query: SignalsQuery,
): SignalsPlan {
  for (const param of ['from', 'to'] as const) requireDay(param, query[param])
  if (query.from !== undefined && query.to !== undefined && query.from > query.to) {
    throw new Failure('parameter_invalid', `from (${query.from}) is after to (${query.to}). Swap them.`, {
      param: 'from',
    })
  }
  const delayedDays = principal.quant ? 0 : signalDelayDays
  const lastDay = principal.quant ? null : addDays(deps.today(), -signalDelayDays)
  const to = query.to !== undefined && (lastDay === null || query.to < lastDay) ? query.to : lastDay
  const plan = {
    tier: tierOf(principal),
    fullAccess: principal.quant,
    delayedDays,
    freeLicence: isFreeData(principal),
    filter: {
      market: query.market?.toUpperCase() ?? null,
      horizonDays: query.horizon === undefined ? null : horizonDays(query.horizon),
      from: query.from ?? null,
      to,
      after: query.cursor === undefined ? null : decodeCursor(query.cursor),
    },
    limit: query.limit ?? signalLimit.default,
  }
  return { ...plan, cacheKey: JSON.stringify(plan) }
}

function requireDay(param: 'from' | 'to', day: IsoDate | undefined): void {
  if (day === undefined || (isIsoDate(day) && day >= firstSignalDay)) return
  throw new Failure(
    'parameter_invalid',
    `${param}=${day} is not a valid date on or after ${firstSignalDay}. Send one as YYYY-MM-DD.`,
    { param },
  )
}

const ticker = new RegExp(signalTickerPattern)

/** A place in the served order as clients send it back: opaque, and safe in a URL. */
export function encodeCursor(place: SignalPosition): string {
  const parts = [place.date, place.ticker, String(place.horizonDays), place.market]
  return Buffer.from(parts.join(' ')).toString('base64url')
}

function decodeCursor(cursor: string): SignalPosition {
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
    'cursor is not valid. Send the `next` of a signal list unchanged, or omit cursor to start at the first row.',
    { param: 'cursor' },
  )
}
