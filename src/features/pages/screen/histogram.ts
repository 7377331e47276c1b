import { niceTicks } from '../../../backtest/report/chart/axes.ts'
import { quantile } from '../../../backtest/statistics/quantile.ts'
import { html, type Markup } from '../../../html.ts'
import type { ScreenedCompany } from '../../crossSection/table.ts'
import { barChart } from '../charts/barChart.ts'
import { exactFigure } from '../figures.ts'
import { metricLabel } from '../metricLabels.ts'
import {
  exactText,
  type FigureSet,
  figureSet,
  figureText,
  medianOf,
  type ScreenColumn,
  shortText,
} from './figureSet.ts'

/** Figures from one bound up to another, which belongs to the next range. */
interface Range {
  readonly from: number
  readonly to: number
  readonly count: number
}

export interface Histogram {
  readonly ranges: readonly Range[]
  /** How many figures are below the first range, and how many at or above the end of the last. */
  readonly below: number
  readonly above: number
  /** Whether each range is a multiple of the one before. */
  readonly isLogarithmic: boolean
}

/** With fewer companies, the table says as much as a chart. */
const minFigures = 8
/** The chart covers all but this share at either end: one extreme would squeeze all others into one bar. */
const outerShare = 0.025
const wantedRanges = 12
/** Amounts that differ this much are shown in ranges that grow. */
const wideRatio = 50

/** Counts figures in round ranges, or null if there are too few of them. */
export function histogramOf({ values }: FigureSet): Histogram | null {
  if (values.length < minFigures) return null
  const low = quantile(values, outerShare)
  const high = quantile(values, 1 - outerShare)
  if (low === high) return null
  const isLogarithmic = low > 0 && high / low >= wideRatio
  const edges = isLogarithmic ? growingEdges(low, high) : evenEdges(low, high)
  const counts = edges.slice(1).map(() => 0)
  let below = 0
  let above = 0
  let index = 0
  for (const value of values) {
    if (value < edges[0]) below++
    else if (value >= edges[edges.length - 1]) above++
    else {
      while (value >= edges[index + 1]) index++
      counts[index]++
    }
  }
  return {
    ranges: counts.map((count, at) => ({ from: edges[at], to: edges[at + 1], count })),
    below,
    above,
    isLogarithmic,
  }
}

/** Multiples of a round step, from at or below `low` to above `high`. */
function evenEdges(low: number, high: number): number[] {
  const [first = low, second = high] = niceTicks(low, high, wantedRanges)
  const step = second - first
  // Multiples of .1 have no exact binary form.
  const edge = (at: number) => Number((at * step).toPrecision(12))
  let at = Math.floor(low / step)
  while (edge(at) > low) at--
  const edges = [edge(at)]
  while (edge(at) <= high) edges.push(edge(++at))
  return edges
}

/** 1, 2 and 5 times the powers of ten, or the powers alone over a very wide range. */
function growingEdges(low: number, high: number): number[] {
  const factors = high / low > 1e5 ? [1] : [1, 2, 5]
  const all: number[] = []
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high * 10; power++)
    for (const factor of factors) all.push(Number(`${factor}e${power}`))
  const start = Math.max(
    0,
    all.findLastIndex(edge => edge <= low),
  )
  return all.slice(start, all.findIndex(edge => edge > high) + 1)
}

/** A chart for each column: how many companies have figures in which range. */
export function histograms(
  companies: readonly ScreenedCompany[],
  columns: readonly ScreenColumn[],
  ofPage: boolean,
): Markup | false {
  const shown = columns.map(column => ({ column, set: figureSet(companies, column) }))
  if (shown.every(({ set }) => set.values.length === 0)) return false
  return html`<section><h2 id="distribution">Distribution</h2>
<p>How many companies have figures in which range, among ${ofPage ? 'the companies on this page' : `all ${exactFigure(companies.length)} companies that fit`}. A bar is labelled with its lower bound and counts the figures from there up to, but not including, the bound of the next bar.</p>
<div class="histograms">${shown.map(
    ({ column, set }) => html`<div><h3>${metricLabel(column.metric)}</h3>
${oneHistogram(column, set)}</div>
`,
  )}</div></section>`
}

function oneHistogram(column: ScreenColumn, set: FigureSet): Markup {
  const histogram = histogramOf(set)
  const { values, otherCurrency } = set
  const median = medianOf(set)
  const middle =
    median === null
      ? 'No company has this figure'
      : `Median ${figureText(column, median)} of ${companiesText(values.length)}`
  const others =
    otherCurrency > 0
      ? ` Without ${companiesText(otherCurrency)} whose figures are in another currency than ${column.currency}.`
      : ''
  if (histogram === null)
    return html`<p class="quiet">${middle}.${others} ${median !== null && 'Too few different figures for a chart.'}</p>`
  const { ranges } = histogram
  return html`${barChart({
    label: `${metricLabel(column.metric)}: companies per range`,
    // Both bounds would not fit below a bar. Hovering over it shows them.
    categories: ranges.map(({ from }) => shortText(column, from)),
    series: [
      {
        name: 'Companies',
        bars: ranges.map(({ from, to, count }) => ({
          value: count,
          title: `${exactFigure(count)}, from ${exactText(column, from)} to below ${exactText(column, to)}`,
        })),
      },
    ],
    tickText: value => (Number.isInteger(value) ? exactFigure(value) : ''),
  })}
<p class="quiet">${middle}.${histogram.isLogarithmic && ' The ranges grow: 1, 2, 5, 10 and so on.'} ${outliers(column, set, histogram)}${others}</p>`
}

const companiesText = (count: number) => `${exactFigure(count)} ${count === 1 ? 'company' : 'companies'}`

function outliers(column: ScreenColumn, { values }: FigureSet, { ranges, below, above }: Histogram): string {
  const parts = [
    below > 0 &&
      `${exactFigure(below)} below ${shortText(column, ranges[0].from)}, the lowest ${figureText(column, values[0])}`,
    above > 0 &&
      `${exactFigure(above)} from ${shortText(column, ranges[ranges.length - 1].to)} up, the highest ${figureText(column, values[values.length - 1])}`,
  ].filter(part => part !== false)
  return parts.length === 0 ? '' : `Outside the chart: ${parts.join('; ')}.`
}
