import { recordSeen } from '../../access/entityCap.ts'
import { isFreeData, type Principal } from '../../access/licences.ts'
import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { readAsOf, readDay } from '../../facts/asOf.ts'
import { readMarket, readMetrics } from '../../markets/parameters.ts'
import type { FundamentalsDeps } from '../companies/deps.ts'
import { resolveEntities } from '../companies/lookup.ts'
import type { EntityIdentity } from '../companies/queries.ts'
import { type FundamentalsQuery, idPattern, maxTickers, type Vintage } from './schema.ts'

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

/** Who sees what of several companies, decided; each as when it is asked for alone. */
export interface BatchPlan {
  readonly asked: Asked
  /** In the order of the question. */
  readonly companies: readonly FundamentalsPlan[]
  readonly freeLicence: boolean
  /** Equal keys mean equal bytes while the data version stays the same. */
  readonly cacheKey: string
}

export async function planBatch(
  deps: FundamentalsDeps,
  principal: Principal,
  query: FundamentalsQuery,
): Promise<BatchPlan> {
  const tickers = readTickers(query)
  const asked = readAsked(deps, query)
  const entities = await resolveEntities(deps, tickers)
  const companies = entities.map(entity => planCompany(deps, principal, query, asked, entity))
  const ids = [...new Set(entities.map(entity => entity.entityId))]
  await recordSeen(deps, principal, ids, 'this list', 'ticker', ', a shorter list may still fit')
  return {
    asked,
    companies,
    freeLicence: companies[0].freeLicence,
    cacheKey: `batch ${companies.map(company => company.cacheKey).join(' ')}`,
  }
}

const idShape = new RegExp(idPattern)

/** The IDs of a request in upper case, in the order of the question. One that is named twice would double its rows in
 * whatever is made of the answer, and is refused. */
export function readTickers(query: FundamentalsQuery): string[] {
  for (const param of ['limit', 'cursor'] as const) {
    if (query[param] !== undefined) {
      throw new Failure(
        'parameter_invalid',
        `${param} pages the coverage index and does not go with ticker. Leave one of the two out.`,
        { param },
      )
    }
  }
  const sent = (query.ticker ?? '').split(',').map(id => id.trim())
  if (sent.length > maxTickers) {
    throw refused(
      `ticker names ${sent.length.toLocaleString('en-US')} companies; at most ${maxTickers} are answered at a time.`,
    )
  }
  const tickers = new Set<string>()
  for (const id of sent) {
    if (!idShape.test(id)) {
      const what = id === '' && sent.length > 1 ? 'ticker has an empty ID' : `ticker=${id.slice(0, 40)}`
      throw refused(
        `${what}: an entity ID has 1 to 32 letters, digits, dots, hyphens or underscores, like AAPL or 2330.TW. GET /api/search?q= finds it from a name.`,
      )
    }
    const ticker = id.toUpperCase()
    if (tickers.has(ticker)) throw refused(`ticker names ${ticker} more than once. Name each company once.`)
    tickers.add(ticker)
  }
  return [...tickers]
}

const refused = (message: string) => new Failure('parameter_invalid', message, { param: 'ticker' })
