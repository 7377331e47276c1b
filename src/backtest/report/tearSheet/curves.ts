import type { BacktestResult } from '../../result.ts'
import { inBothSizes } from '../chart/axes.ts'
import { type Line, lineChart } from '../chart/lines.ts'
import { gain, percent, ratio } from '../figures.ts'
import { html, type Markup } from '../html.ts'

/** From this ratio of the highest to the lowest value on, equal distances are equal percentages. */
const logarithmicFrom = 8

export function isLogarithmic(curve: readonly (number | null)[]): boolean {
  const known = curve.filter(value => value !== null)
  const least = known.reduce((a, b) => Math.min(a, b), 1)
  const most = known.reduce((a, b) => Math.max(a, b), 1)
  return least > 0 && most / least >= logarithmicFrom
}

/** What 1 became, after costs. */
export function equityChart(
  { equity_curve: curve, equity_dates: dates }: BacktestResult,
  days: Float64Array,
): Markup {
  const last = curve.findLast(value => value !== null) ?? null
  const line: Line = {
    id: 'equity',
    title: 'Value of 1, net of costs',
    description: `From ${dates[0]} to ${dates.at(-1)} 1 became ${ratio(last, 3)}. The table below has the numbers.`,
    dates,
    days,
    values: curve,
    base: 1,
    isFilled: false,
    isLogarithmic: isLogarithmic(curve),
    height: 300,
    writeTick: (value, step) =>
      ratio(value, step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9))),
    writePoint: index => `${ratio(curve[index], 4)} (${gain(less1(curve[index]))})`,
  }
  return inBothSizes(size => lineChart(line, size))
}

const less1 = (value: number | null) => (value === null ? null : value - 1)

/** How far below its highest value so far the curve is. */
export function drawdownChart(
  { equity_curve: curve, equity_dates: dates, metrics }: BacktestResult,
  days: Float64Array,
): Markup {
  const falls = drawdowns(curve)
  const line: Line = {
    id: 'drawdown',
    title: 'Fall from the highest value so far',
    description: `The deepest fall is ${gain(metrics.max_drawdown)}. The table below has the numbers.`,
    dates,
    days,
    values: falls,
    base: 0,
    isFilled: true,
    isLogarithmic: false,
    height: 190,
    writeTick: (value, step) =>
      percent(value, Math.max(0, Math.min(4, Math.ceil(-Math.log10(step) - 2 - 1e-9)))),
    writePoint: index => gain(falls[index]),
  }
  return inBothSizes(size => lineChart(line, size))
}

const mostRows = 60

interface Stretch {
  readonly name: string
  last: number
  deepest: number | null
}

/** The curve as numbers, for those who do not see it: one row a month, quarter or year. */
export function curveTable({ equity_curve: curve, equity_dates: dates }: BacktestResult): Markup {
  const stretches = cut(dates, drawdowns(curve))
  return html`<details><summary>The curve as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="The curve as a table"><table>
<thead><tr><th scope="col">Time</th><th scope="col">Last point</th><th scope="col">Value of 1</th><th scope="col">Deepest fall in it</th></tr></thead>
<tbody>${stretches.map(
    ({ name, last, deepest }) =>
      html`<tr><th scope="row">${name}</th><td>${dates[last]}</td><td>${ratio(curve[last], 4)}</td><td>${gain(deepest)}</td></tr>`,
  )}</tbody></table></div></details>`
}

function cut(dates: readonly string[], falls: readonly (number | null)[]): Stretch[] {
  const names = [
    (date: string) => date.slice(0, 7),
    (date: string) => `${date.slice(0, 4)} Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`,
    (date: string) => date.slice(0, 4),
  ]
  let stretches: Stretch[] = []
  for (const nameOf of names) {
    stretches = []
    dates.forEach((date, i) => {
      const name = nameOf(date)
      const fall = falls[i]
      const open = stretches.at(-1)
      if (open?.name !== name) stretches.push({ name, last: i, deepest: fall })
      else {
        open.last = i
        if (fall !== null && (open.deepest === null || fall < open.deepest)) open.deepest = fall
      }
    })
    if (stretches.length <= mostRows) break
  }
  return stretches
}

/** Fall of each point from the highest before it, a fraction <= 0; null where the curve has no value. The first point
 * is a peak. */
export function drawdowns(curve: readonly (number | null)[]): (number | null)[] {
  let peak = 0
  return curve.map(value => {
    if (value === null) return null
    if (value > peak) peak = value
    return value / peak - 1
  })
}
