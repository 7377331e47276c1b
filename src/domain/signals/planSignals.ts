import { Failure } from '../../errors.ts'
import { type Principal, tierOf } from '../../model/access.ts'
import { addDays, type IsoDate, isIsoDate } from '../../model/date.ts'
import { type SignalsQuery, signalLimit } from '../../model/signal.ts'
import type { SignalFilter } from '../../store/signals/signalFilter.ts'
import { isFreeData } from '../access/licensed.ts'
import { decodeCursor } from './cursor.ts'
import { horizonDays } from './horizonDays.ts'

/** How late the view of a key without the quant plan is. */
export const signalDelayDays = 90

const firstDay = '1900-01-01'

/** What a request will see, settled before the database is asked. Equal `cacheKey`s mean equal bytes as long as
 * the data version is the same. */
export interface SignalsPlan {
  readonly tier: string
  readonly fullAccess: boolean
  readonly delayedDays: number
  /** True where the response has to carry the Free Licence. */
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
  for (const param of ['from', 'to'] as const) mustBeDay(param, query[param])
  if (query.from !== undefined && query.to !== undefined && query.from > query.to) {
    throw new Failure('parameter_invalid', `from ${query.from} is after to ${query.to}: swap them.`, {
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
      market: query.market ?? null,
      horizonDays: query.horizon === undefined ? null : horizonDays(query.horizon),
      from: query.from ?? null,
      to,
      after: query.cursor === undefined ? null : decodeCursor(query.cursor),
    },
    limit: query.limit ?? signalLimit.usual,
  }
  return { ...plan, cacheKey: JSON.stringify(plan) }
}

function mustBeDay(param: 'from' | 'to', day: IsoDate | undefined): void {
  if (day === undefined || (isIsoDate(day) && day >= firstDay)) return
  throw new Failure(
    'parameter_invalid',
    `${param}=${day} is no day of the calendar from ${firstDay} on: send it as YYYY-MM-DD.`,
    { param },
  )
}
