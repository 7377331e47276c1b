import type { Principal } from '../../access/licences.ts'
import { addDays, type IsoDate } from '../../dates.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { plainZero } from '../fundamentals/read.ts'
import { fiscalPeriods } from '../fundamentals/schema.ts'
import { countPage } from '../marketPages/answer.ts'
import { explainEmptyPage, pageFields } from '../marketPages/page.ts'
import {
  type MarketDeps,
  type MarketQuery,
  marketCacheKey,
  resolveMarketQuery,
} from '../marketPages/query.ts'
import { crossSectionRows } from './queries.ts'
import {
  type CrossSection,
  type CrossSectionPeriod,
  type CrossSectionQuery,
  crossSectionLimit,
} from './schema.ts'

const firstDay = '0001-01-01'

/** A request for a cross-section, decided: who may see what, as plain data. */
export interface CrossSectionPlan extends MarketQuery {
  readonly period: CrossSectionPeriod
  /** 0 the year, 1 to 4 a quarter, null the latest period of any kind. */
  readonly fp: number | null
  readonly maxAgeDays: number | null
  /** Earliest period end; null: no bound. */
  readonly from: IsoDate | null
  readonly cacheKey: string
}

export function planCrossSection(
  deps: MarketDeps,
  principal: Principal,
  query: CrossSectionQuery,
): CrossSectionPlan {
  const question = resolveMarketQuery(deps, principal, query, crossSectionLimit)
  const period = query.fp ?? 'FY'
  const maxAgeDays = query.max_age_days ?? null
  const plan = {
    ...question,
    period,
    fp: period === 'latest' ? null : fiscalPeriods.indexOf(period),
    maxAgeDays,
    from: maxAgeDays === null ? null : earliest(question.asOf, maxAgeDays),
  }
  return { ...plan, cacheKey: marketCacheKey('cross-section', principal, plan) }
}

/** Not before the first day of PostgreSQL's calendar that the API can show. */
function earliest(asOf: IsoDate, days: number): IsoDate {
  const day = addDays(asOf, -days)
  return /^\d{4}-/.test(day) && day > firstDay ? day : firstDay
}

/** A page of one metric of every company of a market. The companies on the page count against the key's cap. */
export async function readCrossSection(
  deps: Pick<CompanyDeps, 'sql' | 'markets'>,
  principal: Principal,
  plan: CrossSectionPlan,
): Promise<CrossSection> {
  const page = await crossSectionRows(deps.sql, plan)
  const { rows, next } = page
  await countPage(deps, principal, rows)
  const source = deps.markets.get(plan.market)?.source_notice ?? plan.market
  const notes = [rows.length === 0 ? emptyPageNote(deps, plan, next !== null) : null, restriction(plan)]
  return {
    object: 'cross_section',
    metric: plan.metric,
    market: plan.market,
    as_of: plan.asOf,
    fp: plan.period,
    max_age_days: plan.maxAgeDays,
    ...pageFields(deps, plan, page, notes),
    data: rows.map(row => ({
      ticker: row.ticker,
      issuer_id: row.issuerId,
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
    })),
  }
}

function restriction(plan: CrossSectionPlan): string | null {
  if (!plan.recentFiscalYearOnly) return null
  return 'This key sees only the most recent reported fiscal year of each company. as_of requires an evaluation key or a Personal or Commercial data licence.'
}

function emptyPageNote(deps: Pick<CompanyDeps, 'markets'>, plan: CrossSectionPlan, hasMore: boolean): string {
  const { market, metric, asOf } = plan
  const bounds = plan.period === 'latest' ? '' : ` with fp=${plan.period}`
  const aged = plan.from === null ? '' : ` and an end on or after ${plan.from}`
  return explainEmptyPage(deps, plan, hasMore, {
    onPage: `No company on this page reports ${metric} for its most recent fiscal year`,
    afterCursor: `No company after this cursor reports ${metric}.`,
    atAll: `No company of market ${market} reports ${metric}${bounds}${aged} in filings up to ${asOf}.`,
  })
}
