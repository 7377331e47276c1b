import { daysBefore, type IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { dayOf, knownByField } from '../../instants.ts'
import { type CheckState, readChecks } from '../../markets/checkStates.ts'
import { type CompanyState, readStates } from '../../markets/companyStates.ts'
import { type Grouping, readGrouping } from '../../markets/industries.ts'
import { readColumns } from '../../markets/parameters.ts'
import { findValuation } from '../../markets/valuations.ts'
import type { SqlClient } from '../../postgres/client.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { plainZero } from '../fundamentals/read.ts'
import { fiscalPeriods } from '../fundamentals/schema.ts'
import { countRows } from '../marketPages/answer.ts'
import { explainEmptyPage, nextCompany, pageFields } from '../marketPages/page.ts'
import {
  type MarketDeps,
  type MarketQuery,
  marketCacheKey,
  type PageViewer,
  resolveMarketPage,
} from '../marketPages/query.ts'
import { type Comparison, readComparison } from './comparison.ts'
import { describeFilters, type Filter, readFilters } from './filters.ts'
import { withGroups } from './groupQueries.ts'
import { crossSectionRows, type CrossSectionRow as FoundRow } from './queries.ts'
import { readPage } from './rangeQueries.ts'
import { maxSorted, type Ranking, rankMarket } from './ranking.ts'
import { comparisonNotes, type RankingAnswer, rankingFields } from './rankingFields.ts'
import {
  type CrossSection,
  type CrossSectionPeriod,
  type CrossSectionQuery,
  crossSectionLimit,
  maxColumns,
} from './schema.ts'
import type { TableCompany } from './tablePage.ts'
import {
  metricsWithValuations,
  periodName,
  requireDay,
  type ValueCompanies,
  type ValuedPart,
} from './valued.ts'

/** A cross-section request after all decisions about access, as plain data. */
export interface CrossSectionPlan extends MarketQuery, Comparison {
  /** In the order of the request. With a single metric, the response has no columns. */
  readonly metrics: readonly string[]
  readonly filters: readonly Filter[]
  readonly sector: string | null
  readonly grouping: Grouping | null
  readonly universe: readonly CompanyState[] | null
  readonly checks: readonly CheckState[] | null
  readonly period: CrossSectionPeriod
  /**
   * 0 for the year, 1 to 4 for a quarter, 5 for the trailing twelve months; null for the latest period of any
   * kind.
   */
  readonly fp: number | null
  readonly maxAgeDays: number | null
  /** Earliest period end, or null. */
  readonly from: IsoDate | null
  /** Null if the request names no valuation. */
  readonly valued: ValuedPart | null
  readonly cacheKey: string
}

/** @param set of prices that the viewer may see (`pricesOfRequest`); null: the request names no valuation */
export function planCrossSection(
  deps: MarketDeps,
  viewer: PageViewer,
  query: CrossSectionQuery,
  bounds: ReadonlyMap<string, number> = new Map(),
  set: PriceSet | null = null,
): CrossSectionPlan {
  const known = set === null ? deps.markets.metrics : metricsWithValuations(deps.markets.metrics)
  const metrics = readColumns(known, query.metric)
  const filters = readFilters(known, bounds)
  const comparison = readComparison({ metrics: known, get: deps.markets.get }, query, metrics, filters)
  const { sort, inCurrency } = comparison
  const grouping = query.group === undefined ? null : readGrouping(query.group)
  const universe = query.universe === undefined ? null : readStates('universe', query.universe)
  const checks = readChecks(query.checks)
  checkCount(metrics, filters, sort === null ? [] : [sort.metric])
  const period = query.fp ?? 'FY'
  const maxAgeDays = query.max_age_days ?? null
  const question = resolveMarketPage(deps, viewer, query, {
    route: 'cross-section',
    limits: crossSectionLimit,
    query: [
      metrics,
      filters,
      query.sector,
      period,
      maxAgeDays,
      ...(sort === null && inCurrency === null ? [] : [sort, inCurrency]),
      ...(grouping === null && universe === null ? [] : [{ grouping, universe }]),
      ...(checks === null ? [] : [{ checks }]),
      ...(set === null ? [] : [{ prices: set.priceSetId }]),
    ],
  })
  const valued = set === null ? null : valuedPart(set, metrics, filters, sort, maxAgeDays)
  if (valued !== null) requireDay(question, valued.metrics[0])
  const plan = {
    metric: metrics[0],
    ...question,
    metrics,
    filters: filters.filter(({ metric }) => findValuation(metric) === undefined),
    ...comparison,
    sector: query.sector ?? null,
    grouping,
    universe,
    checks,
    period,
    fp: period === 'latest' ? null : fiscalPeriods.indexOf(period),
    maxAgeDays,
    from: maxAgeDays === null ? null : daysBefore(dayOf(question.asOf), maxAgeDays),
    valued,
  }
  return { ...plan, cacheKey: marketCacheKey('cross-section', viewer.rights, plan) }
}

function valuedPart(
  set: PriceSet,
  metrics: readonly string[],
  filters: readonly Filter[],
  sort: Comparison['sort'],
  maxAgeDays: number | null,
): ValuedPart {
  const named = [...metrics, ...filters.map(({ metric }) => metric), ...(sort === null ? [] : [sort.metric])]
  return {
    set,
    metrics: [...new Set(named)].filter(name => findValuation(name) !== undefined),
    filters: filters.filter(({ metric }) => findValuation(metric) !== undefined),
    maxAgeDays,
  }
}

/** All bounds of a request, ordered by metric. */
export const filtersOf = ({ filters, valued }: Pick<CrossSectionPlan, 'filters' | 'valued'>): Filter[] =>
  [...filters, ...(valued?.filters ?? [])].sort((a, b) => (a.metric < b.metric ? -1 : 1))

/** What a read of a market needs. */
export interface CrossSectionDeps extends Pick<CompanyDeps, 'sql' | 'markets' | 'cursors'> {
  /** Only used for requests that name valuations. */
  readonly valueCompanies?: ValueCompanies
}

function checkCount(metrics: readonly string[], filters: readonly Filter[], sorted: readonly string[]): void {
  const all = new Set([...metrics, ...filters.map(({ metric }) => metric), ...sorted])
  if (all.size <= maxColumns) return
  throw new Failure(
    'parameter_invalid',
    `The request names ${all.size} metrics, those of min_, max_ and sort included; the limit is ${maxColumns}. Send the others in a second request.`,
    { param: 'metric' },
  )
}

/**
 * A page of one metric of every company of a market. The companies on the page count against the key's cap.
 */
export async function readCrossSection(
  deps: CrossSectionDeps,
  rights: Rights,
  plan: CrossSectionPlan,
): Promise<CrossSection> {
  const { page, groupOfEntity } = await withGroups(deps.sql, plan, () => readRows(deps, plan))
  const { rows, ranking } = page
  await countRows(deps, rights, plan, rows)
  const next = nextCompany(plan, page)
  const source = sourceOf(deps, plan, findValuation(plan.metric) !== undefined)
  const notes = [
    rows.length === 0 ? emptyPageNote(deps, plan, next !== null) : null,
    ...comparisonNotes(plan, ranking),
    restriction(plan),
  ]
  return {
    object: 'cross_section',
    metric: plan.metric,
    market: plan.market,
    as_of: plan.asOf,
    fp: plan.period,
    max_age_days: plan.maxAgeDays,
    ...(plan.sector === null ? {} : { sector: plan.sector }),
    ...selectionFields(plan),
    ...filterFields(plan),
    ...rankingFields(plan, ranking),
    ...pageFields(deps, plan, { ...page, next }, notes),
    data: rows.map(row => ({
      ticker: row.ticker,
      issuer_id: row.issuerId,
      ...(plan.grouping === null ? {} : { group: groupOfEntity(row.entityId) }),
      fy: row.fy,
      fp: periodName(row.fp),
      end: row.end,
      filed: row.filed,
      value: plainZero(row.value),
      unit: row.unit,
      source,
      until: null,
      kind: row.derived ? 'derived' : 'stated',
      ...(row.earlier ? { generation: 'earlier' } : {}),
      ...knownByField(row.byTime),
    })),
  }
}

/** The bounds that were sent, and the set of prices. */
export const filterFields = (plan: Pick<CrossSectionPlan, 'filters' | 'valued'>) => {
  const filters = filtersOf(plan)
  return {
    ...(filters.length === 0 ? {} : { filters }),
    ...(plan.valued === null ? {} : { price_set: plan.valued.set.name }),
  }
}

/** The source of a row, which names the set of prices if it shows a valuation. */
export function sourceOf(
  { markets }: Pick<CompanyDeps, 'markets'>,
  { market, valued }: Pick<CrossSectionPlan, 'market' | 'valued'>,
  showsValuation: boolean,
): string {
  const source = markets.get(market)?.source_notice ?? market
  return valued === null || !showsValuation ? source : `${source}; prices: ${valued.set.name}`
}

/** The parameters that select companies by other criteria than figures, if they were sent. */
export const selectionFields = ({
  grouping,
  universe,
  checks,
}: Pick<CrossSectionPlan, 'grouping' | 'universe' | 'checks'>) => ({
  ...(grouping === null
    ? {}
    : {
        group: grouping.codes === null ? grouping.scheme : `${grouping.scheme}:${grouping.codes.join(',')}`,
      }),
  ...(universe === null ? {} : { universe: universe.join(',') }),
  ...(checks === null ? {} : { checks: checks.join(',') }),
})

interface FoundRows {
  readonly dataVersion: number
  readonly rows: readonly FoundRow[]
  readonly next: number | null
  readonly nextValue?: number | null
  readonly ranking: RankingAnswer | null
}

/**
 * In the order of the request. For a ranking, the companies of the page are found first and then their rows.
 */
async function readRows(
  { sql, valueCompanies }: CrossSectionDeps,
  plan: CrossSectionPlan,
): Promise<FoundRows> {
  const { sort, valued } = plan
  if (sort === null && valued === null) return { ...(await readPage(sql, plan)), ranking: null }
  const readOthers = async (snapshot: SqlClient, ranking: Ranking): Promise<FoundRows> => {
    if (findValuation(plan.metric) !== undefined)
      return { ...ranking, rows: ranking.rows.flatMap(company => valuedRow(company, plan.metric)), ranking }
    const seen = ranking.rows.map(({ entityId }) => entityId)
    const found = {
      ...plan,
      filters: [],
      sector: null,
      grouping: null,
      universe: null,
      inCurrency: null,
      seen,
      after: null,
      limit: seen.length,
    }
    const { rows } = await crossSectionRows(snapshot, found)
    const rowOf = new Map(rows.map(row => [row.entityId, row]))
    return { ...ranking, rows: seen.flatMap(entityId => rowOf.get(entityId) ?? []), ranking }
  }
  return rankMarket(sql, plan, readOthers, maxSorted, valueCompanies)
}

function valuedRow({ entityId, ticker, issuerId, figures }: TableCompany, metric: string): FoundRow[] {
  const figure = figures.get(metric)
  return figure === undefined ? [] : [{ entityId, ticker, issuerId, ...figure, derived: true }]
}

export function restriction(plan: CrossSectionPlan): string | null {
  if (!plan.recentFiscalYearOnly) return null
  return 'This key sees only the most recent reported fiscal year of each company. as_of requires an evaluation key or a Personal or Commercial data licence.'
}

export function emptyPageNote(
  deps: Pick<CompanyDeps, 'markets'>,
  plan: CrossSectionPlan,
  hasMore: boolean,
): string {
  const { market, asOf } = plan
  const metric = plan.metrics.join(' or ')
  const ofSector = plan.sector === null ? '' : ` with an SIC code of ${plan.sector}`
  const inCurrency = plan.inCurrency === null ? '' : ` in ${plan.inCurrency.code}`
  const ofGroup = plan.grouping?.codes == null ? '' : ` in the group ${plan.grouping.codes.join(' or ')}`
  const ofState = plan.universe === null ? '' : ` and was ${plan.universe.join(' or ')}`
  const ofCheck = plan.checks === null ? '' : ` in the state ${plan.checks.join(' or ')}`
  const filtered = `${ofCheck}${describeFilters(filtersOf(plan))}${ofSector}${ofGroup}${inCurrency}${ofState}`
  const bounds = plan.period === 'latest' ? '' : ` with fp=${plan.period}`
  const priced = plan.valued === null ? '' : ` and prices of ${plan.valued.set.name}`
  const aged = plan.from === null ? '' : ` and an end on or after ${plan.from}`
  return explainEmptyPage(deps, plan, hasMore, {
    onPage: `No company on this page reports ${metric}${filtered} for its most recent fiscal year`,
    afterCursor: `No company after this cursor reports ${metric}${filtered}.`,
    atAll: `No company of market ${market} reports ${metric}${filtered}${bounds}${aged} in filings up to ${asOf}${priced}.`,
  })
}
