import { demoPrincipal } from '../../../rights/licences.ts'
import type { PageDeps, Visitor } from '../deps.ts'
import { downloadPath, isDownloadable } from '../downloads.ts'
import { periodsOf } from '../periodTabs.ts'
import type { DataUse } from '../useThisData/panel.ts'
import { type CompanyPageQuery, figureOf } from './query.ts'
import type { CompanyView } from './read.ts'
import type { Tables } from './statementTables.ts'

/** Whether visitors without a licence see the same of a company as this visitor. */
export const isOpenView = (
  { rightsOf }: Pick<PageDeps, 'rightsOf'>,
  { rights }: Pick<Visitor, 'rights'>,
  ...ids: readonly string[]
): boolean => !rights.seesAllHistory || rightsOf(demoPrincipal).seesHistoryOf(...ids)

/** The fiscal years of some columns, as the API names them. */
function yearsOf(periods: Tables['periods']): string | undefined {
  if (periods.length === 0) return undefined
  const years = periods.map(({ fy }) => fy)
  const [first, last] = [Math.min(...years), Math.max(...years)]
  return first === last ? String(first) : `${first}..${last}`
}

/** How programs get the figures of a company's page: those of the tables or, if a cell is chosen, every vintage of it. */
export function companyUse(
  deps: PageDeps,
  visitor: Visitor,
  view: CompanyView,
  { as_of, tz, show = 'years', before, cell, adjust, figures, plot = 'revenue' }: CompanyPageQuery,
  { periods, layout }: Pick<Tables, 'periods' | 'layout'>,
): DataUse {
  const { list, idThen, profile } = view
  // The answer has the instant with its offset, which needs no zone beside it.
  const day = as_of === undefined || (figures === 'latest' && cell === undefined) ? undefined : list.as_of
  const vintage = figures === 'first_filed' ? 'first' : 'latest'
  const figure = cell === undefined ? null : figureOf(cell)
  // The latest periods need no bound: the next one belongs to them as well.
  const years = before === undefined ? undefined : yearsOf(periods)
  const chosen =
    figure === null
      ? { fp: periodsOf[show], fy: years, vintage }
      : { metric: figure.metric, fp: figure.fp, fy: figure.fy }
  const isOpen = isOpenView(deps, visitor, idThen, profile.ticker)
  // A file has the figures as filed.
  const hasFile =
    isOpen &&
    figure === null &&
    adjust === undefined &&
    isDownloadable(deps.settings, deps.markets.get(profile.market))
  const { metric, fy, ...ofTool } = { metric: undefined, ...chosen }
  const fileQuery = {
    show,
    vintage,
    ...(years === undefined ? {} : { fy: years }),
    ...(day === undefined || as_of === undefined ? {} : { as_of }),
    ...(day === undefined || tz === undefined ? {} : { tz }),
  } as const
  return {
    baseUrl: deps.settings.baseUrl,
    path: '/api/v1/fundamentals',
    query: { ticker: idThen, ...chosen, adjust, as_of: day },
    python: {
      method: 'fundamentals',
      args: metric === undefined ? [idThen] : [idThen, metric],
      named: { ...ofTool, fy, adjust, as_of: day },
    },
    tool: {
      name: 'get_fundamentals_history',
      arguments: {
        tickers: [idThen],
        ...(metric === undefined ? {} : { metrics: [metric] }),
        ...ofTool,
        fy: fy === undefined ? undefined : String(fy),
        adjust_splits: adjust === undefined ? undefined : true,
        as_of: day,
      },
    },
    file: hasFile ? downloadPath(profile.ticker, 'csv', fileQuery) : null,
    ...(hasFile && layout.metrics.has(plot)
      ? { lineFile: downloadPath(profile.ticker, 'csv', { ...fileQuery, metric: plot }) }
      : {}),
    key: isOpen ? 'demo' : 'own',
  }
}
