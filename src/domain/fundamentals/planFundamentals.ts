import { Failure } from '../../errors.ts'
import type { Principal } from '../../model/access.ts'
import { type IsoDate, isIsoDate } from '../../model/date.ts'
import { type FundamentalsQuery, idPattern } from '../../model/fundamentals.ts'
import { type EntityIdentity, findEntity } from '../../store/fundamentals/findEntity.ts'
import { isFreeData } from '../access/licensed.ts'
import type { FundamentalsDeps } from './deps.ts'
import { nearIds } from './nearIds.ts'
import { readMetrics } from './readMetrics.ts'

/** Who sees what, decided: plain data, and everything that `readFundamentals` needs. */
export interface FundamentalsPlan {
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly name: string | null
  readonly market: string
  /** The same entity's ID with the other suffix, where the register does not say which is right. */
  readonly twin: string | null
  readonly asOf: IsoDate
  readonly view: 'history' | 'latest'
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

const idShape = new RegExp(idPattern)

export async function planFundamentals(
  deps: FundamentalsDeps,
  principal: Principal,
  query: FundamentalsQuery,
): Promise<FundamentalsPlan> {
  const today = deps.today()
  const ticker = readTicker(query)
  const asOf = readAsOf(query.as_of, today)
  const from = query.from === undefined ? null : readDay('from', query.from)
  const metrics = readMetrics(deps.markets.metrics, query.metric)
  const wanted = readMarket(deps, query.market)
  const entity = await resolve(deps, ticker)
  const freeLicence = isFreeData(principal)
  const restricted = freeLicence && !deps.flagship.has(entity.ticker) && !deps.flagship.has(entity.preferred)
  if (restricted && query.as_of !== undefined) throw asOfRefused(deps, principal, entity)
  await record(deps, principal, entity)
  const plan = {
    entityId: entity.entityId,
    ticker: entity.ticker,
    issuerId: entity.issuerId,
    name: entity.name,
    market: entity.market,
    twin: entity.twin,
    asOf,
    view: query.view ?? 'history',
    metrics,
    from,
    otherMarket: wanted === null || wanted === entity.market ? null : wanted,
    recentFiscalYearOnly: restricted,
    freeLicence,
  }
  return { ...plan, cacheKey: JSON.stringify(Object.values(plan)) }
}

function readTicker(query: FundamentalsQuery): string {
  for (const param of ['limit', 'cursor'] as const) {
    if (query[param] !== undefined) {
      throw new Failure(
        'parameter_invalid',
        `${param} pages the coverage index and does not go with ticker. Leave one of the two out.`,
        { param },
      )
    }
  }
  const sent = query.ticker ?? ''
  if (idShape.test(sent)) return sent.toUpperCase()
  throw new Failure(
    'parameter_invalid',
    `ticker=${sent.slice(0, 40)}: an entity ID has 1 to 32 letters, digits, dots, hyphens or underscores, like AAPL or 2330.TW. GET /api/search?q= finds it from a name.`,
    { param: 'ticker' },
  )
}

function readAsOf(sent: string | undefined, today: IsoDate): IsoDate {
  if (sent === undefined) return today
  const day = readDay('as_of', sent)
  if (day <= today) return day
  throw new Failure(
    'parameter_invalid',
    `as_of=${sent} lies in the future: today is ${today} (UTC). Send a day up to today, or leave as_of out.`,
    { param: 'as_of' },
  )
}

function readDay(param: 'as_of' | 'from', sent: string): IsoDate {
  if (isIsoDate(sent)) return sent
  throw new Failure(
    'parameter_invalid',
    `${param}=${sent.slice(0, 40)} is no day: send one that exists, as YYYY-MM-DD, for example 2010-02-01.`,
    { param },
  )
}

function readMarket(deps: FundamentalsDeps, sent: string | undefined): string | null {
  if (sent === undefined) return null
  const code = sent.toUpperCase()
  if (deps.markets.get(code) !== undefined) return code
  throw new Failure(
    'parameter_invalid',
    `market=${sent.slice(0, 40)}: one of ${deps.markets.codes.join(', ')} is needed, or none.`,
    { param: 'market' },
  )
}

async function resolve(deps: FundamentalsDeps, ticker: string): Promise<EntityIdentity> {
  const entity = await (deps.entities ? deps.entities.find(ticker) : findEntity(deps.sql, ticker))
  if (entity !== null) return entity
  const near = await nearIds(deps.sql, deps.markets.manifests, ticker)
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
  throw new Failure(
    'entity_unknown',
    `ticker=${ticker} names no entity here.${hint} GET /api/search?q= finds an ID from a name, GET /api/v1/coverage/{id} from a register number.`,
    { param: 'ticker', near },
  )
}

function asOfRefused(deps: FundamentalsDeps, principal: Principal, entity: EntityIdentity): Failure {
  const flagship = [...deps.flagship].join(', ') || 'no company'
  return new Failure(
    'licence_required',
    `as_of for ${entity.ticker} needs an evaluation key or a Personal or Commercial data licence: with the ${principal.licence} licence it is open for ${flagship}. Leave as_of out for the most recent reported fiscal year.`,
    { param: 'as_of' },
  )
}

async function record(deps: FundamentalsDeps, principal: Principal, entity: EntityIdentity): Promise<void> {
  const { keyId, entityCap } = principal
  if (keyId === null || entityCap === null) return
  if (await deps.recordEntity(keyId, entity.entityId, entityCap)) return
  throw new Failure(
    'entity_cap_reached',
    `This ${principal.licence} key has seen its ${entityCap.toLocaleString('en-US')} distinct entities, and ${entity.ticker} is not one of them. Those stay open; a Personal or Commercial data licence opens all.`,
    { param: 'ticker' },
  )
}
