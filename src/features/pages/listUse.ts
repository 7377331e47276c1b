import { addDays } from '../../dates.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CrossSectionPlan } from '../crossSection/crossSection.ts'
import type { RestatementsPlan } from '../restatements/restatements.ts'
import type { PageDeps } from './deps.ts'
import type { Screen } from './screenQuery.ts'
import type { DataUse } from './useThisData/panel.ts'

type Deps = Pick<PageDeps, 'settings'>

/** The demo key sees of a market what visitors without a licence see. */
const keyFor = ({ seesAllHistory }: Rights) => (seesAllHistory ? 'own' : 'demo')

/** How programs get the first page of a screen; the Python client gets all of them. */
export function screenUse(
  { settings }: Deps,
  rights: Rights,
  { columns, period, sort, currency, maxAgeDays, checks, asOf: sentDay, bounds }: Screen,
  { market, asOf, limit }: Pick<CrossSectionPlan, 'market' | 'asOf' | 'limit'>,
): DataUse {
  const as_of = sentDay === undefined ? undefined : asOf
  const sortText = sort === null ? undefined : `${sort.descending ? '-' : ''}${sort.metric}`
  const filters = [...bounds].map(([name, value]) => [name, value] as const)
  const named = [...new Set(filters.map(([name]) => name.replace(/^(min|max)_/, '')))]
  const chosen = { currency, max_age_days: maxAgeDays, checks, as_of }
  return {
    baseUrl: settings.baseUrl,
    path: '/api/v1/cross-section',
    query: {
      metric: columns,
      market,
      fp: period,
      ...Object.fromEntries(filters),
      sort: sortText,
      ...chosen,
      limit,
    },
    python: {
      method: 'cross_section',
      args: [columns, market],
      named: {
        fp: period,
        filters: filters.length === 0 ? undefined : Object.fromEntries(filters),
        sort: sortText,
        ...chosen,
        limit: rights.entityCap === null ? undefined : limit,
      },
    },
    tool: {
      name: 'screen',
      arguments: {
        market,
        metrics: columns,
        fp: period,
        filters:
          named.length === 0
            ? undefined
            : named.map(metric => ({
                metric,
                min: bounds.get(`min_${metric}`),
                max: bounds.get(`max_${metric}`),
              })),
        sort_by: sort?.metric,
        order: sort === null ? undefined : sort.descending ? 'descending' : 'ascending',
        ...chosen,
      },
    },
    file: null,
    key: keyFor(rights),
  }
}

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
