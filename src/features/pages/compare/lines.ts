import { html, type Markup } from '../../../html.ts'
import { barChart } from '../charts/barChart.ts'
import { companyPath } from '../company/query.ts'
import { exactFigure, type FigureForm, type Scale, scaleOf, shownChange, shownFigure } from '../figures.ts'
import { metricInText, metricLabel } from '../metricLabels.ts'
import type { Tab } from '../periodTabs.ts'
import { byColumn, type Cell, type Column, columnsOf, isUnusual } from './align.ts'
import { baseColumn, formOfCell, growth, indexed, type Measure } from './measures.ts'
import { type Compare, chosenDay, type View } from './query.ts'
import type { ComparedCompany } from './read.ts'

/** A line of all companies with what each cell shows. */
export interface ComparedLine {
  readonly metric: string
  readonly view: View
  readonly columns: readonly Column[]
  /** The columns of the chart, the earliest first. */
  readonly drawnColumns: readonly Column[]
  /** Whether there are earlier columns. */
  readonly isPart: boolean
  readonly rows: readonly LineRow[]
  readonly scale: Scale
  /** The currencies of amounts; empty for other figures. */
  readonly currencies: readonly string[]
  /** The column whose figures are 100, if the chart or the table is indexed and there is one. */
  readonly base: Column | null
  /** Whether all companies report amounts in one currency, or the figures are no amounts. */
  readonly isComparable: boolean
}

interface LineRow {
  readonly company: ComparedCompany
  readonly cells: ReadonlyMap<string, Cell>
  readonly measures: ReadonlyMap<string, Measure>
  /** What the chart draws: differs from the measures if amounts are in several currencies. */
  readonly drawn: ReadonlyMap<string, Measure>
}

/** The columns of a table and of a chart: as many as people read at once. */
const maxColumns: Readonly<Record<Tab, number>> = { years: 25, quarters: 24, ttm: 24 }
const maxBars: Readonly<Record<Tab, number>> = { years: 10, quarters: 12, ttm: 12 }

export function compareLine(
  companies: readonly ComparedCompany[],
  metric: string,
  { view: asked, show, before }: Compare,
): ComparedLine {
  const lines = companies.map(({ lines }) => lines.get(metric) ?? [])
  const all = lines.flat()
  // A ratio compares as it is: an index of it would say nothing more.
  const isRatio = all.length > 0 && all.every(cell => ['percent', 'ratio'].includes(formOfCell(cell)))
  const view = asked === 'indexed' && isRatio ? 'values' : asked
  const found = columnsOf(lines, before)
  const known = found.slice(0, maxColumns[show])
  const cells = lines.map(byColumn)
  const currencies = [...new Set(all.filter(isAmount).map(({ row }) => row.u.slice(0, 3)))].sort()
  const isComparable = currencies.length < 2
  const reporting = cells.filter(line => line.size > 0)
  const isIndexed = view === 'indexed' || (view === 'values' && !isComparable)
  const key = isIndexed
    ? baseColumn(
        reporting,
        known.map(column => column.key),
      )
    : null
  const base = known.find(column => column.key === key) ?? null
  // An index begins with its base.
  const columns = view === 'indexed' ? known.filter(column => base !== null && column.key >= base.key) : known
  const drawnColumns = columns
    .slice(0, maxBars[show])
    .filter(column => base === null || column.key >= base.key)
    .reverse()
  const index = (line: ReadonlyMap<string, Cell>, cell: Cell): Measure => {
    const first = base === null ? undefined : line.get(base.key)
    if (first === undefined)
      return { value: null, why: 'There is no period in which every company has a positive figure.' }
    return first.end > cell.end ? { value: null, why: 'Before the first period.' } : indexed(first, cell)
  }
  const rows = companies.map((company, at) => {
    const own = cells[at]
    const each = (measure: (cell: Cell) => Measure) =>
      new Map([...own].map(([key, cell]) => [key, measure(cell)] as const))
    const plain = each(({ row }) => ({ value: row.v, why: '' }))
    const byIndex = isIndexed ? each(cell => index(own, cell)) : plain
    const byGrowth = view === 'growth' ? each(cell => growth(lines[at], cell)) : plain
    const measures = view === 'growth' ? byGrowth : view === 'indexed' ? byIndex : plain
    return { company, cells: own, measures, drawn: view === 'growth' ? byGrowth : byIndex }
  })
  const amounts = all.flatMap(cell => (formOfCell(cell) === 'amount' ? [cell.row.v] : []))
  const shares = all.flatMap(cell => (formOfCell(cell) === 'shares' ? [cell.row.v] : []))
  const scale = scaleOf(amounts.length > 0 ? amounts : shares)
  const isPart = found.length > known.length
  return { metric, view, columns, drawnColumns, isPart, rows, scale, currencies, base, isComparable }
}

const isAmount = (cell: Cell) => ['amount', 'perShare'].includes(formOfCell(cell))

/** `USD, millions`, or what the numbers of the view are. */
export function unitText({ view, rows, scale, currencies, isComparable }: ComparedLine): string {
  const first = formOfLine(rows)
  if (view === 'growth')
    return first === 'percent'
      ? 'change on a year before, in percentage points'
      : 'change on a year before, in percent'
  if (view === 'indexed') return 'index'
  const currency = isComparable ? (currencies[0] ?? '') : 'each in its own currency'
  if (first === 'amount') return `${currency}, ${scale.name}`
  if (first === 'perShare') return `${currency} per share`
  if (first === 'shares') return `shares, ${scale.name}`
  return first === 'percent' ? 'percent' : 'as reported'
}

function formOfLine(rows: readonly LineRow[]): FigureForm {
  for (const { cells } of rows) for (const cell of cells.values()) return formOfCell(cell)
  return 'count'
}

/**
 * Whether the chart is an index. Where figures per share are in several currencies there is none beside them: they are as
 * filed, so a split would look like a fall.
 */
const isIndexDrawn = ({ view, isComparable, rows }: ComparedLine): boolean =>
  view === 'indexed' || (view === 'values' && !isComparable && formOfLine(rows) !== 'perShare')

/** Says how the companies of a line are compared where that needs saying. */
export function lineNotes(line: ComparedLine, compare: Compare): string[] {
  const { view, rows, isComparable, base, currencies, metric } = line
  const without = rows.filter(({ cells }) => cells.size === 0).map(({ company }) => company.name)
  const hasIndexChart = isIndexDrawn(line)
  const name = metricInText(metric)
  return [
    without.length > 0 &&
      without.length < rows.length &&
      `No ${name} of ${listed(without)} is available for these periods.`,
    compare.view === 'indexed' &&
      view === 'values' &&
      rows.some(({ cells }) => cells.size > 0) &&
      'Ratios compare as they are, so this line is not indexed.',
    view === 'values' &&
      !isComparable &&
      `The amounts are in ${listed(currencies)}, which cannot be compared with each other: the table shows each company in its own currency, and ${hasIndexChart ? 'the chart shows an index instead' : '“Indexed to 100” shows how they developed, adjusted for splits'}.`,
    hasIndexChart &&
      base !== null &&
      `Each company’s figure ${compare.show === 'years' ? `of the year that ends in ${base.label}` : `of the period that ends in ${base.label}`} is 100: the first one in which every company has a positive figure.`,
    hasIndexChart &&
      base === null &&
      rows.some(({ cells }) => cells.size > 0) &&
      'There is no index, because in no period of this table does every company have a positive figure.',
  ].filter(note => note !== false)
}

const lists = new Intl.ListFormat('en-GB', { type: 'conjunction' })
export const listed = (names: readonly string[]): string => lists.format(names)

function shownMeasure(line: ComparedLine, cell: Cell, { value }: Measure, view: View): string {
  if (value === null) return 'n/a'
  const form = formOfCell(cell)
  if (view === 'growth') return form === 'percent' ? shownPoints(value) : shownChange(value)
  if (view === 'indexed') return oneDigit.format(value)
  return shownFigure(value, form, line.scale)
}

const oneDigit = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const shownPoints = (points: number) => {
  const text = oneDigit.format(points)
  return /^-0\.0$/.test(text) ? '0.0' : `${points > 0 && text !== '0.0' ? '+' : ''}${text}`
}

/** The figure itself with its period and filing, whatever the cell shows. */
function cellTitle({ row, end, days }: Cell, show: Tab, cell: Cell): string {
  const { v, u, fp, fy, filed, kind } = row
  const adjusted =
    row.split_factor === undefined || row.split_factor === 1 ? '' : ', adjusted for later splits'
  const length = isUnusual(cell, show) ? `, ${days} days` : ''
  return `${exactFigure(v)} ${u}, ${fp} ${fy} to ${end}${length}, ${kind === 'derived' ? 'derived, ' : ''}filed ${filed}${adjusted}`
}

export function lineChart(line: ComparedLine, { show }: Compare): Markup | false {
  const { rows, base, view, isComparable, scale, metric, drawnColumns } = line
  const isIndexed = isIndexDrawn(line)
  if (isIndexed ? base === null : view === 'values' && !isComparable) return false
  const drawnView = isIndexed ? 'indexed' : view
  const form = formOfLine(rows)
  const series = rows
    .filter(({ cells }) => drawnColumns.some(({ key }) => cells.has(key)))
    .map(({ company, cells, drawn }) => ({
      name: seriesName(company),
      bars: drawnColumns.map(({ key }) => {
        const cell = cells.get(key)
        const measure = drawn.get(key)
        if (cell === undefined || measure === undefined || measure.value === null) return null
        const text = shownMeasure(line, cell, measure, drawnView)
        const exact = cellTitle(cell, show, cell)
        return { value: measure.value, title: drawnView === 'values' ? exact : `${text} (${exact})` }
      }),
    }))
  if (series.every(({ bars }) => bars.every(bar => bar === null))) return false
  const tickText = (value: number) => {
    if (drawnView === 'growth') return form === 'percent' ? shownPoints(value) : `${plain.format(value)}%`
    if (drawnView === 'indexed') return plain.format(value)
    return form === 'percent' ? `${plain.format(value * 100)}%` : plain.format(value / divisorOf(form, scale))
  }
  const what = drawnView === 'indexed' ? 'index, first common period = 100' : unitText(line)
  return barChart({
    label: `${metricLabel(metric)}, ${what}`,
    categories: drawnColumns.map(({ short }) => short),
    series,
    tickText,
  })
}

/** A name in another script is hard to tell from others, so its ID comes first. */
const seriesName = ({ name, ticker }: ComparedCompany) =>
  /^[\x20-\x7e]+$/.test(name) ? name : `${ticker} ${name}`

const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const divisorOf = (form: FigureForm, { divisor }: Scale) =>
  form === 'amount' || form === 'shares' ? divisor : 1

export function lineTable(line: ComparedLine, compare: Compare): Markup {
  const { columns, rows, metric, currencies } = line
  const hasUnits = currencies.length > 1 && line.view === 'values'
  return html`<div class="scroll" tabindex="0" role="region" aria-labelledby="line-${metric}"><table class="figures">
<thead><tr><th scope="col">Company</th>${hasUnits && html`<th scope="col">Currency</th>`}${columns.map(({ label }) => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>
${rows.map(row => html`<tr><th scope="row">${row.company.name}<small>${row.company.ticker}</small></th>${hasUnits && html`<td>${currencyOf(row)}</td>`}${columns.map(({ key }) => lineCell(line, row, key, compare))}</tr>\n`)}</tbody>
</table></div>`
}

const currencyOf = ({ cells }: LineRow) =>
  [...new Set([...cells.values()].filter(isAmount).map(({ row }) => row.u.slice(0, 3)))].join(', ')

function lineCell(line: ComparedLine, row: LineRow, key: string, compare: Compare): Markup {
  const cell = row.cells.get(key)
  const measure = row.measures.get(key)
  if (cell === undefined || measure === undefined) return html`<td></td>`
  const { show } = compare
  const { m, fy, fp } = cell.row
  const path = companyPath(row.company.idOnDay, {
    show,
    ...chosenDay(compare),
    cell: `${m}.${fy}.${fp}.${cell.end}`,
  })
  const title = `${cellTitle(cell, show, cell)}${measure.why === '' ? '' : `. ${measure.why}`}`
  return html`<td${measure.value !== null && html` data-v="${measure.value}"`} title="${title}"><a href="${path}#figure">${shownMeasure(line, cell, measure, line.view)}</a><small>${cell.end}${isUnusual(cell, show) && `, ${cell.days} days`}</small></td>`
}
