import { addDays } from '../../../dates.ts'
import type { Rights } from '../../../rights/rights.ts'
import type { RestatementsPlan } from '../../restatements/restatements.ts'
import type { PageDeps } from '../deps.ts'
import { type DataUse, keyFor } from '../useThisData/lines.ts'

type Deps = Pick<PageDeps, 'settings'>

/**
 * How programs get the restatements of a page.
 *
 * @param company whose changes the page shows; null for those of the market
 */
export function restatementsUse(
  { settings }: Deps,
  rights: Rights,
  { metric, market, limit, asOf }: RestatementsPlan,
  { from, as_of: sentDay }: { readonly from?: string; readonly as_of?: string },
  company: string | null,
): DataUse {
  const as_of = sentDay === undefined ? undefined : asOf
  const isCapped = rights.entityCap !== null
  const of = company === null ? { market, limit } : { ticker: company }
  return {
    baseUrl: settings.baseUrl,
    path: '/api/v1/restatements',
    query: { metric, ...of, from, as_of },
    python: {
      method: 'restatements',
      args: company === null ? [metric, market] : [metric],
      named: {
        ticker: company ?? undefined,
        from_: from,
        as_of,
        limit: isCapped && company === null ? limit : undefined,
      },
    },
    tool: {
      name: 'get_restatements',
      arguments: {
        ...(company === null ? { market } : { tickers: [company] }),
        metrics: [metric],
        // The tool has what was filed after the day, the page what was filed since.
        since: from === undefined ? undefined : addDays(from, -1),
        as_of,
      },
    },
    file: null,
    key: keyFor(rights),
  }
}
