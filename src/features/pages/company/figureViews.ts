import { html, type Markup } from '../../../html.ts'
import type { PageDeps } from '../deps.ts'
import type { Grid } from '../grid.ts'
import { type CompanyPageQuery, companyPath } from './query.ts'
import type { CompanyView } from './read.ts'
import { type Tables, tablesOf } from './statementTables.ts'

/** The tables with the vintages that the visitor chose to see. */
export function chosenTables(
  deps: Pick<PageDeps, 'markets'>,
  view: CompanyView,
  query: CompanyPageQuery,
): Tables {
  switch (query.figures) {
    case undefined:
      return tablesOf(deps, view, query)
    case 'first_filed': {
      const tables = tablesOf(deps, view, query)
      return { ...tables, layout: firstVintages(tables.layout), shown: firstVintages(tables.shown) }
    }
    case 'latest':
      return tablesOf(
        deps,
        { ...view, list: view.today, splits: { known: view.splits.today, today: view.splits.today } },
        query,
      )
    default: {
      const missing: never = query.figures
      return missing
    }
  }
}

/** The same cells, each with its first vintage alone, which nothing supersedes. */
function firstVintages(grid: Grid): Grid {
  return {
    ...grid,
    vintages: (metric, period) =>
      grid
        .vintages(metric, period)
        .slice(0, 1)
        .map(row => ({ ...row, until: null })),
  }
}

const views = [
  { figures: 'first_filed', name: 'First filed' },
  { figures: undefined, name: 'Known then' },
  { figures: 'latest', name: 'Latest' },
] as const

function viewPath(
  ticker: string,
  { cell: _, before: __, figures: ___, ...query }: CompanyPageQuery,
  figures?: CompanyPageQuery['figures'],
): string {
  return companyPath(ticker, figures === undefined ? query : { ...query, figures })
}

/** Links between the three views. */
export const figureViewLinks = (ticker: string, query: CompanyPageQuery): Markup =>
  html`<nav class="tabs figure-views" aria-label="Which vintage of each figure">${views.map(
    ({ figures, name }) =>
      html`<a href="${viewPath(ticker, query, figures)}"${figures === query.figures && html` aria-current="page"`}>${name}</a>`,
  )}</nav>`

/** What the chosen view shows, if it is not the usual one. */
export function figureViewNote(ticker: string, query: CompanyPageQuery): Markup {
  const { figures, as_of } = query
  const knownThen = viewPath(ticker, query)
  if (figures === 'first_filed')
    return html`<p class="quiet">Each figure as its first filing stated it. Later restatements are left out.</p>`
  if (figures === undefined) return html``
  if (as_of === undefined)
    return html`<p class="quiet">Each figure as known today. Choose <a href="${knownThen}">Known then</a> to move to another day.</p>`
  return html`<p class="notice look-ahead"><strong>Includes filings after ${as_of}.</strong> The tables and the chart show each figure as known today, which nobody could know on ${as_of}. <a href="${knownThen}">Show what was known on ${as_of}</a>.</p>`
}
