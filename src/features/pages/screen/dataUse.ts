import type { Rights } from '../../../rights/rights.ts'
import type { PageDeps } from '../deps.ts'
import { type DataUse, keyFor } from '../useThisData/lines.ts'
import type { ScreenPlan } from './plan.ts'
import type { Screen } from './query.ts'

type Deps = Pick<PageDeps, 'settings'>

/** How programs get the first page of a screen; the Python client gets all of them. */
export function screenUse(
  { settings }: Deps,
  rights: Rights,
  { columns, period, sort, currency, checks, group, asOf: sentDay, bounds }: Screen,
  { plan: { market, asOf, limit, valued }, age }: Pick<ScreenPlan, 'plan' | 'age'>,
): DataUse {
  const as_of = sentDay === undefined ? undefined : asOf
  const sortText = `${sort.descending ? '-' : ''}${sort.metric}`
  const filters = [...bounds].map(([name, value]) => [name, value] as const)
  const named = [...new Set(filters.map(([name]) => name.replace(/^(min|max)_/, '')))]
  const chosen = { currency, max_age_days: age.days ?? undefined, checks, as_of }
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
      group,
      limit,
      prices: valued?.set.name,
    },
    python: {
      method: 'cross_section',
      args: [columns, market],
      named: {
        fp: period,
        filters: filters.length === 0 ? undefined : Object.fromEntries(filters),
        sort: sortText,
        ...chosen,
        group,
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
        sort_by: sort.metric,
        order: sort.descending ? 'descending' : 'ascending',
        ...chosen,
      },
    },
    file: null,
    key: keyFor(rights),
  }
}

/** What the lines leave out of a screen, or null. */
export function screenUseNote({ companies }: Screen): string | null {
  return companies === undefined
    ? null
    : 'They have every company of the market: the page shows only those that you named.'
}
