import { Failure } from '../../../errors.ts'
import { html, type Markup } from '../../../html.ts'
import { PageFailure } from '../../../http/pages/pageFailure.ts'
import type { Page } from '../../../http/pages/shell.ts'
import { readMetrics } from '../../../markets/parameters.ts'
import type { Rights } from '../../../rights/rights.ts'
import { companyPath } from '../company/query.ts'
import type { PageDeps } from '../deps.ts'
import { namesOf } from '../fields.ts'
import { metricLabel } from '../metricLabels.ts'
import type { Tab } from '../periodTabs.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { firstDays } from './align.ts'
import { compareUse } from './dataUse.ts'
import { compareForm, lineSets, showNames, viewNames } from './form.ts'
import { type ComparedLine, compareLine, lineChart, lineNotes, lineTable, listed, unitText } from './lines.ts'
import {
  type Compare,
  type CompareFields,
  chosenDay,
  comparePath,
  fieldsOf,
  maxCompanies,
  readCompare,
} from './query.ts'
import { type ComparedCompany, type Comparison, type LeftOut, readComparison } from './read.ts'

/** /compare: the same lines of two to eight companies side by side, as known on a day. */
export async function comparePage(deps: PageDeps, rights: Rights, queryText: string): Promise<Page> {
  const fields = fieldsOf(queryText)
  try {
    const compare = readCompare(queryText)
    readMetrics(deps.markets.metrics, compare.metrics.join(','))
    // Merely opening the page must not use up companies of an evaluation.
    if (compare.companies.length === 0)
      return pageOf(deps, rights, fields, null, await examples(deps, rights, compare))
    const comparison = await readComparison(deps, rights, compare)
    const { companies, leftOut } = comparison
    const main = html`${notices(comparison, compare)}${companies.length > 0 && shownComparison(deps, rights, comparison, compare)}`
    const page = pageOf(deps, rights, fields, compare, main)
    if (companies.length === 0 && leftOut.length > 0) throw new PageFailure(leftOut[0].failure, page)
    return page
  } catch (error) {
    if (error instanceof PageFailure || !(error instanceof Failure)) throw error
    throw new PageFailure(
      error,
      pageOf(deps, rights, fields, null, html`<p class="notice bad">${error.message}</p>`),
    )
  }
}

function pageOf(
  deps: PageDeps,
  rights: Rights,
  fields: CompareFields,
  compare: Compare | null,
  main: Markup,
): Page {
  const path = compare === null ? '/compare' : comparePath(compare)
  return {
    section: '/compare',
    title:
      compare === null
        ? 'Compare companies'
        : `Compare ${compare.companies.slice(0, maxCompanies).join(', ')}`,
    description:
      'Revenue, profit, margins and other lines of two to eight companies side by side, as known on any day, each figure with its filing.',
    canonical: deps.settings.baseUrl + path,
    styles: ['chart.css', 'company.css', 'compare.css', useThisDataAssets.style],
    scripts: ['bars.js', 'grid.js', useThisDataAssets.script],
    main: html`<h1>Compare companies</h1>
<p>The same lines of two to eight companies side by side, as filed and as known on any day.</p>
${countedNote(rights)}
${compareForm(deps, rights, fields, compare !== null && compare.companies.length > 0)}
${main}`,
  }
}

const countedNote = ({ entityCap, licence }: Rights): Markup | false =>
  entityCap !== null &&
  html`<p class="quiet">Each company that you compare counts as one of the ${entityCap.toLocaleString('en-US')} that your ${licence} licence covers, once. <a href="/account/usage">See how many you have used</a>.</p>`

/** Companies that many servers have, for the examples of the blank page. */
const known = ['AAPL', 'GOOGL', 'MSFT', 'IBM', 'INTC', 'CSCO']
const abroad = ['2330.TW', '005930.KS', 'E02367.JP']

/** Links to comparisons that this server and this visitor can show in full. Nothing of a company is read. */
async function examples(deps: PageDeps, rights: Rights, compare: Compare): Promise<Markup> {
  const names = await namesOf(deps, [...known, ...abroad, ...rights.openCompanies])
  const open = [...known, ...rights.openCompanies].filter(
    (id, at, all) => names.has(id) && rights.seesHistoryOf(id) && all.indexOf(id) === at,
  )
  const foreign = abroad.find(id => names.has(id) && rights.seesHistoryOf(id))
  const pairs = [
    open.length >= 2 && { companies: open.slice(0, 2), why: '' },
    open.length >= 1 &&
      foreign !== undefined && {
        companies: [open[0], foreign],
        why: ', in two currencies, so indexed to 100',
      },
  ].filter(pair => pair !== false)
  return html`<h2>Try it</h2>
${pairs.length === 0 && html`<p>Type the symbols of two companies above. The search finds the symbol for a name.</p>`}
<ul>${pairs.map(
    ({ companies, why }) =>
      html`<li><a href="${comparePath(compare, { companies })}">${companies.join(', ')}</a>: ${listed(companies.map(id => names.get(id) ?? id))}${why}</li>`,
  )}</ul>`
}

/** What was asked for and is not shown, with a way on. */
function notices({ leftOut, repeated, beyond, companies }: Comparison, compare: Compare): Markup {
  return html`${leftOut.map(one => leftOutNotice(one, compare))}
${repeated.length > 0 && html`<p class="notice">${listed(repeated)} ${repeated.length === 1 ? 'is another ID' : 'are other IDs'} of a company that is already compared.</p>`}
${beyond.length > 0 && html`<p class="notice">A comparison has at most ${maxCompanies} companies. ${listed(beyond)} ${beyond.length === 1 ? 'is' : 'are'} left out.</p>`}
${companies.length === 1 && html`<p class="notice">This is one company. Add a second one above to compare it.</p>`}`
}

function leftOutNotice({ sent, failure, near }: LeftOut, compare: Compare): Markup {
  if (failure.code === 'licence_required')
    return html`<p class="notice bad"><strong>${sent}</strong> is left out: without a licence, past days of this company are not open. Leave the day empty for its most recent fiscal year, or get a <a href="/docs/guides/keys-and-limits#licences">licence</a>.</p>`
  if (failure.code === 'entity_cap_reached')
    return html`<p class="notice bad"><strong>${sent}</strong> is left out: your licence covers no more companies. Companies that you have already seen stay available. <a href="/account/usage">See how many you have used</a>.</p>`
  const without = (other: string) =>
    comparePath(compare, { companies: compare.companies.map(id => (id === sent ? other : id)) })
  return html`<p class="notice bad">We know no company <strong>${sent}</strong>. ${
    near.length === 0
      ? html`<a href="/search?q=${encodeURIComponent(sent)}">Search for it by name</a>.`
      : html`Did you mean ${near.map(({ ticker, name }, at) => html`${at > 0 && (at === near.length - 1 ? ' or ' : ', ')}<a href="${without(ticker)}">${ticker}</a>${name !== null && name !== ticker && ` (${name})`}`)}?`
  }</p>`
}

function shownComparison(
  deps: PageDeps,
  rights: Rights,
  { companies }: Comparison,
  compare: Compare,
): Markup {
  const lines = compare.metrics.map(metric => compareLine(companies, metric, compare))
  const attributions = [...new Set(companies.flatMap(({ list }) => list.attribution))]
  const licence = companies.find(({ list }) => list.licence !== undefined)?.list.licence
  return html`${companyList(companies, compare)}
<div class="views-row"><nav class="tabs" aria-label="Periods">${choices(showNames, compare.show, show => comparePath(compare, { show }))}</nav>
<nav class="tabs figure-views" aria-label="What is shown">${choices(viewNames, compare.view, view => comparePath(compare, { view }))}</nav></div>
${lineSets(deps, compare.companies)}
<p class="quiet">${alignment(companies, compare)}</p>
${restriction(companies)}
${lines.map(line => {
  const notes = lineNotes(line, compare)
  return html`<section><h2 id="line-${line.metric}">${metricLabel(line.metric)} <small>${line.columns.length > 0 && unitText(line)}</small></h2>
${notes.length > 0 && html`<p class="quiet">${notes.join(' ')}</p>`}
${hasFigures(line) ? html`${lineChart(line, compare)}${line.columns.length > 0 && lineTable(line, compare)}${otherTimes(line, compare)}` : html`<p>${companies.length === 1 ? 'This company has no figure' : 'None of these companies has a figure'} of this line ${compare.as_of === undefined ? 'on record for these periods' : `that was known on ${compare.as_of}`}. Other periods may have some.</p>`}</section>
`
})}
${useThisData(compareUse(deps, { rights }, companies, compare), compare.view === 'values' ? null : `They get the figures from which ${compare.view === 'growth' ? 'the growth' : 'the index'} is computed.`)}
<section><h2 id="source">Source and terms</h2>
${attributions.map(text => html`<p>${text}</p>`)}
${licence !== undefined && html`<p>${licence}</p>`}</section>`
}

const hasFigures = ({ rows }: ComparedLine) => rows.some(({ cells }) => cells.size > 0)

/** Links to other columns: earlier ones, and those of companies whose figures end long before those of the others. */
function otherTimes({ drawnColumns, columns, rows, isPart }: ComparedLine, compare: Compare): Markup | false {
  const early = rows.flatMap(({ company, cells }) => {
    const isDrawn = cells.size === 0 || drawnColumns.some(({ key }) => cells.has(key))
    const last = [...cells.values()].at(-1)
    return isDrawn || last === undefined ? [] : [{ name: company.name, end: last.end }]
  })
  const earliest = columns.at(-1)
  const earlier = rows
    .flatMap(({ cells }) => [...cells.values()])
    .filter(({ column }) => earliest !== undefined && column.key < earliest.key)
  const end =
    earlier
      .map(cell => cell.end)
      .sort()
      .at(-1) ?? ''
  const links = [
    ...early.map(
      ({ name, end }) =>
        html`The figures of ${name} end on ${end}: <a href="${comparePath(compare, { before: end })}">compare up to then</a>.`,
    ),
    ...(isPart && end !== ''
      ? [html`<a href="${comparePath(compare, { before: end })}">Earlier periods</a>`]
      : []),
    ...(compare.before === undefined
      ? []
      : [html`<a href="${comparePath(compare, { before: undefined })}">The latest periods</a>`]),
  ]
  return (
    links.length > 0 && html`<p class="quiet">${links.map((link, at) => html`${at > 0 && ' '}${link}`)}</p>`
  )
}

const choices = <Choice extends string>(
  names: Readonly<Record<Choice, string>>,
  chosen: Choice,
  pathOf: (choice: Choice) => string,
) =>
  html`${(Object.keys(names) as Choice[]).map(choice => html`<a href="${pathOf(choice)}"${choice === chosen && html` aria-current="page"`}>${names[choice]}</a>`)}`

const companyList = (companies: readonly ComparedCompany[], compare: Compare) =>
  html`<ul class="compared" aria-label="Companies compared">${companies.map(
    ({ sent, ticker, idOnDay, name, market }) => {
      const rest = compare.companies.filter(id => id !== sent)
      return html`<li><a href="${companyPath(idOnDay, { show: compare.show, ...chosenDay(compare) })}">${name}</a> <span>${ticker}, ${market}</span>${companies.length > 1 && html` <a href="${comparePath(compare, { companies: rest })}" aria-label="Remove ${name}">Remove</a>`}</li>`
    },
  )}</ul>`

const columnText: Readonly<Record<Tab, string>> = {
  years: `A column holds each company’s fiscal year that ends in that calendar year. A year that ends in the first ${firstDays} days of January counts to the year before.`,
  quarters: `A column holds each company’s fiscal quarter that ends in those three months. A quarter that ends in the first ${firstDays} days of a month counts to the month before.`,
  ttm: `A column holds each company’s twelve months up to a report that ends in those three months. A period that ends in the first ${firstDays} days of a month counts to the month before.`,
}

const viewText = {
  values: '',
  growth:
    ' Growth compares a figure with the same fiscal period of the same company a year before; it is n/a where the signs differ. Share counts and figures per share are adjusted for splits that filings up to the day show.',
  indexed: ' Share counts and figures per share are adjusted for splits that filings up to the day show.',
} as const

/** Says which periods stand in one column, and that they differ if they do. */
function alignment(companies: readonly ComparedCompany[], { show, view, as_of }: Compare): string {
  const months = companies.flatMap(({ name, list }) => {
    const end = list.data.findLast(({ fp }) => fp === 'FY')?.end
    return end === undefined ? [] : [{ name, month: monthOf(end) }]
  })
  const differ = new Set(months.map(({ month }) => month)).size > 1
  const ends = differ
    ? ` Their fiscal years end in different months (${months.map(({ name, month }) => `${name}: ${month}`).join('; ')}), so a column compares periods that overlap only in part.`
    : ''
  const day = as_of === undefined ? '' : ` Only what was known on ${as_of} is used.`
  return `${columnText[show]} The end of each period is below its figure.${ends}${viewText[view]}${day}`
}

const monthNames = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' })
const monthOf = (end: string) => monthNames.format(new Date(`${end}T00:00:00Z`))

function restriction(companies: readonly ComparedCompany[]): Markup | false {
  const names = companies.filter(({ hasFullHistory }) => !hasFullHistory).map(({ name }) => name)
  if (names.length === 0) return false
  return html`<p class="notice">Without a licence you see only the most recent fiscal year of ${listed(names)}. A <a href="/docs/guides/keys-and-limits#licences">licence</a> opens every year and every day of the past.</p>`
}
