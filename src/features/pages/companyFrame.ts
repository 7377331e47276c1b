import type { IsoDate } from '../../dates.ts'
import { html, type Markup } from '../../html.ts'
import type { Manifest } from '../../markets/manifest.ts'
import type { ContentSince } from '../../wholeFilings/knownFilingQueries.ts'
import type { Company } from '../companyProfile/schema.ts'
import { lastFiledBadge, nameOnPage } from './names/identity.ts'

/** The pages of one company. */
export type CompanyPart = 'figures' | 'statements' | 'segments' | 'prices'

const names: Readonly<Record<CompanyPart, string>> = {
  figures: 'Key figures',
  statements: 'Statements',
  segments: 'Segments',
  prices: 'Prices',
}

export const companyAddress = (ticker: string): string => `/companies/${encodeURIComponent(ticker)}`

/** The query string with the fields that have a value, in their order. */
export function queryText(fields: Readonly<Record<string, string | number | undefined>>): string {
  const text = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replace(/%3A/g, ':')}`)
    .join('&')
  return text === '' ? '' : `?${text}`
}

/**
 * Links between the pages of a company, which keep the day. In place of pages with nothing to show there is a sentence.
 *
 * @param since the day from which each page has something to show, or null. A page that has nothing yet on `until` is
 * hidden, and company.js shows it on later days.
 * @param seesPrices whether the visitor sees a price set
 */
export function companyParts(
  ticker: string,
  current: CompanyPart,
  day: { readonly as_of?: string; readonly tz?: string },
  since: ContentSince,
  until: IsoDate,
  seesPrices: boolean,
): Markup {
  const chosen = {
    ...(day.as_of === undefined ? {} : { as_of: day.as_of }),
    ...(day.tz === undefined ? {} : { tz: day.tz }),
  }
  const query = queryText(chosen)
  const path = companyAddress(ticker)
  const paths: Readonly<Record<CompanyPart, string>> = {
    figures: `${path}${query}`,
    statements: `${path}/statements${query}`,
    segments: `${path}/segments${query}`,
    prices: `${path}/prices${query}`,
  }
  const has = {
    statements: since.statements !== null,
    segments: since.segments !== null,
    prices: seesPrices,
  }
  const shown = (Object.keys(names) as CompanyPart[]).filter(
    part => part === 'figures' || part === current || has[part],
  )
  const sinceOf = (part: CompanyPart) =>
    part === 'figures' || part === 'prices' || part === current ? null : since[part]
  const links = html`<nav class="tabs parts" aria-label="Company">${shown.map(
    part =>
      html`<a href="${paths[part]}"${part === current && html` aria-current="page"`}${sinceOf(part) !== null && html` data-since="${sinceOf(part)}"`}${(sinceOf(part) ?? '') > until && html` hidden`}>${names[part]}</a>`,
  )}</nav>`
  if (has.statements || current !== 'figures') return links
  return html`${links}
<p class="quiet">${has.segments ? 'Filings of this company are on record without their statements.' : 'No filing of this company is on record in full, so there are no pages of its statements and segments.'}</p>`
}

export const companyName = (profile: Company): string => nameOnPage(profile)

/** The heading of a page about a company's filings. */
export const companyHead = (
  profile: Company,
  manifest: Manifest | undefined,
) => html`<header class="company"><h1>${companyName(profile)}</h1>
<p class="quiet"><strong>${profile.ticker}</strong> ${manifest?.name ?? profile.market}, ${manifest?.issuer.name ?? 'register number'} ${profile.issuer_id}</p>${lastFiledBadge(profile, profile.as_of)}</header>`

/** The card of the figure that a reader chose in the tables above. */
export const figureCard = (content: Markup): Markup =>
  html`<section id="figure" class="card" tabindex="-1">${content}</section>`

/**
 * Where the figures of a page come from, and on which terms.
 *
 * @param more what else there is to read
 */
export const sourceSection = (
  { attribution, licence }: { readonly attribution: readonly string[]; readonly licence?: string },
  more: Markup,
): Markup => html`<section><h2 id="source">Source and terms</h2>
<p>${attribution}</p>
${licence !== undefined && html`<p>${licence}</p>`}
${more}</section>`
