import { html, type Markup } from '../../../html.ts'
import { searchForm } from '../../../http/pages/errorPage.ts'
import type { Page } from '../../../http/pages/shell.ts'
import { lengthName } from '../../statements/periodLength.ts'
import type { Breakdown } from '../../statements/segmentsSchema.ts'
import { companyHead, companyName, companyParts } from '../companyFrame.ts'
import type { Visitor } from '../deps.ts'
import { metricField } from '../fields.ts'
import { metricLabel } from '../metricLabels.ts'
import { exactDecimal, powerNames, powerOf, shownDecimal, unitKind } from '../numbers.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { segmentsUse } from './dataUse.ts'
import { lengthText, lineLabel } from './labels.ts'
import { type SegmentsPageQuery, segmentsPath } from './query.ts'
import { type PresentedDeps, readSegmentsView, type SegmentsView } from './read.ts'

const axes = [
  { axis: 'product', name: 'Product' },
  { axis: 'geography', name: 'Geography' },
  { axis: 'segment', name: 'Segment' },
] as const

/** /companies/{id}/segments: a metric by product, region or segment, beside its total. */
export async function segmentsPage(
  deps: PresentedDeps,
  visitor: Visitor,
  id: string,
  query: SegmentsPageQuery,
): Promise<Page> {
  const view = await readSegmentsView(deps, visitor, id, query)
  const { profile, answer } = view
  const manifest = deps.markets.get(profile.market)
  const name = companyName(profile)
  const { axis = 'product', metric = query.tag === undefined ? 'revenue' : undefined } = query
  const subject = metric === undefined ? (query.tag ?? '') : metricLabel(metric)
  return {
    title: `${name} (${profile.ticker}): ${subject.toLowerCase()} by ${axis}`,
    description: `${subject} of ${name} (${profile.ticker}) by product, geography and segment as the company stated it, with the exact sum, the total and the difference.`,
    canonical: `${deps.settings.baseUrl}${segmentsPath(profile.ticker)}`,
    styles: ['company.css', 'statements.css', useThisDataAssets.style],
    scripts: ['search.js', useThisDataAssets.script],
    main: html`${companyHead(profile, manifest)}
${companyParts(profile.ticker, 'segments', query)}
<nav class="tabs" aria-label="Breakdowns">${axes.map(each => html`<a href="${segmentsPath(profile.ticker, { ...query, axis: each.axis })}"${each.axis === axis && html` aria-current="page"`}>${each.name}</a>`)}</nav>
${segmentsForm(deps, view, query, axis, metric)}
${useThisData(segmentsUse(deps, visitor, view, query))}
<h2 id="breakdown">${subject} by ${axis}</h2>
${answer.filing !== null && html`<p class="quiet">All figures are those of ${answer.filing.form}, filed ${answer.filing.filed}${answer.filing.url !== null && html` (<a href="${answer.filing.url}" rel="noreferrer">${answer.filing.accession}</a>)`}, stated as <code>${answer.tag}</code>. A difference need not be an error: a company may leave parts out, or reconcile its segments with the whole.</p>`}
${answer.note !== undefined && html`<p class="notice">${answer.note}</p>`}
<div class="breakdowns">${tablesOf(answer.data).map((each, at) => breakdownTable(each, at))}</div>
<section><h2 id="source">Source and terms</h2>
<p>${answer.attribution}</p>
${answer.licence !== undefined && html`<p>${answer.licence}</p>`}
<p><a href="#use">Programs get the same figures</a>; the <a href="/docs">API reference</a> lists the parameters.</p></section>
${searchForm('')}`,
  }
}

const segmentsForm = (
  deps: PresentedDeps,
  { profile }: SegmentsView,
  { as_of, tz, fp, fy }: SegmentsPageQuery,
  axis: string,
  metric: string | undefined,
) => html`<div class="choices"><form method="get" action="${segmentsPath(profile.ticker)}">
<input type="hidden" name="axis" value="${axis}">
${fp !== undefined && html`<input type="hidden" name="fp" value="${fp}">`}
${fy !== undefined && html`<input type="hidden" name="fy" value="${fy}">`}
${tz !== undefined && html`<input type="hidden" name="tz" value="${tz}">`}
${metricField(deps, 'metric', 'Metric', metric ?? 'revenue')}
<span class="field"><label for="as-of">Day</label> <input id="as-of" name="as_of" type="${as_of !== undefined && as_of.length > 10 ? 'text' : 'date'}" value="${as_of ?? ''}" max="${deps.today()}"></span>
<button type="submit">Show</button>
</form></div>`

/** Breakdowns that a filing presents together: the same members, in one table with a column per period. */
type BreakdownTable = readonly [Breakdown, ...Breakdown[]]

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

function breakdownTable(table: BreakdownTable, at: number): Markup {
  const [latest] = table
  const { unit, axis, title } = latest
  const length = lengthName(latest)
  const kind = unitKind(unit)
  const values = table.flatMap(({ members, total }) => [...members.map(({ value }) => value), total])
  const power = kind === 'other' ? 0 : powerOf(values.filter(value => value !== null))
  const cell = (value: string | null | undefined) =>
    value === undefined
      ? html`<td></td>`
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
    html`<tr${classes !== '' && html` class="${classes}"`}><th scope="row">${name}</th>${table.map(each => cell(figureOf(each)))}<td>${shareOf(figureOf(latest), latest.total)}</td></tr>\n`
  const id = `breakdown-${at}`
  return html`<section><h3 id="${id}">${title ?? axis} <small>${length !== null && `${length}, `}${unit}${power > 0 && ` in ${powerNames[power]}`}</small></h3>
<div class="scroll whole" tabindex="0" role="region" aria-labelledby="${id}"><table class="presented narrow">
<thead><tr><th scope="col" rowspan="2" class="line">Member</th><th scope="colgroup" colspan="${table.length}">${lengthText(latest)}</th><th scope="col" rowspan="2">Share of latest</th></tr>
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
${row('Difference', '', ({ difference }) => difference)}\
</tbody></table></div></section>
`
}

const percent = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

function shareOf(value: string | null | undefined, total: string | null): string {
  const whole = Number(total ?? 0)
  return value == null || whole === 0 ? '' : `${percent.format((Number(value) / whole) * 100)}%`
}
