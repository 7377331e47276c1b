import { html } from '../../html.ts'
import { searchForm } from '../../http/pages/errorPage.ts'
import type { Page } from '../../http/pages/shell.ts'
import type { SearchHit } from '../search/schema.ts'
import { searchEntities } from '../search/search.ts'
import type { PageDeps } from './deps.ts'

const formerlyCalled = ({ kind, value, from, to }: NonNullable<SearchHit['former']>) =>
  `Its ${kind} was ${value} from ${from}${to === null ? '' : ` to ${to}`}`

/** /search: the hits of GET /api/search as a page, for use without JavaScript. */
export async function searchPage({ lookups, markets }: PageDeps, q: string): Promise<Page> {
  const hits = q.trim() === '' ? [] : await searchEntities(lookups, q)
  return {
    title: q === '' ? 'Search' : `Search: ${q}`,
    unlisted: true,
    layout: 'prose',
    scripts: ['search.js'],
    main: html`<h1>Search</h1>
${searchForm(q)}
${hits.length > 0 && html`<ul class="found">${hits.map(({ ticker, name, market, former }) => html`<li><a href="/companies/${encodeURIComponent(ticker)}">${name ?? ticker}</a> <span class="quiet">${ticker}, ${markets.get(market)?.name ?? market}${former !== undefined && `. ${formerlyCalled(former)}`}</span></li>\n`)}</ul>`}
${hits.length === 0 && q !== '' && html`<p>No company has a name, symbol or registration number like this. See <a href="/markets">which companies are covered</a>.</p>`}`,
  }
}
