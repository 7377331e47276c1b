import { daysBefore, type IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { dayOf, knownByField } from '../../instants.ts'
import { type CheckState, readChecks } from '../../markets/checkStates.ts'
import { type CompanyState, readStates } from '../../markets/companyStates.ts'
import { type Grouping, readGrouping } from '../../markets/industries.ts'
import { readColumns } from '../../markets/parameters.ts'
import type { Sql } from '../../postgres/client.ts'
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
import { rankMarket } from './ranking.ts'
import { comparisonNotes, type RankingAnswer, rankingFields } from './rankingFields.ts'
import {
  type CrossSection,
  type CrossSectionPeriod,
  type CrossSectionQuery,
  crossSectionLimit,
  maxColumns,
} from './schema.ts'

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
  readonly cacheKey: string
}

export function planCrossSection(
  deps: MarketDeps,
  viewer: PageViewer,
  query: CrossSectionQuery,
  bounds: ReadonlyMap<string, number> = new Map(),
): CrossSectionPlan {
  const metrics = readColumns(deps.markets.metrics, query.metric)
  const filters = readFilters(deps.markets.metrics, bounds)
  const comparison = readComparison(deps.markets, query, metrics, filters)
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
    ],
  })
  const plan = {
    metric: metrics[0],
    ...question,
    metrics,
    filters,
    ...comparison,
    sector: query.sector ?? null,
    grouping,
    universe,
    checks,
    period,
    fp: period === 'latest' ? null : fiscalPeriods.indexOf(period),
    maxAgeDays,
    from: maxAgeDays === null ? null : daysBefore(dayOf(question.asOf), maxAgeDays),
  }
  return { ...plan, cacheKey: marketCacheKey('cross-section', viewer.rights, plan) }
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
  deps: Pick<CompanyDeps, 'sql' | 'markets' | 'cursors'>,
  rights: Rights,
  plan: CrossSectionPlan,
): Promise<CrossSection> {
  const { page, groupOfEntity } = await withGroups(deps.sql, plan, () => readRows(deps.sql, plan))
  const { rows, ranking } = page
  await countRows(deps, rights, plan, rows)
  const next = nextCompany(plan, page)
  const source = deps.markets.get(plan.market)?.source_notice ?? plan.market
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
    ...(plan.filters.length === 0 ? {} : { filters: [...plan.filters] }),
    ...rankingFields(plan, ranking),
    ...pageFields(deps, plan, { ...page, next }, notes),
    data: rows.map(row => ({
      ticker: row.ticker,
      issuer_id: row.issuerId,
      ...(plan.grouping === null ? {} : { group: groupOfEntity(row.entityId) }),
      fy: row.fy,
      fp: fiscalPeriods[row.fp],
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
async function readRows(sql: Sql, plan: CrossSectionPlan): Promise<FoundRows> {
  const { sort } = plan
  if (sort === null) return { ...(await readPage(sql, plan)), ranking: null }
  return rankMarket(sql, { ...plan, sort }, async (snapshot, ranking) => {
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
  })
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
  const filtered = `${ofCheck}${describeFilters(plan.filters)}${ofSector}${ofGroup}${inCurrency}${ofState}`
  const bounds = plan.period === 'latest' ? '' : ` with fp=${plan.period}`
  const aged = plan.from === null ? '' : ` and an end on or after ${plan.from}`
  return explainEmptyPage(deps, plan, hasMore, {
    onPage: `No company on this page reports ${metric}${filtered} for its most recent fiscal year`,
    afterCursor: `No company after this cursor reports ${metric}${filtered}.`,
    atAll: `No company of market ${market} reports ${metric}${filtered}${bounds}${aged} in filings up to ${asOf}.`,
  })
}
