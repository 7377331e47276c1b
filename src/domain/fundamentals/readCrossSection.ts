import type { Principal } from '../../model/access.ts'
import type { CrossSection } from '../../model/crossSection.ts'
import { fiscalPeriods } from '../../model/fundamentals.ts'
import { crossSectionRows } from '../../store/fundamentals/crossSectionRows.ts'
import { aboutPage } from './aboutPage.ts'
import type { FundamentalsDeps } from './deps.ts'
import { explainEmptyPage } from './explainEmptyPage.ts'
import { plainZero } from './plainZero.ts'
import type { CrossSectionPlan } from './planCrossSection.ts'
import { recordSeen } from './recordSeen.ts'

/** One metric of every company of a market, a page of it. The companies on the page count against the key's cap. */
export async function readCrossSection(
  deps: Pick<FundamentalsDeps, 'sql' | 'markets' | 'recordEntities'>,
  principal: Principal,
  plan: CrossSectionPlan,
): Promise<CrossSection> {
  const page = await crossSectionRows(deps.sql, plan)
  const { rows, next } = page
  const seen = rows.map(row => row.entityId)
  await recordSeen(deps, principal, seen, 'this page', 'limit', ', a smaller limit may still fit')
  const source = deps.markets.get(plan.market)?.source_notice ?? plan.market
  const note = rows.length === 0 ? explainNothing(deps, plan, next !== null) : restriction(plan)
  return {
    object: 'cross_section',
    metric: plan.metric,
    market: plan.market,
    as_of: plan.asOf,
    fp: plan.period,
    max_age_days: plan.maxAgeDays,
    ...aboutPage(deps, plan, page, [note]),
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
    })),
  }
}

function restriction(plan: CrossSectionPlan): string | null {
  if (!plan.recentFiscalYearOnly) return null
  return 'Of each company the most recent reported fiscal year only. as_of needs an evaluation key or a Personal or Commercial data licence.'
}

function explainNothing(
  deps: Pick<FundamentalsDeps, 'markets'>,
  plan: CrossSectionPlan,
  hasMore: boolean,
): string {
  const { market, metric, asOf } = plan
  const bounds = plan.period === 'latest' ? '' : ` with fp=${plan.period}`
  const aged = plan.from === null ? '' : ` and an end on or after ${plan.from}`
  return explainEmptyPage(deps, plan, hasMore, {
    onPage: `No company on this page has ${metric} of its most recent fiscal year`,
    afterCursor: `No company after the place that cursor names has ${metric}.`,
    atAll: `No company of market ${market} had stated ${metric}${bounds}${aged} by ${asOf}.`,
  })
}
