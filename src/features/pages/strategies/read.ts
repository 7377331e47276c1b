import type { IsoDate } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import { pastDay } from '../../../markets/asOf.ts'
import { readMarket } from '../../../markets/parameters.ts'
import { lackingMetrics, type Strategy, strategyMetric } from '../../../markets/strategies/strategies.ts'
import type { PriceSet } from '../../../prices/priceQueries.ts'
import type { EventStore } from '../../asOfJoins/eventStore.ts'
import { findByAnyId, idOnDay, idsOnDay } from '../../companies/lookup.ts'
import { planCompany } from '../../fundamentals/plan.ts'
import type { PageViewer } from '../../marketPages/query.ts'
import { readCoverage } from '../../strategies/coverage.ts'
import { type RankedCompany, type Ranking, type RankingDeps, rankMarket } from '../../strategies/ranking.ts'
import type { CoverageYear } from '../../strategies/schema.ts'
import { type CompanyValue, valuesOfCompanies } from '../../strategies/values.ts'
import type { PageDeps } from '../deps.ts'
import { namesOf } from '../fields.ts'
import type { StrategyPageQuery } from './query.ts'

/** The companies that a list has at most. */
export const maxListed = 100

export interface StrategyPageDeps extends PageDeps {
  readonly events: EventStore
}

export type StrategyViewDeps = StrategyPageDeps & Pick<RankingDeps, 'valueCompanies'>

/** The prices that a visitor sees of a strategy. */
export interface SeenPrices {
  /** Null: the strategy takes none, or the visitor sees no set. */
  readonly set: PriceSet | null
  /** Why a strategy that takes prices has none; otherwise null. */
  readonly why: string | null
}

export interface StrategyView {
  readonly coverage: readonly CoverageYear[]
  /** The market of the charts and of the ranking. */
  readonly market: string
  readonly day: IsoDate
  readonly company: ChosenCompany | null
  /** Null if the visitor's licence does not include the values of a market, or if the strategy lacks prices. */
  readonly ranked: RankedList | null
  readonly prices: SeenPrices
}

export interface ChosenCompany {
  readonly ticker: string
  readonly name: string | null
  readonly market: string
  /** What the register of its market does not report. */
  readonly lacking: readonly string[]
  /** Null if the first input is not known. */
  readonly value: CompanyValue | null
  /** Whether the page chose it, as an example. */
  readonly isExample: boolean
}

export interface RankedList {
  readonly ranking: Ranking
  /** The decile that is listed; null with fewer than ten companies, all of which are listed. */
  readonly decile: number | null
  readonly rows: readonly RankedRow[]
  /** Whether only companies that the licence has counted are ranked. */
  readonly isOfSeen: boolean
}

export interface RankedRow extends RankedCompany {
  readonly value: CompanyValue
  readonly name: string | null
  /** An ID that names the company on the day. */
  readonly id: string
}

export async function readStrategyView(
  deps: StrategyViewDeps,
  viewer: PageViewer,
  strategy: Strategy,
  query: StrategyPageQuery,
  prices: SeenPrices,
): Promise<StrategyView> {
  const { markets } = strategyMetric(deps.markets.metrics, strategy)
  const market =
    query.market === undefined
      ? markets.includes('US')
        ? 'US'
        : markets[0]
      : readMarket(deps.markets, query.market, '')
  const today = deps.today()
  const day = query.as_of === undefined ? today : pastDay(query.as_of, today)
  const { coverage } = await readCoverage(deps, strategy)
  const { set, why } = prices
  const company = await readCompany(deps, viewer, strategy, query, day, set)
  const ranked =
    why === null && lackingMetrics(deps.markets.metrics, strategy, market).length === 0
      ? await readRanked(deps, viewer, strategy, { market, day, decile: query.decile ?? 10, set })
      : null
  return { coverage, market, day, company, ranked, prices }
}

/** The chosen company; for visitors without a licence and without a choice, one that is open to everybody. */
async function readCompany(
  deps: StrategyViewDeps,
  { rights }: PageViewer,
  strategy: Strategy,
  query: StrategyPageQuery,
  day: IsoDate,
  set: PriceSet | null,
): Promise<ChosenCompany | null> {
  const [example] = rights.openCompanies
  const sentId = query.company?.trim() ?? (rights.seesAllHistory ? undefined : example)
  if (sentId === undefined || sentId === '') return null
  const sent = { kind: 'day', day } as const
  const lookup = { ...deps, sql: deps.lookups }
  try {
    const found = await findByAnyId(lookup, sentId, sent)
    const { entity, ticker } = found
    if (!rights.seesHistoryOf(ticker.toUpperCase(), entity.ticker.toUpperCase()))
      throw new Failure(
        'licence_required',
        `The value of ${ticker} compares several fiscal years, so it requires an evaluation key or a Personal or Commercial data licence. Without one you see ${rights.openCompanies.join(', ') || 'no company'}.`,
        { param: 'company' },
      )
    // Counts the company for capped keys.
    await planCompany(deps, rights, { ticker: await idOnDay(lookup, found, sent), as_of: day })
    const lacking = lackingMetrics(deps.markets.metrics, strategy, entity.market)
    const scope = { market: entity.market, day, companies: [entity.entityId], set }
    const [value = null] = lacking.length > 0 ? [] : await valuesOfCompanies(deps, strategy, scope)
    const names = await namesOf(deps, [entity.ticker])
    return {
      ticker: entity.ticker,
      name: names.get(entity.ticker) ?? null,
      market: entity.market,
      lacking,
      value,
      isExample: query.company === undefined,
    }
  } catch (error) {
    const isUnknown = error instanceof Failure && error.code === 'entity_unknown'
    if (query.company === undefined && isUnknown) return null
    throw error
  }
}

interface RankedScope {
  readonly market: string
  readonly day: IsoDate
  readonly decile: number
  readonly set: PriceSet | null
}

async function readRanked(
  deps: StrategyViewDeps,
  { rights, allowance }: PageViewer,
  strategy: Strategy,
  { market, day, decile, set }: RankedScope,
): Promise<RankedList | null> {
  if (!rights.seesAllHistory) return null
  const ranking = await rankMarket(deps, strategy, { market, day, only: allowance?.seen ?? null, set })
  const hasDeciles = ranking.deciles.length > 0
  const listed = ranking.companies
    .filter(company => !hasDeciles || company.decile === decile)
    .slice(0, maxListed)
  const companies = listed.map(({ entityId }) => entityId)
  const values =
    companies.length === 0 ? [] : await valuesOfCompanies(deps, strategy, { market, day, companies, set })
  const byId = new Map(values.map(value => [value.entityId, value]))
  const known = values.map(({ ticker, issuerId }) => ({ ticker, issuer_id: issuerId }))
  const names = await namesOf(
    deps,
    known.map(({ ticker }) => ticker),
  )
  const ids = await idsOnDay(deps, known, { kind: 'day', day })
  const rows = listed.flatMap(company => {
    const value = byId.get(company.entityId)
    if (value === undefined) return []
    const { ticker } = value
    return [{ ...company, value, name: names.get(ticker) ?? null, id: ids.get(ticker) ?? ticker }]
  })
  return { ranking, decile: hasDeciles ? decile : null, rows, isOfSeen: allowance !== null }
}
