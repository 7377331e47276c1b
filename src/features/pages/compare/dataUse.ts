import { isOpenView } from '../company/dataUse.ts'
import { periodsOf } from '../company/query.ts'
import type { PageDeps, Visitor } from '../deps.ts'
import type { DataUse } from '../useThisData/panel.ts'
import type { Compare } from './query.ts'
import type { ComparedCompany } from './read.ts'

/** How programs get the figures behind a comparison, from which growth and indexes follow. */
export function compareUse(
  deps: PageDeps,
  visitor: Pick<Visitor, 'rights'>,
  companies: readonly ComparedCompany[],
  { metrics, show, view, as_of }: Compare,
): DataUse {
  const tickers = companies.map(({ idOnDay }) => idOnDay)
  // The answer has the instant with its offset, which is the same in every market.
  const chosen = {
    fp: periodsOf[show],
    vintage: 'latest',
    as_of: as_of === undefined ? undefined : companies[0]?.list.as_of,
  }
  const isAdjusted = view !== 'values'
  return {
    baseUrl: deps.settings.baseUrl,
    path: '/api/v1/fundamentals',
    query: {
      ticker: tickers,
      metric: metrics,
      ...chosen,
      adjust: isAdjusted ? 'splits' : undefined,
    },
    python: {
      method: 'fundamentals',
      args: [tickers, metrics],
      named: { ...chosen, adjust: isAdjusted ? 'splits' : undefined },
    },
    tool: {
      name: 'get_fundamentals_history',
      arguments: { tickers, metrics, ...chosen, adjust_splits: isAdjusted ? true : undefined },
    },
    file: null,
    key: companies.every(({ idOnDay, ticker }) => isOpenView(deps, visitor, idOnDay, ticker))
      ? 'demo'
      : 'own',
  }
}
