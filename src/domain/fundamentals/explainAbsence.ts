import { daySpan } from '../../model/daySpan.ts'
import { type KnownMetric, knownMetrics } from '../../store/fundamentals/knownMetrics.ts'
import type { FundamentalsPlan } from './planFundamentals.ts'
import type { ReadDeps } from './readFundamentals.ts'
import { withReason } from './withReason.ts'

/** Why a known entity has no row for this request, or for some of the metrics that it names; null: nothing is absent. Only
 * what was filed by as_of is looked at.
 *
 * @param shown metrics of the rows that there are */
export async function explainAbsence(
  deps: ReadDeps,
  plan: FundamentalsPlan,
  shown: ReadonlySet<string>,
): Promise<string | null> {
  const { ticker, market, asOf, otherMarket } = plan
  const absent = plan.metrics?.filter(metric => !shown.has(metric)) ?? null
  if (shown.size > 0 && (absent === null || absent.length === 0)) return null
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
  const unstated = absent?.filter(metric => known.every(({ m }) => m !== metric)) ?? []
  const unfit = known.filter(({ m }) => absent === null || absent.includes(m))
  const reasons: string[] = []
  if (unstated.length > 0) reasons.push(neverStated(deps, plan, unstated))
  if (unfit.length > 0) {
    const whose = unfit.length === known.length ? '' : `${unfit.map(({ m }) => m).join(', ')}: `
    reasons.push(whose + whyUnfit(plan, unfit))
  } else if (shown.size === 0) reasons.push(`It had stated: ${known.map(({ m }) => m).join(', ')}.`)
  return reasons.join(' ')
}

function neverStated({ markets }: ReadDeps, plan: FundamentalsPlan, metrics: readonly string[]): string {
  const absences = markets.get(plan.market)?.absences ?? {}
  const why = metrics.flatMap(metric =>
    absences[metric] === undefined ? [] : `${metric}: ${absences[metric]}`,
  )
  return [`${plan.ticker} had stated no ${metrics.join(', ')} by ${plan.asOf}.`, ...why].join(' ')
}

/** Why figures that are on file are not among the rows. */
function whyUnfit(
  { ticker, asOf, from, recentFiscalYearOnly }: FundamentalsPlan,
  unfit: readonly KnownMetric[],
) {
  const lastEnd = daySpan(unfit.map(metric => metric.lastEnd))?.last ?? asOf
  if (from !== null && from > lastEnd) {
    return `No period that ends on or after ${from} was known by ${asOf}; the latest one ends on ${lastEnd}.`
  }
  if (recentFiscalYearOnly) {
    return `This key sees the most recent reported fiscal year of ${ticker} only, and it holds no such row. An evaluation key or a Personal or Commercial data licence opens the full history.`
  }
  return `Nothing filed by ${asOf} fits the request.`
}
