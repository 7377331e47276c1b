import { html, type Markup } from '../../../html.ts'
import { dataScript } from '../../../http/pages/shell.ts'
import type { FundamentalsRow } from '../../fundamentals/schema.ts'
import type { PageDeps } from '../deps.ts'
import { exactFigure, formOf, type Scale, scaleOf, shownFigure } from '../figures.ts'
import { currentOf, filingDays, type Grid, gridOf, knownOn, type Period, restatedFrom } from '../grid.ts'
import { metricLabel, type Statement, statementsOf } from '../statements.ts'
import { type CompanyPageQuery, companyPath } from './query.ts'
import type { CompanyView } from './read.ts'

/** The statements of a company with a column for each period. */
export interface Tables {
  readonly statements: readonly Statement[]
  /** The columns. Those unknown on the day of the page are hidden, so that one can drag to them. */
  readonly periods: readonly Period[]
  /** Every vintage known today, and every one known on the day of the page. */
  readonly layout: Grid
  readonly shown: Grid
  readonly scale: Scale
  /** The days on which a figure changes: the stops of the slider. */
  readonly days: readonly string[]
  /** The end of the last period before the columns; null: there is none. */
  readonly earlier: string | null
  /** There are more periods than columns, so that another day may need other columns. */
  readonly isPart: boolean
}

/** Columns of a page: more would make it heavy, and one reads a few at a time. */
const maxPeriods = 32

export function tablesOf(
  { markets }: Pick<PageDeps, 'markets'>,
  { list, today }: CompanyView,
  { before }: CompanyPageQuery,
): Tables {
  const layout = gridOf(today.data)
  const shown = today === list ? layout : gridOf(list.data)
  const amounts = today.data.filter(({ m, u }) => formOf(m, u) === 'amount').map(({ v }) => v)
  const known = shown.periods.filter(({ end }) => before === undefined || end <= before)
  const first = known[Math.min(known.length, maxPeriods) - 1]?.end ?? ''
  const last = before ?? (layout.periods.length > maxPeriods ? (known[0]?.end ?? '') : '9999')
  return {
    layout,
    shown,
    periods: layout.periods.filter(({ end }) => end >= first && end <= last),
    statements: statementsOf(markets, layout.metrics),
    scale: scaleOf(amounts),
    days: filingDays(today.data),
    earlier: known[maxPeriods]?.end ?? null,
    isPart: layout.periods.length > maxPeriods,
  }
}

/** The tables, one for each statement.
 *
 * @param address of the page, which the links of the cells extend */
export function statementTables(tables: Tables, currency: string | null, address: CellAddress): Markup {
  const { statements, scale } = tables
  const money = currency === null ? `Amounts in ${scale.name}` : `${currency}, ${scale.name}`
  return html`${statements.map(
    ({ id, title, metrics }) => html`<section class="statement">
<h2 id="${id}">${title} <small>${id === 'ratios' ? 'as shown' : id === 'shares' ? `shares in ${scale.name}, figures per share as shown` : money}</small></h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="${id}"><table class="figures">
<thead><tr><th scope="col">Period</th>${tables.periods.map(period => columnHead(tables, period))}</tr></thead>
<tbody>
${metrics.map(metric => metricRow(tables, metric, currency, address))}</tbody>
</table></div>
</section>
`,
  )}`
}

export interface CellAddress {
  readonly ticker: string
  readonly query: CompanyPageQuery
}

const isShown = ({ shown, statements }: Tables, period: Period) =>
  statements.some(({ metrics }) =>
    metrics.some(metric => currentOf(shown.vintages(metric, period.key)) !== null),
  )

const columnHead = (tables: Tables, period: Period) =>
  html`<th scope="col"${!isShown(tables, period) && hidden}>${period.fp} ${period.fy}<small>${period.end}</small></th>`

const hidden = html` hidden`

function metricRow(tables: Tables, metric: string, currency: string | null, address: CellAddress): Markup {
  const { periods, shown } = tables
  const cells = periods.map(({ key }) => shown.vintages(metric, key))
  const isEmpty = cells.every(vintages => currentOf(vintages) === null)
  return html`<tr data-m="${metric}"${isEmpty && hidden}><th scope="row"><a href="/docs/metrics#${metric}">${metricLabel(metric)}</a></th>${periods.map(
    (period, place) => figureCell(tables, cells[place], currency, { ...address, period, metric }),
  )}</tr>
`
}

interface Place extends CellAddress {
  readonly period: Period
  readonly metric: string
}

function figureCell(
  tables: Tables,
  vintages: readonly FundamentalsRow[],
  currency: string | null,
  { ticker, query, period, metric }: Place,
): Markup {
  const isHidden = !isShown(tables, period) && hidden
  const shown = shownCell(vintages, currency, tables.scale)
  if (shown === null) return html`<td${isHidden}></td>`
  const { text, former, title, value } = shown
  const path = companyPath(ticker, { ...query, cell: `${metric}.${period.key}` })
  return html`<td${isHidden} data-v="${value}" title="${title}"${former !== null && html` class="restated"`}>\
<a href="${path}#figure">${text}</a>${former !== null && former !== text && html`<s>${former}</s>`}</td>`
}

interface ShownCell {
  readonly text: string
  /** The figure before its restatement; null: it is not restated. */
  readonly former: string | null
  readonly title: string
  readonly value: number
}

/** What a cell shows of the vintages that are known on a day; null where none of them is current. */
function shownCell(
  vintages: readonly FundamentalsRow[],
  currency: string | null,
  scale: Scale,
): ShownCell | null {
  const current = currentOf(vintages)
  if (current === null) return null
  const before = restatedFrom(vintages)
  return {
    text: cellText(current, currency, scale),
    former: before === null ? null : cellText(before, currency, scale),
    title: before === null ? filing(current) : `${filing(current)}; before: ${filing(before)}`,
    value: current.v,
  }
}

/** A figure in a currency other than the company's names it. */
export function cellText({ m, v, u }: FundamentalsRow, currency: string | null, scale: Scale): string {
  const form = formOf(m, u)
  const text = shownFigure(v, form, scale)
  return form === 'amount' && currency !== null && u !== currency ? `${u} ${text}` : text
}

const filing = ({ v, u, filed, form, kind }: FundamentalsRow) =>
  `${exactFigure(v)} ${u}, ${kind === 'derived' ? 'derived, ' : ''}filed ${filed}${form === null || form === undefined ? '' : ` (${form})`}`

/** What each cell shows between which stops of the slider, in the order of the tables: company.js shows another day without a
 * request and decides nothing itself. A state is the stop from which it is shown, the stop from which it no longer is, the text,
 * the former text or null, the title and the value. */
export function cellStates(
  { statements, periods, layout, days, scale, isPart }: Tables,
  currency: string | null,
): Markup {
  const stopOf = new Map(days.map((day, stop) => [day, stop]))
  const statesOf = (vintages: readonly FundamentalsRow[]) => {
    const changes = filingDays(vintages)
    return changes.flatMap((day, at) => {
      const shown = shownCell(knownOn(vintages, day), currency, scale)
      if (shown === null) return []
      const { text, former, title, value } = shown
      return [[stopOf.get(day), stopOf.get(changes[at + 1] ?? '') ?? days.length, text, former, title, value]]
    })
  }
  const rows = statements.flatMap(({ metrics }) =>
    metrics.map(metric => periods.map(({ key }) => statesOf(layout.vintages(metric, key)))),
  )
  return dataScript('application/json', { days, rows, isPart }, 'states')
}
