import { Failure } from '../../errors.ts'
import type { Principal } from '../../model/access.ts'
import type { IsoDate } from '../../model/date.ts'
import type { FundamentalsQuery, Vintage } from '../../model/fundamentals.ts'
import type { EntityIdentity } from '../../store/fundamentals/findNamed.ts'
import { isFreeData } from '../access/licensed.ts'
import type { FundamentalsDeps } from './deps.ts'
import { readAsOf, readDay } from './readAsOf.ts'
import { readMarket } from './readMarket.ts'
import { readMetrics } from './readMetrics.ts'
import { readTickers } from './readTickers.ts'
import { recordSeen } from './recordSeen.ts'
import { resolveEntities } from './resolveEntities.ts'

/** Who sees what, decided: plain data, and everything that `readFundamentals` needs. */
export interface FundamentalsPlan {
  /** Under which `entityId` to `twin` are so. */
  readonly dataVersion: number
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly name: string | null
  readonly market: string
  /** The same entity's ID with the other suffix, where the register does not say which is right. */
  readonly twin: string | null
  readonly asOf: IsoDate
  readonly view: 'history' | 'latest'
  readonly vintage: Vintage
  /** null: all. */
  readonly metrics: readonly string[] | null
  readonly from: IsoDate | null
  /** The market that was asked for where it is not the entity's: there are no rows then. */
  readonly otherMarket: string | null
  /** Demo and free keys outside the flagship companies. */
  readonly recentFiscalYearOnly: boolean
  /** The answer carries the Free Licence. */
  readonly freeLicence: boolean
  /** Equal keys mean equal bytes while the data version stays the same. */
  readonly cacheKey: string
}

export async function planFundamentals(
  deps: FundamentalsDeps,
  principal: Principal,
  query: FundamentalsQuery,
): Promise<FundamentalsPlan> {
  const [ticker, ...others] = readTickers(query)
  if (others.length > 0) throw new Error('Several companies are planned by planBatch.')
  const asked = readAsked(deps, query)
  const [entity] = await resolveEntities(deps, [ticker])
  const plan = planCompany(deps, principal, query, asked, entity)
  await recordSeen(deps, principal, [entity.entityId], entity.ticker, 'ticker')
  return plan
}

/** What a request asks of each of its companies. */
export interface Asked {
  readonly asOf: IsoDate
  readonly view: 'history' | 'latest'
  readonly vintage: Vintage
  readonly metrics: readonly string[] | null
  readonly from: IsoDate | null
  readonly market: string | null
}

export function readAsked(deps: FundamentalsDeps, query: FundamentalsQuery): Asked {
  const view = query.view ?? 'history'
  if (view === 'latest' && query.vintage !== undefined) {
    throw new Failure(
      'parameter_invalid',
      `vintage=${query.vintage} chooses among the vintages of view=history; view=latest always shows the one that is current on as_of. Leave one of the two out.`,
      { param: 'vintage' },
    )
  }
  return {
    asOf: readAsOf(query.as_of, deps.today()),
    view,
    vintage: query.vintage ?? 'all',
    metrics: readMetrics(deps.markets.metrics, query.metric),
    from: query.from === undefined ? null : readDay('from', query.from),
    market: query.market === undefined ? null : readMarket(deps.markets, query.market),
  }
}

/** What the caller is shown of one company. */
export function planCompany(
  deps: FundamentalsDeps,
  principal: Principal,
  query: FundamentalsQuery,
  asked: Asked,
  entity: EntityIdentity,
): FundamentalsPlan {
  const freeLicence = isFreeData(principal)
  const restricted = freeLicence && !deps.flagship.has(entity.ticker) && !deps.flagship.has(entity.preferred)
  if (restricted && query.as_of !== undefined) throw asOfRefused(deps, principal, entity)
  const { market: wanted, ...rest } = asked
  const plan = {
    entityId: entity.entityId,
    ticker: entity.ticker,
    issuerId: entity.issuerId,
    name: entity.name,
    market: entity.market,
    twin: entity.twin,
    ...rest,
    otherMarket: wanted === null || wanted === entity.market ? null : wanted,
    recentFiscalYearOnly: restricted,
    freeLicence,
  }
  return { ...plan, dataVersion: entity.dataVersion, cacheKey: JSON.stringify(Object.values(plan)) }
}

function asOfRefused(deps: FundamentalsDeps, principal: Principal, entity: EntityIdentity): Failure {
  const flagship = [...deps.flagship].join(', ') || 'no company'
  return new Failure(
    'licence_required',
    `as_of for ${entity.ticker} needs an evaluation key or a Personal or Commercial data licence: with the ${principal.licence} licence it is open for ${flagship}. Leave as_of out for the most recent reported fiscal year.`,
    { param: 'as_of' },
  )
}
