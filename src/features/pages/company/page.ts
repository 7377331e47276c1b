import { html, type Markup } from '../../../html.ts'
import { searchForm } from '../../../http/pages/errorPage.ts'
import type { Page } from '../../../http/pages/shell.ts'
import type { Rights } from '../../../rights/rights.ts'
import type { Company } from '../../companyProfile/schema.ts'
import type { FilingList } from '../../filings/schema.ts'
import { companyParts } from '../companyFrame.ts'
import type { Visitor } from '../deps.ts'
import { downloadLinks } from '../downloads.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { asOfForm } from './asOfForm.ts'
import { companyUse } from './dataUse.ts'
import { checkOf } from './figureCheck.ts'
import { companyDataset } from './linkedData.ts'
import { missingFigures } from './missing.ts'
import { type CompanyPageQuery, companyPath, tabs } from './query.ts'
import { type CompanyPageDeps, type CompanyView, readCompanyView } from './read.ts'
import { cellStates, statementTables, type Tables, tablesOf } from './statementTables.ts'
import { timeline } from './timeline.ts'

/** /companies/{id}: a company's figures as known today or, if the visitor's licence permits, on any day. */
export async function companyPage(
  deps: CompanyPageDeps,
  visitor: Visitor,
  id: string,
  query: CompanyPageQuery,
): Promise<Page> {
  const view = await readCompanyView(deps, visitor, id, query)
  const { profile, list, hasFullHistory, filings } = view
  const { ticker, market } = profile
  const manifest = deps.markets.get(market)
  const name = list.name ?? profile.name?.value ?? ticker
  const tables = tablesOf(deps, view, query)
  const description = `${name} (${ticker}): revenue, profit, balance sheet and ratios as filed with ${manifest?.register.name ?? market}, each figure with its filing day and every restatement.`
  const address = { ticker, query }
  return {
    title: `${name} (${ticker})`,
    description,
    canonical: `${deps.settings.baseUrl}/companies/${encodeURIComponent(ticker)}`,
    linkedData: companyDataset(deps, view, name, description),
    styles: ['chart.css', 'company.css', useThisDataAssets.style],
    scripts: ['search.js', 'grid.js', 'company.js', useThisDataAssets.script],
    main: html`<header><h1>${name}</h1>
<p class="quiet"><strong>${ticker}</strong> ${manifest?.name ?? market}, ${manifest?.issuer.name ?? 'register number'} ${profile.issuer_id}</p></header>
${identity(profile, manifest?.name ?? market)}
${profile.note !== undefined && html`<p class="notice">${profile.note}</p>`}
${companyParts(ticker, 'figures', query)}
${tabLinks(ticker, query)}
${asOfForm(view, tables, query)}
${countedNote(visitor.rights)}
${useThisData(companyUse(deps, visitor, view, query))}
${list.data.length === 0 && html`<p class="notice">${whyNoFigures(view, query)}</p>`}
${tables.statements.length > 0 && html`<p class="legend quiet">Hover over a figure for its exact value and source. Click for every revision. <span class="restated">Highlighted</span> figures were restated: the earlier value is below.</p>`}
<div class="statements${tables.periods.length <= 2 && ' few'}">${statementTables(tables, profile.currency, address)}</div>
${earlierLink(tables, ticker, query)}
${timeline(tables, query, manifest, checkOf(view, tables, query))}
${missingFigures(deps.markets, view)}
${filingsTable(filings)}
${downloadLinks(deps.settings, manifest, ticker, query)}
<section><h2 id="source">Source and terms</h2>
<p>${list.attribution}</p>
${list.licence !== undefined && html`<p>${list.licence}</p>`}
<p><a href="/markets/${market}">How to read the figures of ${manifest?.name ?? market}</a>. <a href="#use">Programs get the same figures</a>.</p></section>
${searchForm('')}
${hasFullHistory && cellStates(tables, profile.currency)}`,
  }
}

const periodNames = { years: 'full years', quarters: 'quarters', ttm: 'twelve trailing months' } as const

function whyNoFigures(
  { profile, hasFullHistory }: CompanyView,
  { show = 'years', as_of }: CompanyPageQuery,
): string {
  const none = `There are no figures for ${periodNames[show]}.`
  if (profile.filings === 0) return `${none} No filing of this company is on record.`
  if (!hasFullHistory)
    return `${none} Without a licence you see only the most recent fiscal year that the company has reported, and it has none.`
  return as_of === undefined
    ? `${none} Other periods may have some.`
    : `${none} Choose a later day: none had been filed by ${as_of}.`
}

const countedNote = ({ entityCap, licence }: Rights): Markup | false =>
  entityCap !== null &&
  html`<p class="quiet">This company counts as one of the ${entityCap.toLocaleString('en-US')} that your ${licence} licence covers. <a href="/account/usage">See how many you have used</a>.</p>`

function identity(profile: Company, country: string): Markup {
  const { today } = profile
  const facts: [string, string | null | undefined][] = [
    ['Market', country],
    ['Sector', sectorName(profile.sector) ?? sectorName(today?.sector ?? null)],
    ['Exchange', today?.exchange],
    ['Status', today?.status],
    ['Filer status', profile.filer_status?.value],
    ['State', profile.state === null ? null : `${profile.state.state} since ${profile.state.since}`],
    ['Fiscal year ends', monthAndDay(profile.fiscal_year_end?.value ?? today?.fiscal_year_end)],
    ['Also known as', today?.other_names.join(', ')],
    ['Former names', profile.former_names.map(({ name, until }) => `${name} (until ${until})`).join(', ')],
    ['Other IDs', today?.current_ids.filter(id => id !== profile.ticker).join(', ')],
    ['Former IDs', today?.former_ids.join(', ')],
    [
      'Filings',
      `${profile.filings}${profile.first_filed === null ? '' : `, ${profile.first_filed} to ${profile.last_filed}`}`,
    ],
  ]
  return html`<dl class="identity">${facts.map(([term, text]) => text !== undefined && text !== null && text !== '' && html`<div><dt>${term}</dt><dd>${text}</dd></div>`)}</dl>
${profile.timeline.length > 0 && timelineTable(profile)}`
}

const timelineKindNames = {
  name: 'Name',
  industry: 'Industry',
  fiscal_year_end: 'Fiscal year end',
  filer_status: 'Filer status',
  symbol: 'Symbol',
  registrant: 'Registrant',
} as const

const timelineTable = ({
  timeline,
}: Company) => html`<details><summary>Names, symbols and industries through time</summary>
<table><thead><tr><th>From</th><th>Until</th><th></th><th>Stated</th><th>Filing</th></tr></thead>
<tbody>${timeline.map(({ kind, value, from, until, accession }) => html`<tr><td>${from}</td><td>${until ?? ''}</td><td>${timelineKindNames[kind]}</td><td>${value}</td><td>${accession ?? ''}</td></tr>`)}</tbody></table></details>`

const sectorName = (
  sector: Company['sector'] | { scheme: string; code: string; name: string | null } | null,
) =>
  sector === null
    ? null
    : `${sector.name ?? sector.code} (${sector.scheme}${sector.name === null ? '' : ` ${sector.code}`})`

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Formats 0930 as 30 September. */
function monthAndDay(text: string | null | undefined): string | null {
  const [, month, day] = /^(\d\d)(\d\d)$/.exec(text ?? '') ?? []
  const name = months[Number(month) - 1]
  return name === undefined ? (text ?? null) : `${Number(day)} ${name}`
}

const tabNames = { years: 'Years', quarters: 'Quarters', ttm: 'Trailing 12 months' } as const

const tabLinks = (ticker: string, { as_of, tz, show = 'years' }: CompanyPageQuery) =>
  html`<nav class="tabs" aria-label="Periods">${tabs.map(tab => {
    const day = { ...(as_of === undefined ? {} : { as_of }), ...(tz === undefined ? {} : { tz }) }
    const path = companyPath(ticker, { show: tab, ...day })
    return html`<a href="${path}"${tab === show && html` aria-current="page"`}>${tabNames[tab]}</a>`
  })}</nav>`

function earlierLink(
  { earlier }: Tables,
  ticker: string,
  { cell: _, before, ...query }: CompanyPageQuery,
): Markup {
  if (earlier === null && before === undefined) return html``
  return html`<p>${earlier !== null && html`<a href="${companyPath(ticker, { ...query, before: earlier })}">Earlier periods, up to ${earlier}</a>`} ${before !== undefined && html`<a href="${companyPath(ticker, query)}">The latest periods</a>`}</p>`
}

function filingsTable({ data, next, ticker, market }: FilingList): Markup {
  if (data.length === 0) return html``
  return html`<section><h2 id="filings">Latest filings</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="filings"><table>
<thead><tr><th scope="col">Filed</th><th scope="col">Form</th><th scope="col">Document</th><th scope="col" class="number">Figures</th></tr></thead>
<tbody>
${data.map(row => html`<tr><td>${row.filed}</td><td>${row.form}</td><td>${row.url === null ? row.accession : html`<a href="${row.url}" rel="noreferrer">${row.accession}</a>`}</td><td class="number">${row.figures}</td></tr>\n`)}</tbody>
</table></div>
${next !== null && html`<p class="quiet">Programs get earlier filings from <code>GET /api/v1/filings?market=${market}&amp;ticker=${ticker}</code>.</p>`}</section>`
}
