import { html, type Markup } from '../../html.ts'
import type { Page } from '../../http/pages/shell.ts'
import { isInstant } from '../../instants.ts'
import { currencyOf } from '../../markets/currency.ts'
import type { Rights } from '../../rights/rights.ts'
import { planCrossSection } from '../crossSection/crossSection.ts'
import type { CrossSectionTable, CrossSectionTableRow } from '../crossSection/schema.ts'
import { readComparedTable } from '../crossSection/table.ts'
import type { PageViewer } from '../marketPages/query.ts'
import type { PageDeps } from './deps.ts'
import { cappedNote, listLimit, marketField, metricField, namesOf } from './fields.ts'
import { exactFigure, formOf, shownFigure } from './figures.ts'
import { screenUse } from './listUse.ts'
import { metricLabel } from './metricLabels.ts'
import { comparisonNotes, listNotes, noticeOf } from './notes.ts'
import { columnFields, type Screen, screenPath } from './screenQuery.ts'
import { useThisData, useThisDataAssets } from './useThisData/panel.ts'

/** Companies per page. */
const maxRows = 200
const millions = { divisor: 1e6, name: 'millions' } as const

/**
 * /screen: metrics of every company of a market as a sortable table, as of any day that the visitor may see.
 */
export async function screenPage(deps: PageDeps, viewer: PageViewer, screen: Screen): Promise<Page> {
  const { rights, allowance } = viewer
  const { columns } = screen
  const sort = screen.sort !== null && columns.includes(screen.sort.metric) ? screen.sort : null
  const query = {
    metric: columns.join(','),
    market: screen.market,
    fp: screen.period,
    limit: listLimit(allowance, maxRows),
    ...(sort === null ? {} : { sort: `${sort.descending ? '-' : ''}${sort.metric}` }),
    ...(screen.currency === undefined ? {} : { currency: screen.currency }),
    ...(screen.maxAgeDays === undefined ? {} : { max_age_days: screen.maxAgeDays }),
    ...(screen.asOf === undefined ? {} : { as_of: screen.asOf }),
    ...(screen.checks === undefined ? {} : { checks: screen.checks }),
    ...(screen.cursor === undefined ? {} : { cursor: screen.cursor }),
  }
  const plan = planCrossSection(deps, viewer, query, screen.bounds)
  const shown = { ...screen, sort }
  const country = deps.markets.get(plan.market)?.name
  const page = {
    title: `Screen: ${country}`,
    section: '/screen',
    styles: ['screen.css', useThisDataAssets.style],
    scripts: [useThisDataAssets.script],
    description: `Metrics of every company of ${country} in one table, with filters.`,
    canonical: `${deps.settings.baseUrl}/screen?market=${plan.market}`,
  } as const
  const head = html`<h1>Screen</h1>
${cappedNote(rights)}
${form(deps, rights, shown, plan.market)}`
  // Merely opening the page must not use up companies.
  if (rights.entityCap !== null && screen.isBlank) return { ...page, main: head }
  const { table, isWhole } = await deps.readLimiter.run('pages', () => readComparedTable(deps, rights, plan))
  const rows = table.data
  const names = await namesOf(
    deps,
    rows.map(({ ticker }) => ticker),
  )
  return {
    ...page,
    main: html`${head}
${noticeOf([...comparisonNotes(plan, table, isWhole), ...listNotes(deps.markets, plan, table, 'No company fits these settings.')])}
${useThisData(screenUse(deps, rights, shown, plan))}
${rows.length > 0 && tableOf(deps, table, rows, names, shown)}
${otherCurrencies(table, shown)}
<p class="quiet">${rows.length} companies${table.total !== undefined && table.total > rows.length && ` of ${exactFigure(table.total)}`}. ${table.next !== null && html`<a href="${screenPath(shown, { cursor: table.next })}">The next companies</a>. `}${table.attribution}</p>`,
  }
}

/** Links to the companies whose amounts are in other currencies and cannot be compared with those shown. */
function otherCurrencies(
  { other_currencies: others = [] }: CrossSectionTable,
  screen: Screen,
): Markup | false {
  const listed = others.filter(({ currency }) => currency.length === 3)
  if (listed.length === 0) return false
  return html`<p>In other currencies: ${listed.map(({ currency, companies }, index) => html`${index > 0 && ', '}<a href="${screenPath(screen, { currency, cursor: undefined })}">${exactFigure(companies)} in ${currency}</a>`)}.</p>`
}

function numberIn(row: CrossSectionTableRow, metric: string): number | null {
  const value = row[metric]
  return typeof value === 'number' ? value : null
}

function form(deps: PageDeps, rights: Rights, screen: Screen, market: string): Markup {
  const { columns, typed, period, asOf } = screen
  const periods = ['FY', 'Q1', 'Q2', 'Q3', 'Q4', 'TTM', 'latest'] as const
  return html`<form method="get" action="/screen" class="filters screen">
<p class="row">${marketField(deps, market)}
<span class="field"><label for="fp">Period</label> <select id="fp" name="fp">${periods.map(name => html`<option${name === period && html` selected`}>${name}</option>`)}</select></span>
<span class="field"><label for="age">Ended within</label> <input id="age" name="max_age_days" type="number" min="0" max="36500" value="${screen.maxAgeDays}" placeholder="any"> days</span>
<span class="field"><label for="currency">Currency</label> <input id="currency" name="currency" size="4" maxlength="3" pattern="[A-Za-z]{3}" value="${screen.currency}" placeholder="${ownCurrency(deps, market)}"></span>
${checksField(screen)}
${rights.seesAllHistory ? html`<span class="field"><label for="as-of">As of</label> <input id="as-of" name="as_of" type="${isInstant(asOf ?? '') ? 'text' : 'date'}" value="${asOf}"></span>` : html`<span class="quiet">As known today. Other days need a <a href="/docs/guides/keys-and-limits">licence</a>.</span>`}</p>
<div class="columns">${columnFields.map((name, index) => {
    const metric = columns[index]
    return html`<p>${metricField(deps, name, `Column ${index + 1}`, metric ?? '', true)}${metric !== undefined && html`<span class="bounds"><label for="min-${name}">from</label> <input id="min-${name}" name="min_${metric}" value="${typed.get(`min_${metric}`)}" size="7" inputmode="decimal"> <label for="max-${name}">to</label> <input id="max-${name}" name="max_${metric}" value="${typed.get(`max_${metric}`)}" size="7" inputmode="decimal"></span>`}</p>`
  })}</div>
${screen.sort !== null && html`<input type="hidden" name="sort" value="${screen.sort.descending && '-'}${screen.sort.metric}">`}
<p class="row"><button type="submit">Screen</button> <span class="quiet">Write bounds as 10%, 0.1, 500m or 2.5bn.</span></p></form>`
}

const checkChoices = [
  ['', 'all'],
  ['proved,consistent', 'confirmed by an identity'],
  ['proved,consistent,unchecked', 'not contradicted'],
  ['contradicted', 'contradicted'],
] as const

/** Which figures count, by what the identities of their filings say about them. */
function checksField({ checks = '' }: Screen): Markup {
  const isListed = checkChoices.some(([value]) => value === checks)
  return html`<span class="field"><label for="checks">Figures</label> <select id="checks" name="checks">${[
    ...checkChoices,
    ...(isListed ? [] : [[checks, checks.replaceAll(',', ', ')] as const]),
  ].map(
    ([value, label]) =>
      html`<option value="${value}"${value === checks && html` selected`}>${label}</option>`,
  )}</select></span>`
}

function ownCurrency({ markets }: PageDeps, market: string): string {
  const manifest = markets.get(market)
  return manifest === undefined ? '' : currencyOf(manifest)
}

function tableOf(
  { markets }: PageDeps,
  { metrics }: CrossSectionTable,
  rows: readonly CrossSectionTableRow[],
  names: ReadonlyMap<string, string | null>,
  screen: Screen,
): Markup {
  const unitOf = (metric: string) => markets.metrics.get(metric)?.unit ?? 'pure'
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Companies"><table class="figures">
<thead><tr><th scope="col">Company</th>${metrics.map(metric => columnHead(metric, unitOf(metric), screen))}<th scope="col">Currency</th><th scope="col">Period</th><th scope="col">Filed</th></tr></thead>
<tbody>
${rows.map(row => html`<tr><th scope="row"><a href="/companies/${encodeURIComponent(row.ticker)}">${names.get(row.ticker) ?? row.ticker}</a></th>${metrics.map(metric => figureCell(row, metric, unitOf(metric)))}<td>${row.currency}</td><td>${row.fp} ${row.fy}<small>${row.end}</small></td><td>${row.filed}</td></tr>\n`)}</tbody>
</table></div>`
}

function columnHead(metric: string, unit: string, screen: Screen): Markup {
  const { sort } = screen
  const isSorted = sort?.metric === metric
  const order = isSorted ? (sort.descending ? 'descending' : 'ascending') : null
  // The first click sorts by the largest first, the second reverses the order.
  const path = screenPath(
    { ...screen, cursor: undefined },
    { sort: { metric, descending: order !== 'descending' } },
  )
  const scale = unit === 'currency' || unit === 'shares' ? html`<small>millions</small>` : ''
  return html`<th scope="col"${order !== null && html` aria-sort="${order}"`}><a href="${path}">${metricLabel(metric)}${order !== null && (order === 'descending' ? ' ▼' : ' ▲')}</a>${scale}</th>`
}

function figureCell(row: CrossSectionTableRow, metric: string, unit: string): Markup {
  const value = numberIn(row, metric)
  if (value === null) return html`<td></td>`
  const named = unit === 'currency' ? 'USD' : unit === 'currency/share' ? 'USD/shares' : unit
  const shown = shownFigure(value, formOf(metric, named), millions)
  return html`<td data-v="${value}" title="${exactFigure(value)}">${shown}</td>`
}
