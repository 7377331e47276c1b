import { demoPrincipal } from '../../../rights/licences.ts'
import type { PageDeps, Visitor } from '../deps.ts'
import { downloadPath, isDownloadable } from '../downloads.ts'
import type { DataUse } from '../useThisData/panel.ts'
import { type CompanyPageQuery, figureOf, periodsOf } from './query.ts'
import type { CompanyView } from './read.ts'

/** Whether visitors without a licence see the same of a company as this visitor. */
export const isOpenView = (
  { rightsOf }: Pick<PageDeps, 'rightsOf'>,
  { rights }: Pick<Visitor, 'rights'>,
  ...ids: readonly string[]
): boolean => !rights.seesAllHistory || rightsOf(demoPrincipal).seesHistoryOf(...ids)

/** How programs get the figures of a company's page: those of the tables or, if a cell is chosen, every vintage of it. */
export function companyUse(
  deps: PageDeps,
  visitor: Visitor,
  view: CompanyView,
  { as_of, tz, show = 'years', cell }: CompanyPageQuery,
): DataUse {
  const { list, idThen, profile } = view
  // The answer has the instant with its offset, which needs no zone beside it.
  const day = as_of === undefined ? undefined : list.as_of
  const figure = cell === undefined ? null : figureOf(cell)
  const chosen =
    figure === null
      ? { fp: periodsOf[show], vintage: 'latest' }
      : { metric: figure.metric, fp: figure.fp, fy: figure.fy }
  const isOpen = isOpenView(deps, visitor, idThen, profile.ticker)
  const hasFile = isOpen && figure === null && isDownloadable(deps.settings, deps.markets.get(profile.market))
  const { metric, fy, ...ofTool } = { metric: undefined, fy: undefined, ...chosen }
  return {
    baseUrl: deps.settings.baseUrl,
    path: '/api/v1/fundamentals',
    query: { ticker: idThen, ...chosen, as_of: day },
    python: {
      method: 'fundamentals',
      args: metric === undefined ? [idThen] : [idThen, metric],
      named: { ...ofTool, fy, as_of: day },
    },
    tool: {
      name: 'get_fundamentals_history',
      arguments: {
        tickers: [idThen],
        ...(metric === undefined ? {} : { metrics: [metric] }),
        ...ofTool,
        fy: fy === undefined ? undefined : String(fy),
        as_of: day,
      },
    },
    file: hasFile
      ? downloadPath(profile.ticker, 'csv', {
          show,
          vintage: 'latest',
          ...(as_of === undefined ? {} : { as_of }),
          ...(tz === undefined ? {} : { tz }),
        })
      : null,
    key: isOpen ? 'demo' : 'own',
  }
}
