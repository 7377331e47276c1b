import { Type } from '@sinclair/typebox'
import { type IsoDate, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { horizonDays } from '../../horizons.ts'
import { type CursorScope, type CursorSigner, PositionCursors } from '../../http/cursor.ts'
import { isFreeData, tierOf } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import type { SignalFilter, SignalPosition } from './queries.ts'
import { firstSignalDay, type SignalsQuery, signalLimit } from './schema.ts'

/**
 * What a request will see, decided before any query. Equal `cacheKey`s give equal bytes while the data
 * version stays the same.
 */
export interface SignalsPlan {
  readonly tier: string
  readonly fullAccess: boolean
  readonly delayedDays: number
  /** True if the response has to contain the Free Licence. */
  readonly freeLicence: boolean
  readonly filter: SignalFilter
  /** The last day that the key sees, or null if it sees all. */
  readonly viewEnds: IsoDate | null
  readonly limit: number
  /** Scope of this list's cursors. */
  readonly scope: CursorScope
  readonly cacheKey: string
}

export function planSignals(
  deps: { readonly today: () => IsoDate; readonly cursors: CursorSigner },
  rights: Rights,
  query: SignalsQuery,
): SignalsPlan {
  for (const param of ['from', 'to'] as const) requireDay(param, query[param])
  if (query.from !== undefined && query.to !== undefined && query.from > query.to) {
    throw new Failure('parameter_invalid', `from (${query.from}) is after to (${query.to}). Swap them.`, {
      param: 'from',
    })
  }
  const delayedDays = rights.signalDelayDays
  const viewEnds = rights.lastSignalDay(deps.today())
  const to = query.to !== undefined && (viewEnds === null || query.to < viewEnds) ? query.to : viewEnds
  const tier = tierOf(rights)
  const freeLicence = isFreeData(rights)
  const market = query.market?.toUpperCase() ?? null
  const horizon = query.horizon === undefined ? null : horizonDays(query.horizon)
  const scope = {
    route: 'signals',
    rights: `${tier}${freeLicence ? ' free' : ''}`,
    query: [market, horizon, query.from, query.to],
  }
  const plan = {
    tier,
    fullAccess: rights.quant,
    delayedDays,
    freeLicence,
    viewEnds,
    filter: {
      market,
      horizonDays: horizon,
      from: query.from ?? null,
      to,
      after: query.cursor === undefined ? null : decodeCursor(deps.cursors, scope, query.cursor),
    },
    limit: query.limit ?? signalLimit.default,
  }
  return { ...plan, scope, cacheKey: JSON.stringify(plan) }
}

function requireDay(param: 'from' | 'to', day: IsoDate | undefined): void {
  if (day === undefined || (isIsoDate(day) && day >= firstSignalDay)) return
  throw new Failure(
    'parameter_invalid',
    `${param}=${day} is not a valid date on or after ${firstSignalDay}. Send one as YYYY-MM-DD.`,
    { param },
  )
}

/** Day, ticker, horizon in days and market of the last row. */
const positions = new PositionCursors(
  Type.Tuple([Type.String(), Type.String(), Type.Integer(), Type.String()]),
)

/** Encodes a position in the served order as a cursor. */
export function encodeCursor(cursors: CursorSigner, scope: CursorScope, position: SignalPosition): string {
  const { date, ticker, horizonDays, market } = position
  return positions.write(cursors, scope, [date, ticker, horizonDays, market])
}

function decodeCursor(cursors: CursorSigner, scope: CursorScope, cursor: string): SignalPosition {
  const [date, ticker, horizonDays, market] = positions.read(cursors, scope, cursor)
  return { date, ticker, horizonDays, market }
}
