import { inBothSizes, niceTicks, type Size } from '../../../backtest/report/chart/axes.ts'
import { html, type Markup } from '../../../html.ts'
import {
  type BarLayout,
  layOutBars,
  type Rect,
  type ValueAxis,
} from '../../../http/pages/assets/barGeometry.js'

export interface Bar {
  readonly value: number
  /** The exact value with its unit, which is shown on hover and focus and read out. */
  readonly title: string
  /** The value as first filed, drawn as an outline if it differs. */
  readonly ghost?: number
}

export interface BarSeries {
  readonly name: string
  /** One per category; null where there is no value. */
  readonly bars: readonly (Bar | null)[]
}

export interface BarChart {
  readonly label: string
  readonly categories: readonly string[]
  readonly series: readonly BarSeries[]
  readonly isStacked?: boolean
  /** What the outlines are. If it is given, the legend says it even if no bar has one. */
  readonly ghostName?: string
  readonly tickText: (value: number) => string
}

const heights: Record<Size['name'], number> = { wide: 280, narrow: 230 }

/**
 * Bars on a value axis that includes zero. Without scripts, every category can be hovered over and focused for its exact
 * values; bars.js turns the chart into one tab stop with arrow keys inside.
 */
export function barChart(chart: BarChart): Markup {
  const { series, ghostName } = chart
  const hasGhosts = ghostName !== undefined || series.some(({ bars }) => bars.some(bar => hasGhost(bar)))
  return html`<div class="bars">
${(series.length > 1 || hasGhosts) && legend(chart, hasGhosts)}
${inBothSizes(size => drawBars(chart, size))}
</div>`
}

const hasGhost = (bar: Bar | null) => bar?.ghost !== undefined && bar.ghost !== bar.value

const legend = ({ series, ghostName = 'as first filed, where it differs' }: BarChart, hasGhosts: boolean) =>
  html`<ul class="bar-legend">${series.map(
    ({ name }, number) =>
      html`<li>${swatch(html`<rect class="${colour(number)}" width="12" height="12"/>`)}${name}</li>`,
  )}${hasGhosts && html`<li>${swatch(html`<rect class="ghost" x="1" y="1" width="10" height="10"/>`)}${ghostName}</li>`}</ul>`

const swatch = (shape: Markup) =>
  html`<svg class="swatch" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">${shape}</svg>`

/** Further series repeat the colours. */
const colour = (series: number) => `bar-${series % 8}`

/**
 * An axis from zero to the furthest values, extended to round ones.
 *
 * @param ends the lowest and highest values; of stacks, their sums
 */
export function valueAxis(ends: readonly number[], tickText: (value: number) => string): ValueAxis {
  let min = 0
  let max = 0
  for (const value of ends) {
    if (value < min) min = value
    if (value > max) max = value
  }
  if (min === max) return { low: 0, high: 1, ticks: [{ value: 0, text: tickText(0) }] }
  const [first = 0, second = max] = niceTicks(min, max, 5)
  const step = second - first
  const low = Math.floor(min / step + 1e-9) * step
  const high = Math.ceil(max / step - 1e-9) * step
  const count = Math.round((high - low) / step)
  const lowest = Math.round(low / step)
  const ticks = Array.from({ length: count + 1 }, (_, at) => (lowest + at) * step)
  return { low, high, ticks: ticks.map(value => ({ value, text: tickText(value) })) }
}

function* endsOf({ categories, series, isStacked = false }: BarChart): Generator<number> {
  for (const index of categories.keys()) {
    let above = 0
    let below = 0
    for (const { bars } of series) {
      const bar = bars[index]
      if (bar === null || bar === undefined) continue
      const base = isStacked ? (bar.value < 0 ? below : above) : 0
      if (bar.value < 0) below += bar.value
      else above += bar.value
      yield base + bar.value
      if (bar.ghost !== undefined) yield base + bar.ghost
    }
  }
}

function drawBars(chart: BarChart, size: Size): Markup {
  const { label, categories, series, isStacked = false, tickText } = chart
  const height = heights[size.name]
  const layout = layOutBars(
    {
      labels: categories,
      series: series.map(({ bars }) => bars),
      isStacked,
      axis: valueAxis([...endsOf(chart)], tickText),
    },
    { width: size.width, height },
  )
  const { slots, left, right, zero } = layout
  return html`<svg class="bar-chart ${size.name}" viewBox="0 0 ${size.width} ${height}" role="group" aria-label="${label}">
${drawAxis(layout)}
${series.map((_, number) => html`<g class="${colour(number)}">${slots.map(({ bars }) => bars[number] && rect(bars[number]))}</g>`)}
<g class="ghosts">${slots.map(({ bars }) => bars.map(bar => bar?.ghost && rect(bar.ghost, 'ghost')))}</g>
<line class="base" x1="${left}" x2="${right}" y1="${zero}" y2="${zero}"/>
<g class="readouts">${slots.map((_, index) => readOut(chart, layout, index))}</g>
</svg>`
}

const drawAxis = ({ left, right, bottom, ticks, slots }: BarLayout) =>
  html`<g class="axis" aria-hidden="true">${ticks.map(
    ({ y, text }) =>
      html`<line x1="${left}" x2="${right}" y1="${y}" y2="${y}"/><text class="y" x="${left - 6}" y="${y}" dy=".32em">${text}</text>`,
  )}${slots.map(({ middle, label }) => label !== '' && html`<text class="x" x="${middle}" y="${bottom + 18}">${label}</text>`)}</g>`

const rect = ({ x, y, width, height }: Rect, kind?: 'ghost') =>
  html`<rect${kind !== undefined && html` class="${kind}"`} x="${x}" y="${y}" width="${width}" height="${height}"/>`

/** Drawn above all bars: SVG has no z-index, and the exact values must not be covered by the next bar. */
function readOut({ categories, series }: BarChart, { top, bottom, slots }: BarLayout, index: number) {
  const slot = slots[index]
  const lines = series.flatMap(({ name, bars }) => {
    const bar = bars[index]
    return bar === null || bar === undefined ? [] : [{ name, text: bar.title }]
  })
  const spoken = lines.map(({ name, text }) => `${name}: ${text}`).join('; ')
  return html`<g class="read" tabindex="0" role="img" aria-label="${categories[index]}: ${spoken === '' ? 'no value' : spoken}"><rect x="${slot.left}" y="${top}" width="${slot.width}" height="${bottom - top}"/><foreignObject x="${slot.tip.x}" y="${top}" width="${slot.tip.width}" height="${bottom - top}" aria-hidden="true"><div class="tip"><b>${categories[index]}</b>${lines.map(({ name, text }) => html`<span><i>${name}</i> ${text}</span>`)}${lines.length === 0 && html`<span>no value</span>`}</div></foreignObject></g>
`
}
