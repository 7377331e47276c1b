import { Failure } from '../../errors.ts'
import type { Principal } from '../../model/access.ts'
import {
  type CrossSectionPeriod,
  type CrossSectionQuery,
  crossSectionLimit,
} from '../../model/crossSection.ts'
import { addDays, type IsoDate } from '../../model/date.ts'
import { fiscalPeriods } from '../../model/fundamentals.ts'
import type { CompanyPlace } from '../../store/fundamentals/crossSectionRows.ts'
import { isFreeData } from '../access/licensed.ts'
import { readCursor } from './coverageCursor.ts'
import type { FundamentalsDeps } from './deps.ts'
import { readAsOf } from './readAsOf.ts'
import { readMarket } from './readMarket.ts'
import { readMetrics } from './readMetrics.ts'

const firstDay = '0001-01-01'

/** Who sees what of a cross-section, decided: plain data, and everything that `readCrossSection` needs. */
export interface CrossSectionPlan {
  readonly metric: string
  readonly market: string
  readonly asOf: IsoDate
  readonly period: CrossSectionPeriod
  /** 0 the year, 1 to 4 a quarter, null the latest period of any kind. */
  readonly fp: number | null
  readonly maxAgeDays: number | null
  /** Earliest period end; null: no bound. */
  readonly from: IsoDate | null
  readonly limit: number
  readonly after: CompanyPlace | null
  readonly recentFiscalYearOnly: boolean
  readonly freeLicence: boolean
  /** Equal keys mean equal bytes while the data version stays the same. What a capped key is shown is its own. */
  readonly cacheKey: string
}

export function planCrossSection(
  deps: Pick<FundamentalsDeps, 'markets' | 'today'>,
  principal: Principal,
  query: CrossSectionQuery,
): CrossSectionPlan {
  const free = isFreeData(principal)
  const metric = readMetric(deps, query.metric)
  const market = readMarket(deps.markets, query.market, '')
  const asOf = readAsOf(query.as_of, deps.today())
  if (free && query.as_of !== undefined) throw asOfRefused(principal)
  const period = query.fp ?? 'FY'
  const maxAgeDays = query.max_age_days ?? null
  const limit = query.limit ?? crossSectionLimit.usual
  const plan = {
    metric,
    market,
    asOf,
    period,
    fp: period === 'latest' ? null : fiscalPeriods.indexOf(period),
    maxAgeDays,
    from: maxAgeDays === null ? null : earliest(asOf, maxAgeDays),
    limit: free ? Math.min(limit, crossSectionLimit.mostOfFree) : limit,
    after: query.cursor === undefined ? null : readPlace(query.cursor, market),
    recentFiscalYearOnly: free,
    freeLicence: free,
  }
  const viewer = principal.entityCap === null ? '' : `key ${principal.keyId}`
  return { ...plan, cacheKey: `cross-section ${viewer} ${JSON.stringify(Object.values(plan))}` }
}

function readMetric(deps: Pick<FundamentalsDeps, 'markets'>, sent: string): string {
  const names = readMetrics(deps.markets.metrics, sent) ?? []
  if (names.length === 1) return names[0]
  throw new Failure(
    'parameter_invalid',
    `metric=${sent.slice(0, 64)} names ${names.length} metrics; a cross-section has one. Ask once for each.`,
    { param: 'metric' },
  )
}

/** No day before the calendar's first. */
function earliest(asOf: IsoDate, days: number): IsoDate {
  const day = addDays(asOf, -days)
  return /^\d{4}-/.test(day) && day > firstDay ? day : firstDay
}

function readPlace(cursor: string, market: string): CompanyPlace {
  const place = readCursor(cursor)
  if (place.market === market) return place
  throw new Failure(
    'parameter_invalid',
    `cursor belongs to a page of market ${place.market}, not ${market}. Leave it out for the first page.`,
    { param: 'cursor' },
  )
}

function asOfRefused(principal: Principal): Failure {
  return new Failure(
    'licence_required',
    `as_of for all companies of a market needs an evaluation key or a Personal or Commercial data licence; this key has the ${principal.licence} licence. Leave as_of out for the most recent reported fiscal year of each.`,
    { param: 'as_of' },
  )
}
