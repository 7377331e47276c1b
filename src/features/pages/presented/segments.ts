import { html, type Markup } from '../../../html.ts'
import { searchForm } from '../../../http/pages/errorPage.ts'
import type { Page } from '../../../http/pages/shell.ts'
import { lastWholeDay } from '../../../instants.ts'
import { lengthName } from '../../statements/periodLength.ts'
import type { Breakdown } from '../../statements/segmentsSchema.ts'
import { companyHead, companyName, companyParts, sourceSection } from '../companyFrame.ts'
import type { CompanyVisitor } from '../deps.ts'
import { downloadFormats, isDownloadable } from '../downloads.ts'
import { metricField } from '../fields.ts'
import { metricLabel } from '../metricLabels.ts'
import { exactDecimal, powerNames, powerOf, shownDecimal, unitKind } from '../numbers.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { type BarsAs, breakdownChart, shareOf } from './breakdownChart.ts'
import { dayLinks, filingDayField, reportFields } from './choices.ts'
import { segmentsUse } from './dataUse.ts'
import { type BreakdownTable, divisionOf } from './divide.ts'
import { lengthText, lineLabel } from './labels.ts'
import { knownContent, titleText, withoutFilings } from './page.ts'
import { type SegmentsPageQuery, segmentsDownloadPath, segmentsPath } from './query.ts'
import { type PresentedDeps, readSegmentsView, type SegmentsView } from './read.ts'
import { blank } from './table.ts'

const axes = [
  { axis: 'product', name: 'Product' },
  { axis: 'geography', name: 'Geography' },
  { axis: 'segment', name: 'Segment' },
] as const

/** /companies/{id}/segments: a metric by product, region or segment, as bars and beside its total. */
export async function segmentsPage(
  deps: PresentedDeps,
  visitor: CompanyVisitor,
  id: string,
  query: SegmentsPageQuery,
): Promise<Page> {
  const view = await readSegmentsView(deps, visitor, id, query)
  const { profile, answer } = view
  const manifest = deps.markets.get(profile.market)
  const name = companyName(profile)
  const { axis = 'product', metric = query.tag === undefined ? 'revenue' : undefined } = query
  const subject = metric === undefined ? (query.tag ?? '') : metricLabel(metric)
  const hasFilings = view.filingDays.length > 0
  return {
    title: `${name} (${profile.ticker}): ${subject.toLowerCase()} by ${axis}`,
    description: `${subject} of ${name} (${profile.ticker}) by product, geography and segment as the company stated it, with the exact sum, the total and the difference.`,
    canonical: `${deps.settings.baseUrl}${segmentsPath(profile.ticker)}`,
    styles: ['chart.css', 'company.css', 'statements.css', 'identity.css', useThisDataAssets.style],
    scripts: ['search.js', 'grid.js', 'bars.js', useThisDataAssets.script],
    main: html`${companyHead(profile, manifest)}
${companyParts(profile.ticker, 'segments', query, knownContent(view.filingDays), lastWholeDay(view.asOf), visitor.seesPrices)}
${hasFilings && axisLinks(view, query, axis)}
${hasFilings && segmentsForm(deps, view, query, axis, metric)}
<h2 id="breakdown">${subject} by ${axis}</h2>
${answer.filing !== null && html`<p class="quiet">As known on ${answer.as_of}. All figures are those of ${answer.filing.form}, filed ${answer.filing.filed}${answer.filing.url !== null && html` (<a href="${answer.filing.url}" rel="noreferrer">${answer.filing.accession}</a>)`}, stated as <code>${answer.tag}</code>. A difference need not be an error: a company may leave parts out, or reconcile its segments with the whole.</p>`}
${answer.note !== undefined && html`<p class="notice">${answer.note}${answer.count === 0 && otherAxes(view, query)}</p>`}
${!hasFilings && withoutFilings(manifest, profile)}
${breakdowns(view, query, subject)}
${hasFilings && useThisData(segmentsUse(deps, visitor, view, query))}
${answer.count > 0 && isDownloadable(deps.settings, manifest) && downloadSection(profile.ticker, query)}
${sourceSection(answer, html`<p><a href="#use">Programs get the same figures</a>; the <a href="/docs">API reference</a> lists the parameters.</p>`)}
${searchForm('')}`,
  }
}

/** Axes that the filing does not have remain links: earlier filings may have them. */
const axisLinks = ({ profile, dividedBy }: SegmentsView, query: SegmentsPageQuery, axis: string) =>
  html`<nav class="tabs" aria-label="Breakdowns">${axes.map(each => {
    const isMissing = dividedBy.length > 0 && !dividedBy.includes(each.axis) && each.axis !== axis
    return html`<a href="${segmentsPath(profile.ticker, { ...query, axis: each.axis })}"${each.axis === axis && html` aria-current="page"`}${isMissing && html` class="missing" title="Not in this filing"`}>${each.name}${isMissing && html`<span class="hidden"> (not in this filing)</span>`}</a>`
  })}</nav>`

function otherAxes({ profile, dividedBy }: SegmentsView, query: SegmentsPageQuery): Markup | false {
  const found = axes.filter(({ axis }) => dividedBy.includes(axis))
  return (
    found.length > 0 &&
    html` The latest report divides it by ${found.map(({ axis, name }, at) => html`${at > 0 && ' and by '}<a href="${segmentsPath(profile.ticker, { ...query, axis })}">${name.toLowerCase()}</a>`)}.`
  )
}

function segmentsForm(
  deps: PresentedDeps,
  view: SegmentsView,
  query: SegmentsPageQuery,
  axis: string,
  metric: string | undefined,
): Markup {
  const { as_of, tz, fp, fy, bars } = query
  const path = (day: string | undefined) => {
    const { as_of: _, tz: __, ...others } = query
    return segmentsPath(view.profile.ticker, { ...others, ...(day === undefined ? {} : { as_of: day }) })
  }
  return html`<div class="choices"><form method="get" action="${segmentsPath(view.profile.ticker)}">
<input type="hidden" name="axis" value="${axis}">
${bars !== undefined && html`<input type="hidden" name="bars" value="${bars}">`}
${tz !== undefined && html`<input type="hidden" name="tz" value="${tz}">`}
${metricField(deps, 'metric', 'Metric', metric ?? 'revenue')}
${filingDayField(view, as_of)}
${reportFields(view, { fp, fy })}
<button type="submit">Show</button>
</form>
${dayLinks(view, query, path)}
</div>`
}

function breakdowns({ answer, profile }: SegmentsView, query: SegmentsPageQuery, subject: string): Markup {
  const tables = tablesOf(answer.data)
  const { bars: as = 'shares' } = query
  const isChoice = tables.some(table => divisionOf(table).kind === 'shares')
  const link = (name: BarsAs, text: string) =>
    html`<a href="${segmentsPath(profile.ticker, { ...query, bars: name })}"${name === as && html` aria-current="true"`}>${text}</a>`
  return html`${isChoice && html`<nav class="views" aria-label="Height of the bars">${link('shares', 'Shares of the total')}${link('amounts', 'Amounts')}</nav>`}
<div class="breakdowns">${tables.map((each, at) => breakdownSection(each, at, subject, as))}</div>`
}

const downloadSection = (ticker: string, { bars: _, ...query }: SegmentsPageQuery) =>
  html`<section><h2 id="download">Download</h2>
<p>These breakdowns, as known on the day of the page, as a file with a row per member: label, period, value, unit, sum, total and filing.</p>
<p class="buttons">${downloadFormats.map(format => html`<a class="button" href="${segmentsDownloadPath(ticker, { ...query, format })}" download>${format}</a> `)}</p></section>`

/** Breakdowns that a filing presents together: the same members, in one table with a column per period. */
function tablesOf(data: readonly Breakdown[]): BreakdownTable[] {
  const tables = new Map<string, [Breakdown, ...Breakdown[]]>()
  for (const each of data) {
    const key = JSON.stringify([each.axis, each.title, lengthName(each), each.unit])
    const table = tables.get(key)
    if (table === undefined) tables.set(key, [each])
    else table.push(each)
  }
  return [...tables.values()]
}

function breakdownSection(table: BreakdownTable, at: number, subject: string, as: BarsAs): Markup {
  const [latest] = table
  const { unit, axis, title } = latest
  const length = lengthName(latest)
  const kind = unitKind(unit)
  const values = table.flatMap(({ members, total }) => [...members.map(({ value }) => value), total])
  const power = kind === 'other' ? 0 : powerOf(values.filter(value => value !== null))
  const cell = (value: string | null | undefined) =>
    value === undefined
      ? blank('Not stated for this period')
      : value === null
        ? html`<td>–</td>`
        : html`<td data-v="${value}" title="${exactDecimal(value)} ${unit}">${shownDecimal(value, kind, power)}</td>`
  // Labels of the latest period count.
  const members = new Map<string, Breakdown['members'][number]>()
  for (const each of [...table].reverse())
    for (const member of each.members) members.set(member.member, member)
  const inOrder = [...new Set(table.flatMap(each => each.members.map(({ member }) => member)))]
  const row = (
    name: Markup | string,
    classes: string,
    figureOf: (each: Breakdown) => string | null | undefined,
  ) =>
    html`<tr${classes !== '' && html` class="${classes}"`}><th scope="row">${name}</th>${table.map(each => cell(figureOf(each)))}<td>${shareOf(figureOf(latest), latest.total) ?? ''}</td></tr>\n`
  const id = `breakdown-${at}`
  const heading = title === null ? axis : titleText(title)
  return html`<section><h3 id="${id}">${heading} <small>${length !== null && `${length}, `}${unit}${power > 0 && ` in ${powerNames[power]}`}</small></h3>
${breakdownChart(table, `${subject}: ${heading}`, as)}
<div class="scroll whole" tabindex="0" role="region" aria-labelledby="${id}"><table class="presented narrow">
<thead><tr><th scope="col" rowspan="2" class="line">Member</th><th scope="colgroup" colspan="${table.length}">${lengthText(latest)}</th><th scope="col" rowspan="2">${divisionOf(table).kind === 'apart' ? 'Ratio to latest total' : 'Share of latest total'}</th></tr>
<tr>${table.map(({ end, fy, fp }) => html`<th scope="col">${end}${fy !== null && fp !== null && html`<small>${fp} ${fy}</small>`}</th>`)}</tr></thead>
<tbody>
${inOrder.map(member => {
  const { label = null, part_of = null } = members.get(member) ?? {}
  const name = html`<span title="${member}">${lineLabel(label, member)}</span>`
  return row(
    name,
    part_of === null ? '' : 'in1',
    each => each.members.find(other => other.member === member)?.value,
  )
})}\
${row('Sum', 'total', ({ sum }) => sum)}\
${row('Total as stated', '', ({ total }) => total)}\
${row('Difference', 'difference', ({ difference }) => difference)}\
</tbody></table></div></section>
`
}
