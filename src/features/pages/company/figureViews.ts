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

/** Links between the three views, and a sentence that says what the chosen one shows. */
export function figureViewLinks(ticker: string, { cell: _, before: __, ...query }: CompanyPageQuery): Markup {
  const pathOf = (figures: CompanyPageQuery['figures']) => {
    const { figures: _, ...others } = query
    return companyPath(ticker, figures === undefined ? others : { ...others, figures })
  }
  return html`<nav class="tabs figure-views" aria-label="Which vintage of each figure">${views.map(
    ({ figures, name }) =>
      html`<a href="${pathOf(figures)}"${figures === query.figures && html` aria-current="page"`}>${name}</a>`,
  )}</nav>
${description(query, pathOf(undefined))}`
}

function description({ figures, as_of }: CompanyPageQuery, knownThen: string): Markup {
  if (figures === 'first_filed')
    return html`<p class="quiet">Each figure as its first filing stated it. Later restatements are left out.</p>`
  if (figures === undefined) return html``
  if (as_of === undefined)
    return html`<p class="quiet">Each figure as known today. Choose <a href="${knownThen}">Known then</a> to move to another day.</p>`
  return html`<p class="notice look-ahead"><strong>Includes filings after ${as_of}.</strong> The tables and the chart show each figure as known today, which nobody could know on ${as_of}. <a href="${knownThen}">Show what was known on ${as_of}</a>.</p>`
}
