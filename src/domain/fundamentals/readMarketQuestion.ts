import { Failure } from '../../errors.ts'
import type { Principal } from '../../model/access.ts'
import type { IsoDate } from '../../model/date.ts'
import type { PageLimit } from '../../model/marketQuestion.ts'
import { isFreeData } from '../access/licensed.ts'
import type { FundamentalsDeps } from './deps.ts'
import { readPlace } from './marketCursor.ts'
import { readAsOf } from './readAsOf.ts'
import { readMarket } from './readMarket.ts'
import { readMetrics } from './readMetrics.ts'

export type MarketDeps = Pick<FundamentalsDeps, 'markets' | 'today'>

interface Sent {
  readonly metric: string
  readonly market: string
  readonly as_of?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** What every question for one metric of all companies of a market has in common. */
export interface MarketQuestion {
  readonly metric: string
  readonly market: string
  readonly asOf: IsoDate
  readonly limit: number
  /** The entity after which to continue; null: the first page. */
  readonly after: number | null
  /** The data version of the first page; null: this is it. */
  readonly firstVersion: number | null
  /** Demo and free keys: flagship companies are no exception where all are asked for. */
  readonly recentFiscalYearOnly: boolean
  readonly freeLicence: boolean
}

export function readMarketQuestion(
  deps: MarketDeps,
  principal: Principal,
  sent: Sent,
  limits: PageLimit,
): MarketQuestion {
  const free = isFreeData(principal)
  const metric = readMetric(deps, sent.metric)
  const market = readMarket(deps.markets, sent.market, '')
  const asOf = readAsOf(sent.as_of, deps.today())
  if (free && sent.as_of !== undefined) throw asOfRefused(principal)
  const limit = sent.limit ?? limits.usual
  const place = sent.cursor === undefined ? null : readPlace(sent.cursor, market, asOf)
  return {
    metric,
    market,
    asOf,
    limit: free ? Math.min(limit, limits.mostOfFree) : limit,
    after: place?.entityId ?? null,
    firstVersion: place?.dataVersion ?? null,
    recentFiscalYearOnly: free,
    freeLicence: free,
  }
}

/** Equal keys mean equal bytes while the data version stays the same. What a capped key is shown is its own: its
 * companies are counted while the answer is made. */
export function marketCacheKey(name: string, principal: Principal, plan: object): string {
  const viewer = principal.entityCap === null ? '' : `key ${principal.keyId}`
  return `${name} ${viewer} ${JSON.stringify(Object.values(plan))}`
}

function readMetric(deps: MarketDeps, sent: string): string {
  const names = readMetrics(deps.markets.metrics, sent) ?? []
  if (names.length === 1) return names[0]
  throw new Failure(
    'parameter_invalid',
    `metric=${sent.slice(0, 64)} names ${names.length} metrics; one is answered at a time. Ask once for each.`,
    { param: 'metric' },
  )
}

function asOfRefused(principal: Principal): Failure {
  return new Failure(
    'licence_required',
    `as_of for all companies of a market needs an evaluation key or a Personal or Commercial data licence; this key has the ${principal.licence} licence. Leave as_of out for the most recent reported fiscal year of each.`,
    { param: 'as_of' },
  )
}
