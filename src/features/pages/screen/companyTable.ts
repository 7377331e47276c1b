import { daysBefore } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import { dayOf } from '../../../instants.ts'
import { type Grouping, groupName } from '../../../markets/industries.ts'
import type { CrossSectionTable, CrossSectionTableRow } from '../../crossSection/schema.ts'
import { companyPath } from '../company/query.ts'
import { exactFigure } from '../figures.ts'
import { metricLabel } from '../metricLabels.ts'
import { cellText, type ScreenColumn } from './figureSet.ts'
import { recentDays, type Screen, screenPath } from './query.ts'

export interface ShownTable {
  readonly table: CrossSectionTable
  readonly columns: readonly ScreenColumn[]
  readonly names: ReadonlyMap<string, string | null>
  readonly grouping: Grouping | null
}

/** The companies of a page. Without scripts, too, those that are ticked can be compared. */
export function companyTable({ table, columns, names, grouping }: ShownTable, screen: Screen): Markup {
  const recentSince = daysBefore(dayOf(table.as_of), recentDays)
  const isPriced = table.price_set !== undefined
  const day = screen.asOf === undefined ? {} : { as_of: screen.asOf }
  const row = (company: CrossSectionTableRow, place: number) => {
    const name = names.get(company.ticker) ?? company.ticker
    const isOld = company.end < recentSince
    return html`<tr><th scope="row" id="row-${place}"><input type="checkbox" name="pick_${company.ticker}" value="1" aria-labelledby="row-${place}"> <a href="${companyPath(company.ticker, day)}">${name}</a></th>${columns.map(column => figureCell(company, column))}<td>${company.currency}</td><td${isOld && html` class="old" title="This period ended more than ${recentDays} days before ${dayOf(table.as_of)}."`}>${company.fp} ${company.fy}<small>${isOld && 'old: '}${company.end}</small></td><td>${company.filed}</td>${isPriced && html`<td>${company.price_day ?? '–'}</td>`}${grouping !== null && html`<td class="group">${typeof company.group === 'string' && (groupName(grouping.scheme, company.group) ?? company.group)}</td>`}</tr>\n`
  }
  return html`<form method="get" action="/screen/compare" class="picks">
${screen.asOf !== undefined && html`<input type="hidden" name="as_of" value="${screen.asOf}">`}
<div class="scroll" tabindex="0" role="region" aria-label="Companies"><table class="figures">
<thead><tr><th scope="col">Company</th>${columns.map(column => columnHead(column, screen))}<th scope="col">Currency</th><th scope="col">Period</th><th scope="col">Filed</th>${isPriced && html`<th scope="col">Price of</th>`}${grouping !== null && html`<th scope="col" class="group">Group</th>`}</tr></thead>
<tbody>
${table.data.map(row)}</tbody>
</table></div>
<p class="row"><button type="submit">Compare the ticked companies</button> <span class="quiet" data-picked>Tick two to eight.</span></p></form>`
}

function columnHead(column: ScreenColumn, screen: Screen): Markup {
  const { metric, form } = column
  const { sort } = screen
  const order = sort.metric === metric ? (sort.descending ? 'descending' : 'ascending') : null
  // The first click sorts by the largest first, the second reverses the order.
  const path = screenPath(screen, {
    cursor: undefined,
    sort: { metric, descending: order !== 'descending' },
  })
  // The amounts of a column may be in several currencies, which have a column of their own.
  const unit = form === 'amount' || form === 'shares' ? html`<small>millions</small>` : ''
  return html`<th scope="col"${order !== null && html` aria-sort="${order}"`}><a href="${path}">${metricLabel(metric)}${order !== null && (order === 'descending' ? ' ▼' : ' ▲')}</a>${unit}</th>`
}

function figureCell(row: CrossSectionTableRow, column: ScreenColumn): Markup {
  const value = row[column.metric]
  if (typeof value !== 'number') return html`<td title="The company has no such figure.">–</td>`
  const { form } = column
  const isMoney = form === 'amount' || form === 'perShare'
  const unit = isMoney && row.currency !== null && !row.currency.includes(' ') ? ` ${row.currency}` : ''
  return html`<td data-v="${value}" title="${exactFigure(value)}${unit}">${cellText(column, value)}</td>`
}
