import { defaultFilings } from '../../statements/statementSchema.ts'
import { isOpenView } from '../company/dataUse.ts'
import type { Visitor } from '../deps.ts'
import { isDownloadable } from '../downloads.ts'
import type { DataUse } from '../useThisData/panel.ts'
import { type SegmentsPageQuery, type StatementPageQuery, statementDownloadPath } from './query.ts'
import type { PresentedDeps, SegmentsView, StatementChoices } from './read.ts'

type Deps = Pick<PresentedDeps, 'rightsOf' | 'settings' | 'markets'>

/** How programs get the statement of a page. */
export function statementUse(
  deps: Deps,
  visitor: Visitor,
  { profile, idThen: ticker, statement, asOf }: StatementChoices,
  { as_of, tz, view, fp, fy, accession, filings }: StatementPageQuery,
): DataUse {
  // The answer has the instant with its offset, which needs no zone beside it.
  const day = as_of === undefined ? undefined : asOf
  const query = { ticker, statement, view, fp, fy, accession, filings, as_of: day }
  const isOpen = isOpenView(deps, visitor, ticker, profile.ticker)
  const hasFile = isOpen && isDownloadable(deps.settings, deps.markets.get(profile.market))
  const chosen = { statement, view, fp, fy, accession, filings, as_of, tz }
  const given = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
  const path = '/api/v1/statements'
  return {
    baseUrl: deps.settings.baseUrl,
    path,
    query,
    python:
      view === 'standard'
        ? { method: 'get', args: [path], named: query }
        : {
            method: 'statement',
            args: [ticker, statement],
            named: { fp, fy, as_of: day, view, accession, filings },
          },
    // The tool has statements as presented alone, and one filing by its accession.
    tool:
      view === 'standard' || (view === 'as_filed' && accession === undefined)
        ? null
        : {
            name: 'get_statement',
            arguments: {
              tickers: [ticker],
              statement,
              fp,
              fy: fy === undefined ? undefined : String(fy),
              accession,
              filings: filings ?? (accession === undefined ? defaultFilings : undefined),
              as_of: day,
            },
          },
    file: hasFile ? statementDownloadPath(profile.ticker, { ...given, format: 'csv' }) : null,
    key: isOpen ? 'demo' : 'own',
  }
}

/** How programs get the breakdown of a page. */
export function segmentsUse(
  deps: Deps,
  visitor: Visitor,
  { profile, idThen: ticker, answer }: SegmentsView,
  { as_of, fp, fy, tag, axis = 'product', ...query }: SegmentsPageQuery,
): DataUse {
  const metric = query.metric ?? (tag === undefined ? 'revenue' : undefined)
  const day = as_of === undefined ? undefined : answer.as_of
  return {
    baseUrl: deps.settings.baseUrl,
    path: '/api/v1/segments',
    query: { ticker, metric, tag, axis, fp, fy, as_of: day },
    python: {
      method: 'segments',
      args: [ticker],
      named: { metric, tag, axis, fp, fy, as_of: day },
    },
    // The tool splits the latest filing alone, and by its tag.
    tool:
      fp !== undefined || fy !== undefined || answer.tag === null
        ? null
        : { name: 'get_tag', arguments: { tag: answer.tag, tickers: [ticker], split_by: axis, as_of: day } },
    file: null,
    key: isOpenView(deps, visitor, ticker, profile.ticker) ? 'demo' : 'own',
  }
}
