import { html, type Markup } from '../../../html.ts'
import type { Rights } from '../../../rights/rights.ts'
import type { PageDeps } from '../deps.ts'
import { metricOptions } from '../fields.ts'
import { type CompareFields, comparePath, maxLines, readCompare } from './query.ts'

export const showNames = { years: 'Years', quarters: 'Quarters', ttm: 'Trailing 12 months' } as const
export const viewNames = {
  values: 'Figures',
  growth: 'Year-on-year growth',
  indexed: 'Indexed to 100',
} as const

/** Lines that people look at together. */
const sets = [
  ['Revenue and profit', ['revenue', 'operating_income', 'net_income']],
  ['Margins and returns', ['gross_margin', 'operating_margin', 'net_margin', 'roe']],
  ['Balance sheet', ['assets', 'liabilities', 'equity']],
  ['Cash flow', ['operating_cash_flow', 'free_cash_flow']],
] as const

/** The lines that the form offers at least. */
const minLines = 3

export function compareForm(deps: PageDeps, rights: Rights, fields: CompareFields, hasTabs: boolean): Markup {
  const { companies, metrics } = fields
  const lines = Array.from(
    { length: Math.min(maxLines, Math.max(minLines, metrics.length + 1)) },
    (_, at) => metrics[at] ?? '',
  )
  const choice = (
    name: 'show' | 'view',
    label: string,
    names: Readonly<Record<string, string>>,
    chosen: string,
  ) =>
    html`<span class="field"><label for="${name}">${label}</label> <select id="${name}" name="${name}">${Object.entries(names).map(([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`)}</select></span>`
  // The tabs above the figures change these.
  const kept = html`<input type="hidden" name="show" value="${fields.show}"><input type="hidden" name="view" value="${fields.view}">`
  return html`<form method="get" action="/compare" class="filters compare">
<p class="names"><label for="companies">Companies</label>
<textarea id="companies" name="companies" rows="2" spellcheck="false" autocapitalize="characters" aria-describedby="companies-help" placeholder="AAPL, GOOGL">${companies}</textarea>
<small id="companies-help">Two to eight symbols or registration numbers, separated by commas, spaces or lines. You can paste a list.</small></p>
<p class="row">${lines.map(
    (metric, at) =>
      html`<span class="field"><label for="line-${at + 1}">Line ${at + 1}</label> <select id="line-${at + 1}" name="metric"><option value="">none</option>${metricOptions(deps, metric)}</select></span> `,
  )}</p>
<p class="row">${hasTabs ? kept : html`${choice('show', 'Periods', showNames, fields.show)} ${choice('view', 'Show', viewNames, fields.view)}`}
<span class="field"><label for="as-of">As known on</label> <input id="as-of" name="as_of" size="12" value="${fields.asOf}" placeholder="YYYY-MM-DD" spellcheck="false" autocomplete="off" aria-describedby="as-of-help"></span>
${fields.tz !== '' && html`<input type="hidden" name="tz" value="${fields.tz}">`}<button type="submit">Compare</button></p>
<p class="quiet" id="as-of-help">${rights.seesAllHistory ? 'Leave the day empty for today.' : html`Leave the day empty for today. Past days are open for ${rights.openCompanies.join(', ')}; other companies need a <a href="/docs/guides/keys-and-limits#licences">licence</a>.`}</p>
</form>`
}

/** Links to the same companies with lines that belong together. Lines that no market has are left out. */
export function lineSets({ markets }: PageDeps, companies: readonly string[]): Markup {
  const compare = { ...readCompare(''), companies }
  const known = sets.flatMap(([name, lines]) => {
    const metrics = lines.filter(line => markets.metrics.has(line))
    return metrics.length === 0 ? [] : [{ name, metrics }]
  })
  return html`<p class="quiet">Lines that belong together: ${known.map(({ name, metrics }, at) => html`${at > 0 && ', '}<a href="${comparePath(compare, { metrics })}">${name.toLowerCase()}</a>`)}.</p>`
}
