import { daySpan } from '../../model/daySpan.ts'
import { knownMetrics } from '../../store/fundamentals/knownMetrics.ts'
import type { FundamentalsPlan } from './planFundamentals.ts'
import type { ReadDeps } from './readFundamentals.ts'
import { withReason } from './withReason.ts'

/** Why a known entity has no row for this request. Only what was filed by as_of is looked at. */
export async function explainAbsence(deps: ReadDeps, plan: FundamentalsPlan): Promise<string> {
  const { ticker, market, asOf, otherMarket, from, metrics } = plan
  if (otherMarket !== null) {
    return `${ticker} belongs to market ${market}, not ${otherMarket}. Leave market out, or send ${market}.`
  }
  const manifest = deps.markets.get(market)
  if (manifest?.status === 'announced') {
    return `No figures of market ${market} are served yet: it is announced, and its importer does not ship.`
  }
  const known = await knownMetrics(deps.sql, plan.entityId, asOf)
  if (known.length === 0) {
    const absence = `No filing of ${ticker} with figures is known that was filed by ${asOf}. GET /api/v1/coverage/${ticker} tells what is on file.`
    return withReason(absence, manifest)
  }
  const asked = metrics === null ? known : known.filter(metric => metrics.includes(metric.m))
  if (asked.length === 0) {
    const reasons = (metrics ?? []).flatMap(metric => {
      const reason = manifest?.absences[metric]
      return reason === undefined ? [] : [`${metric}: ${reason}`]
    })
    const why = reasons.length > 0 ? ` ${reasons.join(' ')}` : ''
    return `${ticker} had stated no ${metrics?.join(', ')} by ${asOf}.${why} It had stated: ${known.map(metric => metric.m).join(', ')}.`
  }
  const lastEnd = daySpan(asked.map(metric => metric.lastEnd))?.last ?? asOf
  if (from !== null && from > lastEnd) {
    return `No period that ends on or after ${from} was known by ${asOf}; the latest one ends on ${lastEnd}.`
  }
  if (plan.recentFiscalYearOnly) {
    return `This key sees the most recent reported fiscal year of ${ticker} only, and it holds no such row. An evaluation key or a Personal or Commercial data licence opens the full history.`
  }
  return `Nothing filed by ${asOf} fits the request.`
}
