import { html, type Markup } from '../../../html.ts'
import { searchForm } from '../../../http/pages/errorPage.ts'
import type { Page } from '../../../http/pages/shell.ts'
import { lastWholeDay } from '../../../instants.ts'
import type { Rights } from '../../../rights/rights.ts'
import type { FilingList } from '../../filings/schema.ts'
import { companyParts, sourceSection } from '../companyFrame.ts'
import type { CompanyVisitor } from '../deps.ts'
import { downloadLinks } from '../downloads.ts'
import { sampleNotice } from '../extent/sampleNotice.ts'
import { formNote } from '../names/forms.ts'
import { identity, lastFiledBadge, nameOnPage } from '../names/identity.ts'
import { tabs } from '../periodTabs.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { asOfForm } from './asOfForm.ts'
import { companyChart, growthLegend, trendData } from './charts.ts'
import { companyUse } from './dataUse.ts'
import { checkOf } from './figureCheck.ts'
import { chosenTables, figureViewLinks, figureViewNote } from './figureViews.ts'
import { companyDataset } from './linkedData.ts'
import { missingFigures } from './missing.ts'
import { type CompanyPageQuery, companyPath } from './query.ts'
import { type CompanyPageDeps, type CompanyView, readCompanyView } from './read.ts'
import { cellStates, statementTables, type Tables, tablesOf } from './statementTables.ts'
import { timeline } from './timeline.ts'
import { trendLinks } from './trends.ts'
import { readValuations, valuationBlock } from './valuations.ts'
import { type Section, sectionLinks, skipLinks, viewOptions } from './viewOptions.ts'
import { hasNoFigures, pageWithoutFigures } from './withoutFigures.ts'

/** /companies/{id}: a company's figures as known today or, if the visitor's licence permits, on any day. */
export async function companyPage(
  deps: CompanyPageDeps,
  visitor: CompanyVisitor,
  id: string,
  query: CompanyPageQuery,
): Promise<Page> {
  const view = await readCompanyView(deps, visitor, id, query)
  const { profile, list, hasFullHistory, filings } = view
  const { ticker, market } = profile
  const manifest = deps.markets.get(market)
  const valuations = await readValuations(deps, visitor.rights, view)
  const notice = await sampleNotice(deps, profile.last_filed)
  if (hasNoFigures(view)) return pageWithoutFigures(deps, view, query, notice, visitor.seesPrices)
  const name = nameOnPage(profile, list.name)
  const tables = chosenTables(deps, view, query)
  // The revisions of a figure are listed in full, whichever of them the tables show.
  const known = query.figures === 'first_filed' ? tablesOf(deps, view, query) : tables
  const description = `${name} (${ticker}): revenue, profit, balance sheet and ratios as filed with ${manifest?.register.name ?? market}, each figure with its filing day and every restatement.`
  const address = { ticker, query }
  const missing = missingFigures(deps.markets, view)
  const sections = sectionsOf(tables, missing, filings)
  return {
    title: `${name} (${ticker})`,
    description,
    canonical: `${deps.settings.baseUrl}/companies/${encodeURIComponent(ticker)}`,
    linkedData: companyDataset(deps, view, name, description),
    styles: ['chart.css', 'company.css', 'identity.css', useThisDataAssets.style],
    scripts: ['search.js', 'grid.js', 'bars.js', 'company.js', 'companyChart.js', useThisDataAssets.script],
    main: html`${tables.statements.length > 0 && skipLinks(sections)}
<header class="company"><h1>${name}</h1>
<p class="quiet"><strong>${ticker}</strong> ${manifest?.name ?? market}, ${manifest?.issuer.name ?? 'register number'} ${profile.issuer_id}</p>${lastFiledBadge(profile, list.as_of)}</header>
${notice}
${profile.note !== undefined && html`<p class="notice">${profile.note}</p>`}
${companyParts(ticker, 'figures', query, view.content, lastWholeDay(list.as_of), visitor.seesPrices)}
<div class="views-row">${(query.as_of !== undefined || profile.metrics.length > 0) && tabLinks(ticker, query)}
${tables.statements.length > 0 && figureViewLinks(ticker, query)}
</div>
${tables.statements.length > 0 && figureViewNote(ticker, query)}
${query.figures !== 'latest' && asOfForm(view, tables, query)}
${countedNote(visitor.rights)}
${list.data.length === 0 && html`<p class="notice">${whyNoFigures(view, query)}</p>`}
${tables.statements.length > 0 && html`${companyChart(tables, address)}${sectionLinks(sections)}${viewOptions(tables, ticker, query)}${growthLegend(tables)}`}
<div id="statements" class="statements${tables.periods.length <= 2 && ' few'}${query.changes === 'shown' && ' changes'}">${statementTables(tables, address, trendLinks(tables, address))}</div>
${earlierLink(tables, ticker, query)}
<div class="without-script">${timeline(known, query, manifest, checkOf(view, known, query))}</div>
<dialog id="drawer" class="drawer" aria-labelledby="figure-title"><form method="dialog"><button aria-label="Close">✕</button></form></dialog>
${missing}
${valuationBlock(valuations)}<section><h2 id="about">About the company</h2>
${identity(profile, manifest?.name ?? market, list.name)}</section>
${filingsTable(filings)}
${useThisData(companyUse(deps, visitor, view, query, tables))}
${downloadLinks(deps.settings, manifest, ticker, query)}
${sourceSection(list, html`<p><a href="/markets/${market}">How to read the figures of ${manifest?.name ?? market}</a>. <a href="#use">Programs get the same figures</a>.</p>`)}
${searchForm('')}
${hasFullHistory && query.figures !== 'latest' && html`${cellStates(tables)}${trendData(tables, query)}`}`,
  }
}

function sectionsOf({ statements }: Tables, missing: Markup, { data }: FilingList): Section[] {
  const sections = [
    ...statements.map(({ id, title }) => ({ id, title })),
    ...(missing.text === '' ? [] : [{ id: 'missing', title: 'What is missing' }]),
    { id: 'about', title: 'About the company' },
    ...(data.length === 0 ? [] : [{ id: 'filings', title: 'Latest filings' }]),
    { id: 'use', title: 'Use this data' },
    { id: 'source', title: 'Source and terms' },
  ]
  return sections
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

const tabNames = { years: 'Years', quarters: 'Quarters', ttm: 'Trailing 12 months' } as const

const tabLinks = (ticker: string, { cell: _, before: __, show = 'years', ...query }: CompanyPageQuery) =>
  html`<nav class="tabs" aria-label="Periods">${tabs.map(tab => {
    const path = companyPath(ticker, { ...query, show: tab })
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
${data.map(row => html`<tr><td>${row.filed}</td><td>${row.form}${formNote(market, row.form)}</td><td>${row.url === null ? row.accession : html`<a href="${row.url}" rel="noreferrer">${row.accession}</a>`}</td><td class="number">${row.figures}</td></tr>\n`)}</tbody>
</table></div>
${next !== null && html`<p class="quiet">Programs get earlier filings from <code>GET /api/v1/filings?market=${market}&amp;ticker=${ticker}</code>.</p>`}</section>`
}
