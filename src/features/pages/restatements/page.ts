import { Failure } from '../../../errors.ts'
import { html, type Markup } from '../../../html.ts'
import { PageFailure } from '../../../http/pages/pageFailure.ts'
import type { Page } from '../../../http/pages/shell.ts'
import { parseAsOf } from '../../../markets/asOf.ts'
import type { Rights } from '../../../rights/rights.ts'
import { idsOnDay } from '../../companies/lookup.ts'
import { isPeriodFigure } from '../../fundamentals/columns.ts'
import type { PageViewer } from '../../marketPages/query.ts'
import {
  planRestatements,
  type RestatementsPlan,
  readRestatementsWithFilings,
  type StatingFiling,
} from '../../restatements/restatements.ts'
import { type RestatementList, restatementsLimit } from '../../restatements/schema.ts'
import { companyPath } from '../company/query.ts'
import type { PageDeps } from '../deps.ts'
import { sampleNotice } from '../extent/sampleNotice.ts'
import { cappedCompanies, cappedNote, listLimit, marketField, metricField, namesOf } from '../fields.ts'
import { exactFigure, formOf, type Scale, scaleOf, shownChange, shownFigure } from '../figures.ts'
import { metricInText } from '../metricLabels.ts'
import { listNotes, noticeOf } from '../notes.ts'
import type { Tab } from '../periodTabs.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { byYear, type Change, commonUnit, inOrder, percentOf, type Sort } from './change.ts'
import { yearCharts } from './charts.ts'
import { restatementsUse } from './dataUse.ts'
import { openChanges } from './openChanges.ts'
import {
  fieldsOf,
  isBlank,
  type RestatementsFields,
  type RestatementsPageQuery,
  readRestatementsPageQuery,
  restatementsPath,
} from './query.ts'

const maxRows = 300

/** /restatements: the changes of a metric in a market, with their sizes and filings. */
export async function restatementsPage(deps: PageDeps, viewer: PageViewer, queryText: string): Promise<Page> {
  const fields = fieldsOf(queryText)
  const page = {
    title: `Restatements of ${metricInText(fields.metric)}, ${deps.markets.get(fields.market)?.name ?? fields.market}`,
    section: '/restatements',
    description:
      'Figures that a later filing changed, the latest first, with both values, both filings and the size of the change.',
    canonical: `${deps.settings.baseUrl}/restatements?market=${fields.market}&metric=${fields.metric}`,
    styles: ['chart.css', 'lists.css', useThisDataAssets.style],
    scripts: ['bars.js', 'grid.js', useThisDataAssets.script],
  } as const
  const head = headOf(deps, viewer.rights, fields)
  try {
    const sent = readRestatementsPageQuery(queryText)
    return { ...page, main: html`${head}\n${await listOf(deps, viewer, sent, fields)}` }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const main = html`${head}\n<p class="notice bad">${error.message}</p>`
    throw new PageFailure(error, { ...page, main })
  }
}

const sortNames: Readonly<Record<Sort, string>> = {
  filed: 'latest first',
  amount: 'largest amount first',
  percent: 'largest percentage first',
}

function headOf(deps: PageDeps, rights: Rights, fields: RestatementsFields): Markup {
  const day = (id: string, name: string, label: string, value: string) =>
    html`<span class="field"><label for="${id}">${label}</label> <input id="${id}" name="${name}" size="12" value="${value}" placeholder="YYYY-MM-DD" spellcheck="false" autocomplete="off"></span>`
  return html`<h1>Restatements</h1>
<p>Figures that a later filing changed, through an amendment, recast comparatives or a split.</p>
${cappedNote(rights)}
<form method="get" action="/restatements" class="filters"><p class="row">${marketField(deps, fields.market)} ${metricField(deps, 'metric', 'Metric', fields.metric)}
${day('from', 'from', 'Filed since', fields.from)} ${rights.seesAllHistory && day('as-of', 'as_of', 'As known on', fields.asOf)}
${fields.tz !== '' && html`<input type="hidden" name="tz" value="${fields.tz}">`}<span class="field"><label for="sort">Order</label> <select id="sort" name="sort">${Object.entries(sortNames).map(([value, name]) => html`<option value="${value}"${value === fields.sort && html` selected`}>${name}</option>`)}</select></span> <button type="submit">Show</button></p></form>`
}

async function listOf(
  deps: PageDeps,
  { rights, allowance }: PageViewer,
  sent: RestatementsPageQuery,
  fields: RestatementsFields,
): Promise<Markup> {
  const { metric = 'revenue', market = 'US', sort = 'filed', ...rest } = sent
  // Merely opening the page must not use up companies of an evaluation, so it lists those that the licence has counted.
  const isFreeOfCost = allowance !== null && isBlank(sent)
  const most = rights.seesAllHistory ? restatementsLimit.max : restatementsLimit.maxFree
  const viewer = { rights, allowance: isFreeOfCost ? { ...allowance, left: 0 } : allowance }
  const limit = isFreeOfCost ? restatementsLimit.max : listLimit(allowance, most)
  const plan = planRestatements(deps, viewer, { metric, market, limit, ...rest })
  const intro = isFreeOfCost && freeOfCost(deps, allowance.seen.length, fields)
  if (isFreeOfCost && allowance.seen.length === 0) return html`${intro}`
  const { list, filings } = await deps.readLimiter.run('pages', () =>
    readRestatementsWithFilings(deps, rights, plan),
  )
  const open = plan.recentFiscalYearOnly && plan.after === null ? await openChanges(deps, rights, plan) : []
  const found = list.data.map((row, at) => ({ ...row, filings: filings[at] }))
  const own = found.filter(({ ticker }) => open.every(change => change.ticker !== ticker))
  const changes: Change[] = [...own, ...open]
  const unit = commonUnit(changes)
  const ordered = inOrder(changes, sort, unit)
  const shown = ordered.changes.slice(0, maxRows)
  const names = await namesOf(
    deps,
    shown.map(({ ticker }) => ticker),
  )
  const day = parseAsOf(rest)
  const ids = day === null ? new Map<string, string>() : await idsOnDay(deps, shown, day)
  const ofCompany = own.length === 0 && open[0] !== undefined ? open[0].ticker : null
  const notes =
    own.length === 0 && open.length > 0
      ? [onlyOpen]
      : listNotes(
          deps.markets,
          isFreeOfCost ? { ...plan, seen: null, left: null } : plan,
          list,
          'No figure was changed in this time.',
        )
  return html`${intro}
${await sampleNotice(deps)}
${noticeOf(notes)}
${changes.length > 0 && html`<p class="quiet"><a href="#by-year">How often and how much by year</a></p>`}
${shown.length > 0 && changeTable(shown, names, ids, { ...fields, isBlank: isFreeOfCost }, deps.markets.get(market)?.name ?? market)}
<p class="quiet">${sort !== 'filed' && ordered.unranked > 0 && `${unrankedText(sort, ordered.unranked, unit)} `}${extent(changes.length, shown.length, ordered.unranked, sort, plan, list)} ${list.next !== null && html`<a href="${restatementsPath(fields, { cursor: list.next })}">The next companies</a>. `}${list.attribution}</p>
${yearCharts(byYear(changes), metricInText(metric))}
${useThisData(restatementsUse(deps, rights, plan, rest, ofCompany), useNote(open, ofCompany))}`
}

/** The answer for the market has only the last year of open companies, so they have requests of their own. */
function useNote(open: readonly Change[], ofCompany: string | null): string | null {
  if (ofCompany !== null)
    return `They ask for ${ofCompany}: send market instead of ticker for the other companies.`
  const tickers = [...new Set(open.map(({ ticker }) => ticker))].join(', ')
  return tickers === '' ? null : `All years of ${tickers} come from requests with ticker instead of market.`
}

const onlyOpen = html`The companies listed here are open to everybody. Without a licence you see only the most recent fiscal year of every \
other company, and none of them has a change in it.`

/** Says what an evaluation sees without using up companies, and how it sees more. */
function freeOfCost({ markets }: PageDeps, seen: number, { metric, market }: RestatementsFields): Markup {
  const country = markets.get(market)?.name ?? market
  const what =
    seen === 0
      ? 'You have not seen any company yet, so there is nothing to list without using up some.'
      : `Below are the changes among the ${exactFigure(seen)} ${seen === 1 ? 'company' : 'companies'} that you have already seen.`
  return html`<form method="get" action="/restatements" class="notice"><p>Opening this page uses up no company of your licence. ${what}</p>
<input type="hidden" name="metric" value="${metric}"><input type="hidden" name="market" value="${market}">
<p><button type="submit">List changes of all companies of ${country}</button> <span class="quiet">Every company in the list counts, and a list has at most ${cappedCompanies}.</span></p></form>`
}

const unrankedText = (sort: 'amount' | 'percent', count: number, unit: string | null) =>
  sort === 'percent'
    ? `${exactFigure(count)} ${count === 1 ? 'change has' : 'changes have'} no size in percent (another sign or unit, or from 0) and ${count === 1 ? 'is' : 'are'} left out of this order.`
    : `Amounts are ranked in ${unit}. ${exactFigure(count)} ${count === 1 ? 'change from or to another unit is' : 'changes from or to another unit are'} left out of this order.`

function extent(
  all: number,
  shown: number,
  unranked: number,
  sort: Sort,
  plan: RestatementsPlan,
  { next }: RestatementList,
): string {
  const whose = next === null ? 'the companies' : `the ${exactFigure(plan.limit)} companies`
  const which =
    shown < all - unranked
      ? `The ${sort === 'filed' ? 'latest' : 'largest'} ${exactFigure(shown)} of ${exactFigure(all)} changes`
      : unranked > 0
        ? `${exactFigure(shown)} of ${exactFigure(all)} changes`
        : `All ${exactFigure(all)} changes`
  return all === 0 ? '' : `${which} among ${whose} on this page.`
}

const headings: readonly { readonly title: string; readonly sort?: Sort }[] = [
  { title: 'Filed', sort: 'filed' },
  { title: 'Period' },
  { title: 'Before' },
  { title: 'After' },
  { title: 'Change', sort: 'amount' },
  { title: 'In percent', sort: 'percent' },
  { title: 'Unit' },
  { title: 'Before filed' },
]

function changeTable(
  rows: readonly Change[],
  names: ReadonlyMap<string, string | null>,
  ids: ReadonlyMap<string, string>,
  { isBlank, ...fields }: RestatementsFields & { readonly isBlank: boolean },
  country: string,
): Markup {
  const scale = scaleOf(rows.flatMap(({ value, unit, m }) => (formOf(m, unit) === 'amount' ? [value] : [])))
  const head = ({ title, sort }: (typeof headings)[number]) => {
    if (sort === undefined) return html`<th scope="col">${title}</th>`
    const isSorted = sort === fields.sort
    return html`<th scope="col"${isSorted && html` aria-sort="descending"`}><a href="${restatementsPath(fields, { sort, isBlank })}">${title}${isSorted && ' ▼'}</a></th>`
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Restatements, ${country}"><table class="figures changes">
<thead><tr><th scope="col">Company</th>${headings.map(head)}</tr></thead>
<tbody>
${rows.map(row => changeRow(row, names.get(row.ticker) ?? row.ticker, ids.get(row.ticker) ?? row.ticker, scale, fields))}</tbody>
</table></div>`
}

/** @param id of the company on the day of the page */
function changeRow(
  row: Change,
  name: string,
  id: string,
  scale: Scale,
  { asOf, tz }: RestatementsFields,
): Markup {
  const { m, fp, fy, end, unit, filings } = row
  const form = formOf(m, unit)
  const day = { ...(asOf === '' ? {} : { as_of: asOf }), ...(tz === '' ? {} : { tz }) }
  const tab: Tab = fp === 'FY' ? 'years' : 'quarters'
  const cell = isPeriodFigure(m) ? { cell: `${m}.${fy}.${fp}.${end}` } : {}
  const path = `${companyPath(id, { show: tab, ...day, ...cell })}${isPeriodFigure(m) ? '#figure' : ''}`
  const value = (amount: number, unit: string) =>
    html`<td data-v="${amount}" title="${exactFigure(amount)} ${unit}">${shownFigure(amount, formOf(m, unit), scale)}</td>`
  const isSameUnit = unit === row.unit_before
  const difference = differenceOf(row)
  const change = isSameUnit
    ? html`<td title="${exactFigure(difference)} ${unit}">${difference > 0 && '+'}${shownFigure(difference, form, scale)}</td>`
    : html`<td>from ${row.unit_before}</td>`
  return html`<tr><th scope="row"><a href="${companyPath(id, day)}">${name}</a></th><td>${filingLink(row.filed, filings.after)}</td><td><a href="${path}">${fp} ${fy}</a><small>${end}</small></td>${value(row.value_before, row.unit_before)}${value(row.value, unit)}${change}<td>${shownChange(percentOf(row))}</td><td>${unit}${form === 'amount' && `, ${scale.name}`}</td><td>${filingLink(row.filed_before, filings.before)}</td></tr>
`
}

/** Rounded to twelve digits unless it is whole: 9.28 - 9.27 must not become 0.009999999999999787. */
function differenceOf({ value, value_before }: Change): number {
  const exact = value - value_before
  return Number.isInteger(exact) ? exact : Number(exact.toPrecision(12))
}

/** The day of a filing, which leads to its document at the register. */
const filingLink = (day: string, { accession, url }: StatingFiling) =>
  url === null
    ? html`${day}<small>${accession}</small>`
    : html`<a href="${url}" rel="noreferrer" title="Filing ${accession}">${day}</a>`
