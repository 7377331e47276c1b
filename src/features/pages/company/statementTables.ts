import type { IsoDate } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import { dataScript } from '../../../http/pages/shell.ts'
import { dayOf, formatInstant } from '../../../instants.ts'
import { marketZone } from '../../../markets/asOf.ts'
import type { Zone } from '../../../zones.ts'
import type { FundamentalsRow } from '../../fundamentals/schema.ts'
import type { Split } from '../../fundamentals/splits.ts'
import type { PageDeps } from '../deps.ts'
import { formOf, type Scale, scaleOf } from '../figures.ts'
import { currentOf, filingDays, type Grid, gridOf, knownOn, type Period, restatedFrom } from '../grid.ts'
import { metricLabel, type Statement, statementsOf } from '../metricLabels.ts'
import { blankReason, reasonDays, usualReason } from './blanks.ts'
import { type CellView, changeOf, isOfShares, type ShownCell, shownCell, splitName } from './cell.ts'
import { type CompanyPageQuery, companyPath } from './query.ts'
import type { CompanyView, ShownSplits } from './read.ts'

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
  readonly view: CellView
  readonly splits: ShownSplits
}

/** The maximum number of columns on a page: people read a few at a time, and more would make it heavy. */
const maxPeriods = 28

export function tablesOf(
  { markets }: Pick<PageDeps, 'markets'>,
  { profile, list, today, splits }: CompanyView,
  { before, adjust }: CompanyPageQuery,
): Tables {
  const layout = gridOf(today.data)
  const shown = today === list ? layout : gridOf(list.data)
  const amounts = today.data.filter(({ m, u }) => formOf(m, u) === 'amount').map(({ v }) => v)
  const known = shown.periods.filter(({ end }) => before === undefined || end <= before)
  const first = known[Math.min(known.length, maxPeriods) - 1]?.end ?? ''
  const last = before ?? (layout.periods.length > maxPeriods ? (known[0]?.end ?? '') : '9999')
  const days = stopsOf(today.data, splits)
  const zone = marketZone(markets, profile.market)
  const scale = scaleOf(amounts)
  return {
    layout,
    shown,
    periods: layout.periods.filter(({ end }) => end >= first && end <= last),
    statements: statementsOf(markets, layout.metrics),
    scale,
    days,
    times: timesOf(today.data, days, zone),
    zone: zone.name,
    earlier: known[maxPeriods]?.end ?? null,
    isPart: layout.periods.length > maxPeriods,
    view: { currency: profile.currency, scale, isAdjusted: adjust === 'splits' },
    splits,
  }
}

/** A split counts from the filing that first shows it, which restates figures as a rule, though not those of every tab. */
const stopsOf = (rows: readonly FundamentalsRow[], { today }: ShownSplits): string[] => {
  const days = filingDays(rows)
  const further = today.map(({ filed }) => filed).filter(day => day > days[0] && !days.includes(day))
  return [...days, ...further].sort()
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
  address: CellAddress,
  trendOf: (metric: string) => Markup,
): Markup {
  const { statements, scale, view } = tables
  const { currency } = view
  const money = currency === null ? `Amounts in ${scale.name}` : `${currency}, ${scale.name}`
  const ofShares = view.isAdjusted ? ', adjusted for splits' : ''
  return html`${statements.map(
    ({ id, title, metrics }) => html`<section class="statement">
<h2 id="${id}">${title} <small>${id === 'ratios' ? 'as shown' : id === 'shares' ? `shares in ${scale.name}, figures per share as shown${ofShares}` : money}</small></h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="${id}"><table class="figures">
<thead><tr><th scope="col">Period</th>${tables.periods.map(period => columnHead(tables, period))}</tr></thead>
<tbody>
${metrics.map(metric => metricRow(tables, metric, address, trendOf(metric)))}</tbody>
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

function metricRow(tables: Tables, metric: string, address: CellAddress, trend: Markup): Markup {
  const { periods, shown, splits, view } = tables
  const cells = periods.map(({ key }) => shownCell(shown.vintages(metric, key), splits.known, view))
  const isEmpty = cells.every(cell => cell === null)
  const lines = splitLines(cells, splits.known)
  return html`<tr data-m="${metric}" id="row-${metric}"${isEmpty && hidden}><th scope="row"><a href="/docs/metrics#${metric}">${metricLabel(metric)}</a>${trend}</th>${periods.map(
    (period, at) => {
      const isHidden = !isShown(tables, period) && hidden
      const cell = cells[at]
      if (cell !== null) return figureCell(cell, lines[at], isHidden, { ...address, period, metric })
      if (isEmpty || isHidden !== false) return html`<td${isHidden}></td>`
      return blankCell(reasonOf(tables, metric, period, name => shown.vintages(name, period.key)))
    },
  )}</tr>
`
}

/** For each cell, the splits that lie between it and the next cell to its left, or ''. */
function splitLines(cells: readonly (Pick<ShownCell, 'behind'> | null)[], known: readonly Split[]): string[] {
  let left: number | null = null
  return cells.map(cell => {
    if (cell === null) return ''
    const [from, to] = [left ?? cell.behind, cell.behind].sort((a, b) => b - a)
    left = cell.behind
    return known
      .slice(known.length - from, known.length - to)
      .map(splitName)
      .join(', ')
  })
}

interface CellPosition extends CellAddress {
  readonly period: Period
  readonly metric: string
}

/** The figure before and the split are in the title of the link, because screen readers read no titles of cells. */
function figureCell(
  { text, former, split, title, value, isAdjusted }: ShownCell,
  line: string,
  isHidden: Markup | false,
  { ticker, query, period, metric }: CellPosition,
): Markup {
  const path = companyPath(ticker, { ...query, cell: `${metric}.${period.key}` })
  const kinds = [
    former !== null && 'restated',
    split !== null && 'split',
    isAdjusted && 'adjusted',
    line !== '' && 'line',
  ].filter(kind => kind !== false)
  return html`<td${isHidden} data-v="${value}" title="${title}"${kinds.length > 0 && html` class="${kinds.join(' ')}"`}${line !== '' && html` data-line="${line}"`}>\
<a href="${path}#figure"${(former !== null || split !== null) && html` title="${title}"`}>${text}</a>${former !== null && former !== text && html`<s>${former}</s>`}${split !== null && html`<i>${split}</i>`}</td>`
}

const blankCell = (reason: string) =>
  html`<td class="blank" title="${reason}"><span aria-hidden="true">–</span><span class="unseen">${reason}</span></td>`

const reasonOf = (
  { layout }: Tables,
  metric: string,
  { fp }: Period,
  known: (metric: string) => readonly FundamentalsRow[],
): string => {
  const isOfSharesRow = layout.periods.some(period => layout.vintages(metric, period.key).some(isOfShares))
  return blankReason({ metric, fp, isOfShares: isOfSharesRow, known })
}

type State = readonly (string | number | null)[]
/** The stops between which a blank cell has a reason, and the index of the reason. */
type BlankSpan = readonly [from: number, until: number, reason: number]

/**
 * What each cell shows between which stops of the slider, in table order, so that company.js can show another
 * day without a request or logic of its own. A state consists of the stop from which it is shown, the stop at
 * which it ends, the text, the previous text or null, the title and the value; for figures of shares also of the splits
 * behind it, how many splits it is behind and whether it is adjusted for them.
 */
export function cellStates(tables: Tables): Markup {
  const { statements, periods, layout, days, times, isPart, splits, view } = tables
  const stopOf = new Map(days.map((day, stop) => [day, stop]))
  const until = (day: string | undefined) => stopOf.get(day ?? '') ?? days.length
  const statesOf = (vintages: readonly FundamentalsRow[]): State[] => {
    const changes = changeDays(vintages, splits)
    return changes.flatMap((day, at) => {
      const known = splits.today.filter(({ filed }) => filed <= day)
      const shown = shownCell(knownOn(vintages, day), known, view)
      if (shown === null) return []
      const { text, former, title, value, split, behind, isAdjusted } = shown
      const ofShares = split !== null || behind > 0 || isAdjusted ? [split, behind, isAdjusted ? 1 : 0] : []
      return [[until(day), until(changes[at + 1]), text, former, title, value, ...ofShares]]
    })
  }
  const metrics = statements.flatMap(statement => statement.metrics)
  const rows = metrics.map(metric => periods.map(({ key }) => statesOf(layout.vintages(metric, key))))
  const reasons = [usualReason]
  const blanks = metrics.map((metric, row) =>
    periods.map((period, column) => blankSpans(tables, metric, period, rows[row][column], reasons)),
  )
  return dataScript(
    'application/json',
    {
      days,
      times,
      rows,
      blanks,
      reasons,
      isPart,
      keys: periods.map(({ key }) => key),
      splits: splits.today.map(split => [until(split.filed), splitName(split)]),
    },
    'states',
  )
}

/** Every day on which what a cell shows changes, ascending. */
export function changeDays(vintages: readonly FundamentalsRow[], { today }: ShownSplits): IsoDate[] {
  const own = filingDays(vintages)
  const further = vintages.some(isOfShares) ? today.map(({ filed }) => filed).filter(day => day > own[0]) : []
  return [...new Set([...own, ...further])].sort()
}

/** The reasons of a blank cell that differ from the usual one; 0 if none does. */
function blankSpans(
  tables: Tables,
  metric: string,
  period: Period,
  states: readonly State[],
  reasons: string[],
): BlankSpan[] | 0 {
  const { layout, days } = tables
  const vintagesOf = (name: string) => layout.vintages(name, period.key)
  const changes = [...filingDays(vintagesOf(metric)), ...reasonDays(metric, vintagesOf)]
  const stops = [...new Set([0, ...changes.map(day => days.indexOf(day))])].sort((a, b) => a - b)
  const spans = stops.flatMap((from, at): [number, number, number][] => {
    const isFilled = states.some(([first, end]) => Number(first) <= from && from < Number(end))
    if (isFilled) return []
    const day = days[from]
    const reason = reasonOf(tables, metric, period, name => knownOn(vintagesOf(name), day))
    if (reason === usualReason) return []
    if (!reasons.includes(reason)) reasons.push(reason)
    return [[from, stops[at + 1] ?? days.length, reasons.indexOf(reason)]]
  })
  const merged: [number, number, number][] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (last !== undefined && last[1] === span[0] && last[2] === span[2]) last[1] = span[1]
    else merged.push(span)
  }
  return merged.length === 0 ? 0 : merged
}

/** The stops on which a figure of the tables was restated other than by a split, for the marks of the slider. */
export function restatedStops({ statements, periods, layout, days, splits }: Tables): number[] {
  const found = new Set<string>()
  for (const { metrics } of statements) {
    for (const metric of metrics) {
      for (const { key } of periods) {
        const vintages = layout.vintages(metric, key)
        for (const [at, row] of vintages.entries()) {
          const known = vintages.slice(0, at + 1).map((one, i) => (i === at ? { ...one, until: null } : one))
          const before = restatedFrom(known)
          if (before !== null && !changeOf(before, row, splits.today).isSplitAlone) found.add(row.filed)
        }
      }
    }
  }
  return days.flatMap((day, stop) => (found.has(day) ? [stop] : []))
}
