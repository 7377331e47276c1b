import { html, type Markup } from '../../../html.ts'
import { searchForm } from '../../../http/pages/errorPage.ts'
import type { Page } from '../../../http/pages/shell.ts'
import { lastWholeDay } from '../../../instants.ts'
import { companyAddress, companyHead, companyName, companyParts } from '../companyFrame.ts'
import type { PageDeps } from '../deps.ts'
import { identity } from '../names/identity.ts'
import type { CompanyPageQuery } from './query.ts'
import type { CompanyView } from './read.ts'

/** Whether no filing by the day of the page has a figure, of any kind of period. */
export const hasNoFigures = ({ profile, today }: CompanyView): boolean =>
  profile.metrics.length === 0 && today.data.length === 0

/** A company's page if there are no figures: says why, and leads to what there is. */
export function pageWithoutFigures(
  deps: PageDeps,
  { profile, list, content }: CompanyView,
  query: CompanyPageQuery,
  notice: Markup | false,
  seesPrices: boolean,
): Page {
  const { as_of } = query
  const { ticker, market, filings } = profile
  const manifest = deps.markets.get(market)
  const country = manifest?.name ?? market
  const register = manifest?.register
  const day = as_of === undefined ? '' : ` by ${list.as_of}`
  const name = companyName(profile)
  return {
    title: `${name} (${ticker})`,
    description: `${name} (${ticker}): no figures yet.`,
    canonical: `${deps.settings.baseUrl}${companyAddress(ticker)}`,
    styles: ['company.css', 'identity.css'],
    scripts: ['search.js'],
    main: html`${companyHead(profile, manifest)}
${identity(profile, country, list.name)}
${profile.note !== undefined && html`<p class="notice">${profile.note}</p>`}
${companyParts(ticker, 'figures', query, content, lastWholeDay(list.as_of), seesPrices)}
<section class="notice"><h2>No figures yet</h2>
<p>${filings === 0 ? `This company is known from ${register === undefined ? 'its register' : `its register, the ${register.name}`}, but none of its filings is loaded here${day}.` : `None of its ${filings} ${filings === 1 ? 'filing' : 'filings'} on record${day} states a figure that this service reads.`}${manifest?.filed.undated !== undefined && ` ${manifest.filed.undated}`}</p></section>
<section><h2>What there is</h2>
<ul>
${as_of !== undefined && html`<li><a href="${companyAddress(ticker)}">This company as known today</a></li>`}
${register !== undefined && html`<li>The register itself may have its documents: <a href="${register.url}" rel="noreferrer">${register.operator}</a></li>`}
<li><a href="/markets/${market}">What is covered of ${country}</a>, and how to read it</li>
<li><a href="/markets">All markets</a>, with the companies and figures on record</li>
<li>Any other company, such as <a href="/companies/AAPL">Apple</a>, by its name, symbol or number:</li>
</ul>
${searchForm('')}</section>
${notice}
<section><h2 id="source">Source and terms</h2>
<p>${list.attribution}</p></section>`,
  }
}
