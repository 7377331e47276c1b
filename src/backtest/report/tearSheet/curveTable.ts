import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { ratio, signedPercent } from '../numberFormat.ts'
import { maxUnsplitRows, scrollTable } from './scrollTable.ts'

/** The drawdown of each point from the highest value so far, a fraction <= 0; null if the curve has no value.
 * The first point is a peak. */
export function fallsOf(curve: readonly (number | null)[]): (number | null)[] {
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
  /** The index of its last point. */
  last: number
  deepest: number | null
}

/** The curve as a table, for readers who cannot see the chart: one row per month, quarter or year. */
export function curveTable({ equity_curve: curve, equity_dates: dates }: BacktestResult): Markup {
  const spans = calendarSpans(dates, fallsOf(curve))
  return html`<details><summary>The net curve as a table</summary>
${scrollTable(
  'The net curve as a table',
  html`<table class="curve${spans.length > maxUnsplitRows && ' long'}">
<thead><tr><th scope="col">Period</th><th scope="col">Last date</th><th scope="col">Value of 1</th><th scope="col">Deepest drawdown</th></tr></thead>
<tbody>${spans.map(
    ({ name, last, deepest }) =>
      html`<tr><th scope="row">${name}</th><td>${dates[last]}</td><td>${ratio(curve[last], 4)}</td><td>${signedPercent(deepest)}</td></tr>`,
  )}</tbody></table>`,
)}</details>`
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
