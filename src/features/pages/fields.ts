import type { Allowance } from '../../access/entityCap.ts'
import type { Principal } from '../../access/licences.ts'
import { html, type Markup } from '../../html.ts'
import { yearToDateSuffix } from '../../markets/metrics.ts'
import { findCompanies } from '../companies/queries.ts'
import type { PageDeps } from './deps.ts'
import { metricLabel } from './statements.ts'

/** The choice of a market in a form. */
export const marketField = ({ markets }: Pick<PageDeps, 'markets'>, chosen: string): Markup =>
  html`<span class="field"><label for="market">Market</label> <select id="market" name="market">${markets.manifests.map(({ code, name }) => html`<option value="${code}"${code === chosen && html` selected`}>${name}</option>`)}</select></span>`

/** Companies of a list for a visitor whose licence counts them: a list of a thousand would use up an evaluation. */
export const cappedCompanies = 100

/** How many companies a list for a visitor has: no more than the licence may still count, so that it is never refused. */
export const listLimit = (allowance: Allowance | null, all: number): number => {
  if (allowance === null) return all
  return allowance.left === 0 ? cappedCompanies : Math.min(cappedCompanies, allowance.left)
}

/** What a list costs a visitor whose licence counts companies. */
export const cappedNote = ({ entityCap, licence }: Principal): Markup | false =>
  entityCap !== null &&
  html`<p class="notice">Your ${licence} licence covers ${entityCap.toLocaleString('en-US')} companies, and every company in a list counts as one of them. A list has at most ${cappedCompanies}. <a href="/account/usage">See how many you have used</a>.</p>`

/** The choice of a metric in a form. */
export const metricField = (
  { markets }: Pick<PageDeps, 'markets'>,
  id: string,
  label: string,
  chosen: string,
  none = false,
): Markup =>
  html`<span class="field"><label for="${id}">${label}</label> <select id="${id}" name="${id}">${none && html`<option value="">none</option>`}${[
    ...markets.metrics.keys(),
  ]
    .filter(name => !name.endsWith(yearToDateSuffix) || name === chosen)
    .map(
      name =>
        html`<option value="${name}"${name === chosen && html` selected`}>${metricLabel(name)}</option>`,
    )}</select></span>`

/** Names of companies by their IDs: metadata, open to every visitor. */
export async function namesOf(
  { lookups, directory }: Pick<PageDeps, 'lookups' | 'directory'>,
  tickers: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const ids = [...new Set(tickers)]
  if (ids.length === 0) return new Map()
  const found = await (directory ? directory.findAll(ids) : findCompanies(lookups, ids))
  return new Map([...found].map(([id, { name }]) => [id, name]))
}
