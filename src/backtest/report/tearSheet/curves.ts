import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { inBothSizes } from '../chart/axes.ts'
import { type Line, lineChart } from '../chart/lineChart.ts'
import { percent, ratio, signedPercent } from '../numberFormat.ts'

/** Growth of 1, net of costs. */
export function equityChart(
  { equity_curve: curve, equity_dates: dates }: BacktestResult,
  days: Float64Array,
): Markup {
  const last = curve.findLast(value => value !== null) ?? null
  const line: Line = {
    id: 'equity',
    title: 'Growth of 1, net of costs',
    description: `From ${dates[0]} to ${dates.at(-1)}, 1 became ${ratio(last, 3)}. The table below lists the values.`,
    dates,
    days,
    values: curve,
    base: 1,
    isFilled: false,
    isLogarithmic: isLogarithmic(curve),
    height: 300,
    formatTick: (value, step) =>
      ratio(value, step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9))),
    formatPoint: index => `${ratio(curve[index], 4)} (${signedPercent(gainOf(curve[index]))})`,
  }
  return inBothSizes(size => lineChart(line, size))
}

const gainOf = (value: number | null) => (value === null ? null : value - 1)

/** From this ratio of the highest to the lowest value on, the scale is logarithmic. */
const minLogarithmicRatio = 8

export function isLogarithmic(curve: readonly (number | null)[]): boolean {
  const known = curve.filter(value => value !== null)
  const min = known.reduce((a, b) => Math.min(a, b), 1)
  const max = known.reduce((a, b) => Math.max(a, b), 1)
  return min > 0 && max / min >= minLogarithmicRatio
}

/** How far the equity is below its highest value so far. */
export function drawdownChart(
  { equity_curve: curve, equity_dates: dates, metrics }: BacktestResult,
  days: Float64Array,
): Markup {
  const values = drawdowns(curve)
  const line: Line = {
    id: 'drawdown',
    title: 'Drawdown from the highest value so far',
    description: `The maximum drawdown is ${signedPercent(metrics.max_drawdown)}. The table below lists the values.`,
    dates,
    days,
    values,
    base: 0,
    isFilled: true,
    isLogarithmic: false,
    height: 190,
    formatTick: (value, step) =>
      percent(value, Math.max(0, Math.min(4, Math.ceil(-Math.log10(step) - 2 - 1e-9)))),
    formatPoint: index => signedPercent(values[index]),
  }
  return inBothSizes(size => lineChart(line, size))
}

/** Drawdown of each point from the highest before it, a fraction <= 0; null if the curve has no value. The first point is a
 * peak. */
function drawdowns(curve: readonly (number | null)[]): (number | null)[] {
  let peak = 0
  return curve.map(value => {
    if (value === null) return null
    if (value > peak) peak = value
    return value / peak - 1
  })
}

const maxTableRows = 60

interface Span {
  readonly name: string
  /** Index of its last point. */
  last: number
  deepest: number | null
}

/** The curve as a table, for readers who cannot see the chart: one row per month, quarter or year. */
export function curveTable({ equity_curve: curve, equity_dates: dates }: BacktestResult): Markup {
  const spans = calendarSpans(dates, drawdowns(curve))
  return html`<details><summary>The curve as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="The curve as a table"><table>
<thead><tr><th scope="col">Period</th><th scope="col">Last date</th><th scope="col">Value of 1</th><th scope="col">Deepest drawdown</th></tr></thead>
<tbody>${spans.map(
    ({ name, last, deepest }) =>
      html`<tr><th scope="row">${name}</th><td>${dates[last]}</td><td>${ratio(curve[last], 4)}</td><td>${signedPercent(deepest)}</td></tr>`,
  )}</tbody></table></div></details>`
}

/** The finest of months, quarters and years that fits into the table. */
function calendarSpans(dates: readonly string[], falls: readonly (number | null)[]): Span[] {
  const namings = [
    (date: string) => date.slice(0, 7),
    (date: string) => `${date.slice(0, 4)} Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`,
    (date: string) => date.slice(0, 4),
  ]
  let spans: Span[] = []
  for (const nameOf of namings) {
    spans = []
    dates.forEach((date, i) => {
      const name = nameOf(date)
      const fall = falls[i]
      const open = spans.at(-1)
      if (open?.name !== name) spans.push({ name, last: i, deepest: fall })
      else {
        open.last = i
        if (fall !== null && (open.deepest === null || fall < open.deepest)) open.deepest = fall
      }
    })
    if (spans.length <= maxTableRows) break
  }
  return spans
}
