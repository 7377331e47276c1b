import type { Principal } from '../../model/access.ts'
import type { CrossSection } from '../../model/crossSection.ts'
import { freeLicenceNotice } from '../../model/freeLicence.ts'
import { fiscalPeriods } from '../../model/fundamentals.ts'
import { crossSectionRows } from '../../store/fundamentals/crossSectionRows.ts'
import type { FundamentalsDeps } from './deps.ts'
import { writePlace } from './marketCursor.ts'
import { plainZero } from './plainZero.ts'
import type { CrossSectionPlan } from './planCrossSection.ts'
import { recordSeen } from './recordSeen.ts'

/** One metric of every company of a market, a page of it. The companies on the page count against the key's cap. */
export async function readCrossSection(
  deps: Pick<FundamentalsDeps, 'sql' | 'markets' | 'recordEntities'>,
  principal: Principal,
  plan: CrossSectionPlan,
): Promise<CrossSection> {
  const { dataVersion, rows, next } = await crossSectionRows(deps.sql, plan)
  const seen = rows.map(row => row.entityId)
  await recordSeen(deps, principal, seen, 'this page', 'limit', ', a smaller limit may still fit')
  const manifest = deps.markets.get(plan.market)
  const source = manifest?.source_notice ?? plan.market
  const note = rows.length === 0 ? explainNothing(deps, plan, next !== null) : restriction(plan)
  return {
    object: 'cross_section',
    metric: plan.metric,
    market: plan.market,
    as_of: plan.asOf,
    fp: plan.period,
    max_age_days: plan.maxAgeDays,
    data_version: dataVersion,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(note === null ? {} : { note }),
    count: rows.length,
    next: next === null ? null : writePlace(plan.market, next),
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
  const manifest = deps.markets.get(market)
  if (manifest?.status === 'announced') {
    return `No figures of market ${market} are served yet: it is announced, and its importer does not ship.`
  }
  if (hasMore)
    return `No company on this page has ${metric} of its most recent fiscal year; \`next\` continues.`
  if (plan.after !== null) return 'No company follows the place that cursor names.'
  if (deps.markets.metrics.get(metric)?.markets.includes(market) !== true) {
    return `The register of market ${market} does not state ${metric}. GET /api/v1/fundamentals lists which markets state it.`
  }
  const reason = manifest?.absences[metric]
  const why = reason === undefined ? '' : ` ${reason}`
  const bounds = plan.period === 'latest' ? '' : ` with fp=${plan.period}`
  const aged = plan.from === null ? '' : ` and an end on or after ${plan.from}`
  return `No company of market ${market} had stated ${metric}${bounds}${aged} by ${asOf}.${why}`
}
