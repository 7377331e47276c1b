import { html, type Markup } from '../../../html.ts'
import { dataScript } from '../../../http/pages/shell.ts'
import { dayOf, formatInstant } from '../../../instants.ts'
import { marketZone } from '../../../markets/asOf.ts'
import type { Zone } from '../../../zones.ts'
import type { FundamentalsRow } from '../../fundamentals/schema.ts'
import type { PageDeps } from '../deps.ts'
import { exactFigure, formOf, type Scale, scaleOf, shownFigure } from '../figures.ts'
import { currentOf, filingDays, type Grid, gridOf, knownOn, type Period, restatedFrom } from '../grid.ts'
import { metricLabel, type Statement, statementsOf } from '../metricLabels.ts'
import { type CompanyPageQuery, companyPath } from './query.ts'
import type { CompanyView } from './read.ts'

/** The statements of a company with one column per period. */
export interface Tables {
  readonly statements: readonly Statement[]
  /** The columns. Those unknown on the page's day are hidden, so that the slider can reveal them. */
  readonly periods: readonly Period[]
  /** Every vintage known today, and every one known on the page's day. */
  readonly layout: Grid
  readonly shown: Grid
  readonly scale: Scale
  /** The days on which a figure changes, which are the slider's stops. */
  readonly days: readonly string[]
  /** For each stop, when its filings were accepted on the clocks of the market, where that is known; otherwise ''. */
  readonly times: readonly string[]
  /** The name of the market's time zone. */
  readonly zone: string
  /** The end of the last period before the columns, or null. */
  readonly earlier: string | null
  /** True if there are more periods than columns, so that another day may need other columns. */
  readonly isPart: boolean
}

/** The maximum number of columns on a page: people read a few at a time, and more would make it heavy. */
const maxPeriods = 32

export function tablesOf(
  { markets }: Pick<PageDeps, 'markets'>,
  { profile, list, today }: CompanyView,
  { before }: CompanyPageQuery,
): Tables {
  const layout = gridOf(today.data)
  const shown = today === list ? layout : gridOf(list.data)
  const amounts = today.data.filter(({ m, u }) => formOf(m, u) === 'amount').map(({ v }) => v)
  const known = shown.periods.filter(({ end }) => before === undefined || end <= before)
  const first = known[Math.min(known.length, maxPeriods) - 1]?.end ?? ''
  const last = before ?? (layout.periods.length > maxPeriods ? (known[0]?.end ?? '') : '9999')
  const days = filingDays(today.data)
  const zone = marketZone(markets, profile.market)
  return {
    layout,
    shown,
    periods: layout.periods.filter(({ end }) => end >= first && end <= last),
    statements: statementsOf(markets, layout.metrics),
    scale: scaleOf(amounts),
    days,
    times: timesOf(today.data, days, zone),
    zone: zone.name,
    earlier: known[maxPeriods]?.end ?? null,
    isPart: layout.periods.length > maxPeriods,
  }
}

function timesOf(rows: readonly FundamentalsRow[], days: readonly string[], zone: Zone): string[] {
  const accepted = new Map(days.map(day => [day, new Set<number>()]))
  for (const { filed, accepted_at } of rows)
    if (typeof accepted_at === 'string') accepted.get(filed)?.add(Date.parse(accepted_at))
  return days.map(day => {
    const times = [...(accepted.get(day) ?? [])].sort((a, b) => a - b)
    const shown = times.map(ms => {
      const local = formatInstant(ms, zone)
      return dayOf(local) === day ? local.slice(11, 16) : local.slice(0, 16).replace('T', ' ')
    })
    return [...new Set(shown)].join(', ')
  })
}

/**
 * One table per statement.
 *
 * @param address of the page, which the cells' links extend
 * @param trendOf what the head of a metric's row shows besides its name
 */
export function statementTables(
  tables: Tables,
  currency: string | null,
  address: CellAddress,
  trendOf: (metric: string) => Markup,
): Markup {
  const { statements, scale } = tables
  const money = currency === null ? `Amounts in ${scale.name}` : `${currency}, ${scale.name}`
  return html`${statements.map(
    ({ id, title, metrics }) => html`<section class="statement">
<h2 id="${id}">${title} <small>${id === 'ratios' ? 'as shown' : id === 'shares' ? `shares in ${scale.name}, figures per share as shown` : money}</small></h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="${id}"><table class="figures">
<thead><tr><th scope="col">Period</th>${tables.periods.map(period => columnHead(tables, period))}</tr></thead>
<tbody>
${metrics.map(metric => metricRow(tables, metric, currency, address, trendOf(metric)))}</tbody>
</table></div>
</section>
`,
  )}`
}

export interface CellAddress {
  readonly ticker: string
  readonly query: CompanyPageQuery
}

export const isShown = ({ shown, statements }: Tables, period: Period) =>
  statements.some(({ metrics }) =>
    metrics.some(metric => currentOf(shown.vintages(metric, period.key)) !== null),
  )

const columnHead = (tables: Tables, period: Period) =>
  html`<th scope="col"${!isShown(tables, period) && hidden}>${period.fp} ${period.fy}<small>${period.end}</small></th>`

const hidden = html` hidden`

function metricRow(
  tables: Tables,
  metric: string,
  currency: string | null,
  address: CellAddress,
  trend: Markup,
): Markup {
  const { periods, shown } = tables
  const cells = periods.map(({ key }) => shown.vintages(metric, key))
  const isEmpty = cells.every(vintages => currentOf(vintages) === null)
  return html`<tr data-m="${metric}" id="row-${metric}"${isEmpty && hidden}><th scope="row"><a href="/docs/metrics#${metric}">${metricLabel(metric)}</a>${trend}</th>${periods.map(
    (period, index) => figureCell(tables, cells[index], currency, { ...address, period, metric }),
  )}</tr>
`
}

interface CellPosition extends CellAddress {
  readonly period: Period
  readonly metric: string
}

function figureCell(
  tables: Tables,
  vintages: readonly FundamentalsRow[],
  currency: string | null,
  { ticker, query, period, metric }: CellPosition,
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
  /** The figure before its restatement, or null. */
  readonly former: string | null
  readonly title: string
  readonly value: number
}

/** What a cell shows of the vintages known on a day, or null if none is current. */
export function shownCell(
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

/** A figure in a currency other than the company's includes its currency. */
export function cellText({ m, v, u }: FundamentalsRow, currency: string | null, scale: Scale): string {
  const form = formOf(m, u)
  const text = shownFigure(v, form, scale)
  return form === 'amount' && currency !== null && u !== currency ? `${u} ${text}` : text
}

export const filing = ({ v, u, filed, form, kind }: FundamentalsRow) =>
  `${exactFigure(v)} ${u}, ${kind === 'derived' ? 'derived, ' : ''}filed ${filed}${form === null || form === undefined ? '' : ` (${form})`}`

/**
 * What each cell shows between which stops of the slider, in table order, so that company.js can show another
 * day without a request or logic of its own. A state consists of the stop from which it is shown, the stop at
 * which it ends, the text, the previous text or null, the title and the value.
 */
export function cellStates(
  { statements, periods, layout, days, times, scale, isPart }: Tables,
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
  return dataScript('application/json', { days, times, rows, isPart }, 'states')
}
