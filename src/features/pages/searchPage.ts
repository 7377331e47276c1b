import { html, type Markup } from '../../html.ts'
import { searchForm } from '../../http/pages/errorPage.ts'
import type { Page } from '../../http/pages/shell.ts'
import type { SearchHit } from '../search/schema.ts'
import { searchEntities } from '../search/search.ts'
import { companyAddress } from './companyFrame.ts'
import type { PageDeps } from './deps.ts'

/** Longer texts are names, which need no lookup of their own. */
const symbolShape = /^[a-z0-9][a-z0-9.&/ -]{0,19}$/i

/** A registration number, or the code of a listing in Asia. */
const numberShape = /^\d[\d .]{2,}\d?[a-z]?$/i

const squeeze = (symbol: string) => symbol.toLowerCase().replace(/[^a-z0-9]/g, '')

/**
 * The page of the company whose symbol is exactly the query, ignoring case and punctuation, or the only one with this
 * number; null if there is none, or more than one. A former symbol does not count: another company may have it today.
 */
export async function exactMatch({ lookups }: Pick<PageDeps, 'lookups'>, q: string): Promise<string | null> {
  const symbol = q.trim()
  if (!symbolShape.test(symbol)) return null
  const hits = (await searchEntities(lookups, symbol)).filter(({ former }) => former === undefined)
  if (numberShape.test(symbol)) return hits.length === 1 ? companyAddress(hits[0].ticker) : null
  const exact = hits.filter(({ ticker }) => ticker.toLowerCase() === symbol.toLowerCase())
  const same = exact.length > 0 ? exact : hits.filter(({ ticker }) => squeeze(ticker) === squeeze(symbol))
  return same.length === 1 ? companyAddress(same[0].ticker) : null
}

/** /search: the hits of GET /api/search as a page, for use without JavaScript. */
export async function searchPage({ lookups, markets }: PageDeps, q: string): Promise<Page> {
  const text = q.trim()
  const hits = text === '' ? [] : await searchEntities(lookups, text)
  const other = text !== '' && hits.length === 0 ? await shorterSearch({ lookups }, text) : null
  const marketName = (code: string) => markets.get(code)?.name ?? code
  const served = markets.manifests.filter(({ status }) => status === 'served')
  return {
    title: text === '' ? 'Search' : `Search: ${text}`,
    unlisted: true,
    layout: 'prose',
    main: html`<h1>${text === '' ? 'Search' : `Search: ${text}`}</h1>
${searchForm(q)}
${hits.length > 0 && foundList(hits, marketName)}
${text !== '' && hits.length === 0 && nothingFound(text, other)}
<section><h2 id="browse">Browse a market</h2>
<ul class="columns">${served.map(({ code, name }) => html`<li>${name}: <a href="/universe?market=${code}">companies</a>, <a href="/screen?market=${code}">screen</a>, <a href="/markets/${code}">about</a></li>\n`)}</ul></section>`,
  }
}

const foundList = (hits: readonly SearchHit[], marketName: (code: string) => string): Markup =>
  html`<ul class="found">${hits.map(({ ticker, name, market, former }) => html`<li><a href="${companyAddress(ticker)}">${name ?? ticker}</a> <span class="quiet">${ticker}, ${marketName(market)}${former !== undefined && `. ${formerlyCalled(former)}`}</span></li>\n`)}</ul>`

const formerlyCalled = ({ kind, value, from, to }: NonNullable<SearchHit['former']>) =>
  `Its ${kind} was ${value} from ${from}${to === null ? '' : ` to ${to}`}`

const nothingFound = (text: string, other: string | null): Markup => html`<section aria-labelledby="nothing">
<h2 id="nothing">Nothing found</h2>
<p role="status">No company has a name, symbol or registration number like “${text}”.${other !== null && html` There are companies for <a href="/search?q=${encodeURIComponent(other)}">${other}</a>.`}</p>
<p>You can try:</p>
<ul>
<li>fewer words, or the beginning of the name: <q>appl</q> finds Apple</li>
<li>the symbol without its exchange: <q>IBM</q>, not <q>NYSE:IBM</q></li>
<li>the number in the register: <q>0000320193</q> at the SEC, <q>0410682657</q> in Belgium</li>
<li>the <a href="/markets">markets that we cover</a>: companies of others are not here</li>
</ul></section>`

/** A shorter query that finds something: without the exchange, or the first word alone. */
async function shorterSearch({ lookups }: Pick<PageDeps, 'lookups'>, text: string): Promise<string | null> {
  const afterExchange = text.includes(':') ? text.slice(text.lastIndexOf(':') + 1).trim() : ''
  const [firstWord = ''] = text.split(/\s+/)
  const shorter = [afterExchange, firstWord].filter(query => query.length > 1 && query !== text)
  for (const query of shorter) if ((await searchEntities(lookups, query)).length > 0) return query
  return null
}
