import { html, type Markup } from '../../../html.ts'
import type { ValueAxis } from '../../../http/pages/assets/barGeometry.js'
import { barOf, plottedColumns, type TitledCell } from '../../../http/pages/assets/trends.js'
import { dataScript } from '../../../http/pages/shell.ts'
import { isPeriodFigure } from '../../fundamentals/columns.ts'
import type { FundamentalsRow } from '../../fundamentals/schema.ts'
import { type Bar, type BarChart, barChart, valueAxis } from '../charts/barChart.ts'
import { type FigureForm, formOf, type Scale } from '../figures.ts'
import { currentOf, filingDays, knownOn, type Period } from '../grid.ts'
import { metricLabel } from '../metricLabels.ts'
import type { CompanyPageQuery } from './query.ts'
import { type CellAddress, filing, shownCell, type Tables } from './statementTables.ts'
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

/** The vintages of a cell that were known on the day of the page, or on another one. */
type Known = (metric: string, period: string) => readonly FundamentalsRow[]

/** The unit of the axis, which is that of the latest figure. Figures in another unit are left out. */
function unitOn(periods: readonly Period[], known: Known, { metrics }: Plot): string {
  for (const { key } of periods) {
    for (const metric of metrics) {
      const current = currentOf(known(metric, key))
      if (current !== null) return current.u
    }
  }
  return ''
}

/** The first vintage of a cell, of which a later one is a restatement. Cover counts are of different days. */
const firstOf = ([first]: readonly FundamentalsRow[], { hasGhosts }: Plot): TitledCell | null =>
  first !== undefined && hasGhosts && isPeriodFigure(first.m)
    ? { value: first.v, unit: first.u, title: filing(first) }
    : null

/** The bars of the page's day, oldest first. */
function chartOf(tables: Tables, plot: Plot, currency: string | null): BarChart {
  const { periods, shown, scale } = tables
  const unit = unitOn(periods, shown.vintages, plot)
  const bars = plot.metrics.map(metric =>
    periods.map(({ key }): Bar | null => {
      const vintages = shown.vintages(metric, key)
      const cell = shownCell(vintages, currency, scale)
      if (cell === null) return null
      const { value, title } = cell
      return barOf({ value, title, unit: currentOf(vintages)?.u ?? '' }, firstOf(vintages, plot), unit)
    }),
  )
  const columns = plottedColumns(shownColumns(tables), column => bars.some(own => own[column] !== null))
  return {
    label: `${plot.metrics.map(metricLabel).join(', ')} by period`,
    categories: columns.map(column => periodLabel(periods[column])),
    series: plot.metrics.map((metric, at) => ({
      name: metricLabel(metric),
      bars: columns.map(column => bars[at][column]),
    })),
    tickText: tickText(plot, unit, scale),
  }
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
export function companyChart(
  tables: Tables,
  currency: string | null,
  { ticker, query }: CellAddress,
): Markup {
  const plot = plotOf(tables, query)
  if (plot === null) return html``
  const chart = chartOf(tables, plot, currency)
  const isEmpty = chart.categories.length === 0
  const [only] = plot.metrics
  const unit = unitOn(tables.periods, tables.shown.vintages, plot)
  return html`<section id="chart" class="company-chart"><h2 tabindex="-1">${plot.metrics.length === 1 ? metricLabel(only) : 'Chart'} <small>${unitWords(plot, unit, tables.scale)}</small></h2>
${chooser(tables, plot, ticker, query)}
${barChart(chart)}
<p class="quiet no-bars"${!isEmpty && html` hidden`}>None of this had been filed by this day.</p>
<p class="quiet">Hover over a bar, or focus it and use the arrow keys, for its exact value and filing. The table has the same values: ${plot.metrics.map((metric, at) => html`${at > 0 && ', '}<a href="#row-${metric}">${metricLabel(metric)}</a>`)}.</p></section>`
}

function chooser({ statements }: Tables, { metrics }: Plot, ticker: string, query: CompanyPageQuery): Markup {
  const { show, as_of, tz, before, figures } = query
  const kept = Object.entries({ show, as_of, tz, before, figures })
  const chosen = query.plot !== undefined && metrics[0] === query.plot ? query.plot : ''
  return html`<form class="row plot" method="get" action="/companies/${encodeURIComponent(ticker)}#chart">
${kept.map(([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`)}\
<label for="plot">Plot</label> <select id="plot" name="plot"><option value="">${usualLines.map(metricLabel).join(', ')}</option>${statements.map(
    statement =>
      html`<optgroup label="${statement.title}">${statement.metrics.map(metric => html`<option value="${metric}"${metric === chosen && html` selected`}>${metricLabel(metric)}</option>`)}</optgroup>`,
  )}</select> <button type="submit" class="without-script">Plot</button></form>`
}

/** How growth is defined, for the legend of the tables. */
export const growthLegend = html`The percentage in a row compares the latest period shown with the same fiscal period one year before, as a share of the earlier figure; for margins and returns it is the difference in percentage points (pp). It is n/a if either figure is missing, the sign changed, the earlier one is zero or the unit differs.`

/**
 * What companyChart.js needs besides the states of the cells to redraw the chart and the trends for another stop of the
 * slider.
 */
export function trendData(tables: Tables, query: CompanyPageQuery): Markup {
  const { statements, periods, layout } = tables
  const metrics = statements.flatMap(statement => statement.metrics)
  const plot = plotOf(tables, query)
  return dataScript(
    'application/json',
    {
      ...trendContext(periods),
      rows: metrics.map(metric => ({
        label: metricLabel(metric),
        isPercentage: isPercentageOf(metric),
        unit: unitsOf(periods.map(({ key }) => layout.vintages(metric, key))),
      })),
      plot: plot === null ? null : plotData(tables, plot, metrics),
    },
    'trends',
  )
}

/** The unit of a row or, if it changed, that of each state of each of its cells. */
function unitsOf(cells: readonly (readonly FundamentalsRow[])[]): string | string[][] {
  const units = new Set(cells.flatMap(vintages => vintages.map(({ u }) => u)))
  if (units.size < 2) return [...units].join('')
  return cells.map(vintages => changesOf(vintages).map(({ row }) => row.u))
}

/** The current vintage from each day on which the cell changes; the states that `cellStates` lists. */
function changesOf(vintages: readonly FundamentalsRow[]): { day: string; row: FundamentalsRow }[] {
  return filingDays(vintages).flatMap(day => {
    const row = currentOf(knownOn(vintages, day))
    return row === null ? [] : [{ day, row }]
  })
}

function plotData({ periods, layout, days, scale }: Tables, plot: Plot, metrics: readonly string[]) {
  const first = plot.metrics.map(metric =>
    periods.map(({ key }) => {
      const vintages = layout.vintages(metric, key)
      const found = firstOf(vintages, plot)
      return vintages.every(({ v, u }) => v === found?.value && u === found.unit) ? null : found
    }),
  )
  const axes: { from: number; unit: string; words: string; axis: ValueAxis }[] = []
  days.forEach((day, from) => {
    const known: Known = (metric, key) => knownOn(layout.vintages(metric, key), day)
    const unit = unitOn(periods, known, plot)
    const ends = plot.metrics.flatMap(metric =>
      periods.flatMap(({ key }) => endsOf(known(metric, key), plot, unit)),
    )
    const axis = valueAxis(ends, tickText(plot, unit, scale))
    const before = axes.at(-1)
    if (before?.unit === unit && before.axis.low === axis.low && before.axis.high === axis.high) return
    axes.push({ from, unit, words: unitWords(plot, unit, scale), axis })
  })
  return { rows: plot.metrics.map(metric => metrics.indexOf(metric)), first, axes }
}

function endsOf(known: readonly FundamentalsRow[], plot: Plot, unit: string): number[] {
  const current = currentOf(known)
  const first = firstOf(known, plot)
  return [
    ...(current?.u === unit ? [current.v] : []),
    ...(current?.u === unit && first?.unit === unit ? [first.value] : []),
  ]
}
