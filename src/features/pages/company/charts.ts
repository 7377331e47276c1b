import { html, type Markup } from '../../../html.ts'
import type { ValueAxis } from '../../../http/pages/assets/barGeometry.js'
import { barOf, plottedColumns, type TitledCell } from '../../../http/pages/assets/trends.js'
import { dataScript } from '../../../http/pages/shell.ts'
import { isPeriodFigure } from '../../fundamentals/columns.ts'
import type { FundamentalsRow } from '../../fundamentals/schema.ts'
import type { Split } from '../../fundamentals/splits.ts'
import { type Bar, type BarChart, barChart, valueAxis } from '../charts/barChart.ts'
import { type FigureForm, formOf, type Scale } from '../figures.ts'
import { currentOf, knownOn, type Period } from '../grid.ts'
import { metricLabel } from '../metricLabels.ts'
import { filing, isOfShares, type ShownCell, shownCell } from './cell.ts'
import { type CompanyPageQuery, companyPath } from './query.ts'
import { type CellAddress, changeDays, type Tables } from './statementTables.ts'
import { isPercentageOf, periodLabel, shownColumns, trendContext } from './trends.ts'

/** The lines shown if the visitor chose none. */
const usualLines = ['revenue', 'net_income', 'free_cash_flow']

interface Plot {
  readonly metrics: readonly string[]
  /** False if all values are as first filed anyway. */
  readonly hasGhosts: boolean
}

/** The chart's lines, or null if the company has none. */
function plotOf({ statements }: Tables, { plot, figures }: CompanyPageQuery): Plot | null {
  const all = statements.flatMap(({ metrics }) => metrics)
  const usual = usualLines.filter(metric => all.includes(metric))
  const metrics =
    plot !== undefined && all.includes(plot) ? [plot] : usual.length > 0 ? usual : all.slice(0, 1)
  return metrics.length === 0 ? null : { metrics, hasGhosts: figures !== 'first_filed' }
}

/** The unit of the axis, which is that of the latest figure. Figures in another unit are left out. */
function unitOf(
  periods: readonly Period[],
  { metrics }: Plot,
  unitOfCell: (metric: number, period: number) => string | undefined,
): string {
  for (const period of periods.keys()) {
    for (const metric of metrics.keys()) {
      const unit = unitOfCell(metric, period)
      if (unit !== undefined) return unit
    }
  }
  return ''
}

/**
 * The first vintage of a cell, if later vintages restate it. Cover counts are of different days, and after a split
 * the first figure of shares is in other shares.
 */
const firstOf = (
  [first]: readonly FundamentalsRow[],
  { hasGhosts }: Plot,
  splits: readonly Split[],
): TitledCell | null =>
  first !== undefined &&
  hasGhosts &&
  isPeriodFigure(first.m) &&
  !(isOfShares(first) && splits.some(({ filed }) => filed > first.filed))
    ? { value: first.v, unit: first.u, title: filing(first) }
    : null

interface DayChart {
  readonly chart: BarChart
  /** The unit of the axis in words. */
  readonly words: string
}

/** The bars of the page's day, oldest first. */
function chartOf(tables: Tables, plot: Plot): DayChart {
  const { periods, shown, scale, splits, view } = tables
  const cells = plot.metrics.map(metric => periods.map(({ key }) => shown.vintages(metric, key)))
  const unit = unitOf(periods, plot, (metric, period) => currentOf(cells[metric][period])?.u)
  const bars = cells.map(own =>
    own.map((vintages): Bar | null => {
      const cell = shownCell(vintages, splits.known, view)
      if (cell === null) return null
      const { value, title } = cell
      const first = firstOf(vintages, plot, splits.known)
      return barOf({ value, title, unit: currentOf(vintages)?.u ?? '' }, first, unit)
    }),
  )
  const columns = plottedColumns(shownColumns(tables), column => bars.some(own => own[column] !== null))
  const chart = {
    label: `${plot.metrics.map(metricLabel).join(', ')} by period`,
    categories: columns.map(column => periodLabel(periods[column])),
    series: plot.metrics.map((metric, at) => ({
      name: metricLabel(metric),
      bars: columns.map(column => bars[at][column]),
    })),
    tickText: tickText(plot, unit, scale),
    ...(plot.hasGhosts ? { ghostName: 'as first filed, where it differs' } : {}),
  }
  return { chart, words: unitWords(plot, unit, scale) }
}

const plain = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 })

function tickText({ metrics }: Plot, unit: string, { divisor }: Scale): (value: number) => string {
  const form = formOf(metrics[0], unit)
  if (form === 'percent') return value => `${plain.format(value * 100)}%`
  return isScaled(form) ? value => plain.format(value / divisor) : value => plain.format(value)
}

const isScaled = (form: FigureForm) => form === 'amount' || form === 'shares'

function unitWords({ metrics }: Plot, unit: string, { name }: Scale): string {
  const form = formOf(metrics[0], unit)
  if (form === 'percent') return 'per cent'
  if (form === 'ratio') return 'ratio'
  return isScaled(form) ? `${unit}, ${name}` : unit
}

/** Bars of some lines of the page as known on its day, with a field to choose others. */
export function companyChart(tables: Tables, { ticker, query }: CellAddress): Markup {
  const plot = plotOf(tables, query)
  if (plot === null) return html``
  const { chart, words } = chartOf(tables, plot)
  const isEmpty = chart.categories.length === 0
  const [only] = plot.metrics
  return html`<section id="chart" class="company-chart"><h2 tabindex="-1">${plot.metrics.length === 1 ? metricLabel(only) : 'Chart'} <small>${words}</small></h2>
${chooser(tables, ticker, query)}
${barChart(chart)}
<p class="quiet no-bars"${!isEmpty && html` hidden`}>No figure of this had been filed by this day.</p>
${splitNote(tables, plot, { ticker, query })}
<p class="quiet">Hover over a bar for its exact value and filing, or focus the chart and use the arrow keys. The table has the same values: ${plot.metrics.map((metric, at) => html`${at > 0 && ', '}<a href="#row-${metric}">${metricLabel(metric)}</a>`)}.</p></section>
`
}

/** Bars of figures of shares fall at a split, which is no event of the business. */
function splitNote(
  { layout, periods, splits, days, view }: Tables,
  { metrics }: Plot,
  { ticker, query }: CellAddress,
): Markup | false {
  const isOfSharesPlot = periods.some(({ key }) => layout.vintages(metrics[0], key).some(isOfShares))
  const [first] = splits.today
  if (!isOfSharesPlot || view.isAdjusted || first === undefined) return false
  const { cell: _, ...page } = query
  const path = companyPath(ticker, { ...page, adjust: 'splits' })
  return html`<p class="quiet" data-from="${days.indexOf(first.filed)}"${splits.known.length === 0 && html` hidden`}>Each bar is in the shares of its filing, so a split shows as a fall or a jump. <a href="${path}#chart">Plot it adjusted for splits</a>.</p>`
}

/** Lines that no filing by the day of the page states are hidden, so that the slider can reveal them. */
function chooser(tables: Tables, ticker: string, query: CompanyPageQuery): Markup {
  const { statements } = tables
  const { cell: _, plot, ...kept } = query
  return html`<form class="row plot" method="get" action="/companies/${encodeURIComponent(ticker)}#chart">
${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}\
<label for="plot">Plot</label> <select id="plot" name="plot"><option value="">${usualLines.map(metricLabel).join(', ')}</option>${statements.map(
    ({ title, metrics }) =>
      html`<optgroup label="${title}"${knownFrom(tables, metrics)}>${metrics.map(metric => html`<option value="${metric}"${metric === plot && html` selected`}${knownFrom(tables, [metric])}>${metricLabel(metric)}</option>`)}</optgroup>`,
  )}</select> <button type="submit" class="without-script">Plot</button></form>`
}

/** The stop from which any of these lines is known. Some browsers show hidden choices, so they are disabled as well. */
function knownFrom({ periods, layout, shown, days }: Tables, metrics: readonly string[]): Markup {
  const isKnown = metrics.some(metric => periods.some(({ key }) => shown.vintages(metric, key).length > 0))
  const filed = metrics.flatMap(metric =>
    periods.flatMap(({ key }) =>
      layout
        .vintages(metric, key)
        .slice(0, 1)
        .map(row => row.filed),
    ),
  )
  const from = filed.length === 0 ? days.length : days.indexOf(filed.sort()[0])
  return html`${from > 0 && html` data-from="${from}"`}${!isKnown && html` hidden disabled`}`
}

/** How growth is defined. */
export const growthLegend = ({ periods }: Tables): Markup | false =>
  periods.length > 1 &&
  html`<details class="how"><summary>How to read this table</summary><p class="quiet">Each row has a trend line and its growth; click them to plot the row. Growth compares the latest period shown with the same fiscal period one year earlier, in percent; for margins and returns, in percentage points (pp). It is n/a if either figure is missing, the sign changed, the earlier figure is zero, or the currency or the share basis differs. Hover over it for the compound annual growth rate, CAGR = (last / first)^(1 / years) − 1, from the earliest period shown whose figure is above zero, in the same currency and share basis; margins and returns have none.</p></details>
`

/**
 * What companyChart.js needs besides the states of the cells to redraw the chart and the trends for another stop of the
 * slider.
 */
export function trendData(tables: Tables, query: CompanyPageQuery): Markup {
  const { statements, periods } = tables
  const metrics = statements.flatMap(statement => statement.metrics)
  const plot = plotOf(tables, query)
  return dataScript(
    'application/json',
    {
      ...trendContext(periods),
      rows: metrics.map(metric => ({
        label: metricLabel(metric),
        isPercentage: isPercentageOf(metric),
        unit: unitsOf(tables, metric),
      })),
      plot: plot === null ? null : plotData(tables, plot, metrics),
    },
    'trends',
  )
}

/** The unit of a row or, if it changed, that of each state of each of its cells. */
function unitsOf({ periods, layout, splits }: Tables, metric: string): string | string[][] {
  const cells = periods.map(({ key }) => layout.vintages(metric, key))
  const units = new Set(cells.flatMap(vintages => vintages.map(({ u }) => u)))
  if (units.size < 2) return [...units].join('')
  return cells.map(vintages =>
    changeDays(vintages, splits).flatMap(day => currentOf(knownOn(vintages, day))?.u ?? []),
  )
}

/** What a cell shows from one stop of the slider to the next of its own. */
interface Span {
  readonly from: number
  readonly until: number
  readonly unit: string
  readonly value: ShownCell['value']
}

function spansOf({ days, splits, view }: Tables, vintages: readonly FundamentalsRow[]): Span[] {
  const changes = changeDays(vintages, splits)
  return changes.flatMap((day, at) => {
    const known = knownOn(vintages, day)
    const cell = shownCell(
      known,
      splits.today.filter(({ filed }) => filed <= day),
      view,
    )
    if (cell === null) return []
    const next = days.indexOf(changes[at + 1])
    const until = next < 0 ? days.length : next
    return [{ from: days.indexOf(day), until, unit: currentOf(known)?.u ?? '', value: cell.value }]
  })
}

function plotData(tables: Tables, plot: Plot, metrics: readonly string[]) {
  const { periods, layout, days, scale, splits } = tables
  const cells = plot.metrics.map(metric => periods.map(({ key }) => layout.vintages(metric, key)))
  const spans = cells.map(own => own.map(vintages => spansOf(tables, vintages)))
  const first = cells.map((own, metric) =>
    own.map((vintages, period) => {
      const found = firstOf(vintages, plot, [])
      if (found === null || spans[metric][period].every(({ value }) => value === found.value)) return null
      const split = isOfShares(vintages[0])
        ? splits.today.find(({ filed }) => filed > vintages[0].filed)
        : undefined
      return { ...found, until: split === undefined ? days.length : days.indexOf(split.filed) }
    }),
  )
  const axes: { from: number; unit: string; words: string; axis: ValueAxis }[] = []
  for (const from of days.keys()) {
    const current = spans.map(own =>
      own.map(ofCell => ofCell.find(span => span.from <= from && from < span.until)),
    )
    const unit = unitOf(periods, plot, (metric, period) => current[metric][period]?.unit)
    const ends = current.flatMap((own, metric) =>
      own.flatMap((span, period) => {
        const filed = first[metric][period]
        if (span?.unit !== unit) return []
        return filed !== null && filed.unit === unit && from < filed.until
          ? [span.value, filed.value]
          : [span.value]
      }),
    )
    const axis = valueAxis(ends, tickText(plot, unit, scale))
    const before = axes.at(-1)
    const isSame = before?.unit === unit && before.axis.low === axis.low && before.axis.high === axis.high
    if (!isSame) axes.push({ from, unit, words: unitWords(plot, unit, scale), axis })
  }
  return { rows: plot.metrics.map(metric => metrics.indexOf(metric)), first, axes }
}
