import { html, type Markup } from '../../html.ts'
import { yearToDateSuffix } from '../../markets/metrics.ts'
import { valuationNames } from '../../markets/valuations.ts'
import type { Allowance } from '../../rights/entityCap.ts'
import type { Rights } from '../../rights/rights.ts'
import { findCompanies } from '../companies/queries.ts'
import type { PageDeps } from './deps.ts'
import { metricLabel } from './metricLabels.ts'
import { shownName } from './names/companyName.ts'

/** A form field to choose a market. */
export const marketField = ({ markets }: Pick<PageDeps, 'markets'>, chosen: string): Markup =>
  html`<span class="field"><label for="market">Market</label> <select id="market" name="market">${markets.manifests.map(({ code, name }) => html`<option value="${code}"${code === chosen && html` selected`}>${name}</option>`)}</select></span>`

/**
 * A form field for the `as_of` of a page. It is a text field: date fields show a day in the order
 * of the browser's country, and cannot hold an instant.
 *
 * @param listId of a datalist
 */
export const dayField = (id: string, label: string, chosen: string, listId?: string): Markup =>
  html`<span class="field"><label for="${id}">${label}</label> <input id="${id}" name="as_of" type="text" value="${chosen}" size="${chosen.length > 10 ? 22 : 11}" placeholder="YYYY-MM-DD" title="A day such as 2010-01-25, or an instant such as 2010-01-25T21:30:00Z" autocomplete="off" spellcheck="false"${listId !== undefined && html` list="${listId}"`}></span>`

/**
 * List size for visitors whose licence counts companies: a list of a thousand would exhaust an evaluation.
 */
export const cappedCompanies = 100

/**
 * The size of a visitor's list: never more than the licence may still count, so that the list is never
 * refused.
 */
export const listLimit = (allowance: Allowance | null, all: number): number => {
  if (allowance === null) return all
  return allowance.left === 0 ? cappedCompanies : Math.min(cappedCompanies, allowance.left)
}

/** States what a list costs visitors whose licence counts companies. */
export const cappedNote = ({ entityCap, licence }: Rights): Markup | false =>
  entityCap !== null &&
  html`<p class="notice">Your ${licence} licence covers ${entityCap.toLocaleString('en-US')} companies, and every company in a list counts as one of them. A list has at most ${cappedCompanies}. <a href="/account/usage">See how many you have used</a>.</p>`

/**
 * The metrics that a form offers. Year-to-date figures appear only if one is chosen.
 *
 * @param valuations the names of those that are offered as well
 */
export const metricOptions = (
  { markets }: Pick<PageDeps, 'markets'>,
  chosen: string,
  valuations: readonly string[] = [],
): Markup =>
  html`${[...markets.metrics.keys(), ...valuations]
    .filter(name => !name.endsWith(yearToDateSuffix) || name === chosen)
    .map(
      name =>
        html`<option value="${name}"${name === chosen && html` selected`}>${metricLabel(name)}</option>`,
    )}`

/** A form field to choose a metric. */
export const metricField = (
  deps: Pick<PageDeps, 'markets'>,
  id: string,
  label: string,
  chosen: string,
  none = false,
  withValuations = false,
): Markup =>
  html`<span class="field"><label for="${id}">${label}</label> <select id="${id}" name="${id}">${none && html`<option value="">none</option>`}${metricOptions(deps, chosen, withValuations ? valuationNames : [])}</select></span>`

/** Company names by ID, as people write them. They are metadata and open to every visitor. */
export async function namesOf(
  { lookups, directory }: Pick<PageDeps, 'lookups' | 'directory'>,
  tickers: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const ids = [...new Set(tickers)]
  if (ids.length === 0) return new Map()
  const found = await (directory ? directory.findAll(ids) : findCompanies(lookups, ids))
  return new Map([...found].map(([id, { name }]) => [id, shownName({ registered: name, ids: [id] })]))
}
