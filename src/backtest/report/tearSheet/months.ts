import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { monthNames } from '../chart/axes.ts'
import { count, dash, percent } from '../numberFormat.ts'
import { scrollTable } from './scrollTable.ts'

/** The net return of each month in percent, coloured by its size. */
export function monthTable(result: BacktestResult): Markup {
  const years = monthlyOf(result)
  if (years === null) {
    return html`<p class="absent">The curve ends early, so monthly returns cannot be derived from it.</p>`
  }
  const shown = years.slice(-maxYears)
  const max = maxAbsolute(years.flatMap(year => year.months))
  const digits = max >= 1 ? 0 : max >= 0.01 ? 1 : 2
  const cell = (value: number | null) => (value === null ? dash : percent(value, digits).replace('%', ''))
  return html`<p>Net return in percent, by the month in which a period begins. Gains are blue, losses orange; ${dash} is a month without a period.</p>
${scrollTable(
  'Net return by month',
  html`<table class="heat months${years.length > maxUnsplitYears && ' long'}">
<thead><tr><th scope="col">Year</th>${monthNames.map(month => html`<th scope="col">${month}</th>`)}<th scope="col">Total</th></tr></thead>
<tbody>${shown.map(
    ({ year, months: values, total }) =>
      html`<tr><th scope="row">${String(year)}</th>${values.map(
        value => html`<td class="${heatClass(value, max)}">${cell(value)}</td>`,
      )}<td class="total">${cell(total)}</td></tr>\n`,
  )}</tbody></table>`,
  'phone',
)}${shown.length < years.length && html`<p class="absent">The ${count(years.length - shown.length)} earlier years are listed only in the JSON result.</p>`}`
}

/** More would make the page of a long record large. */
const maxYears = 60

/** When printed, a longer table is split between rows, with its header repeated. */
const maxUnsplitYears = 30

type YearRow = NonNullable<BacktestResult['monthly']>[number]

/** The month-by-year table: the result's own, else derived from the curve. Null if the curve would not give
 * the same numbers: every period must be on it, with a value above 0. */
export function monthlyOf(result: BacktestResult): readonly YearRow[] | null {
  if (result.monthly !== undefined) return result.monthly
  const { equity_curve: curve, equity_dates: dates, n_periods } = result
  if (curve.length !== n_periods + 1 || dates.length !== curve.length) return null
  const years = new Map<number, (number | null)[]>()
  for (let i = 0; i < n_periods; i++) {
    const before = curve[i]
    const after = curve[i + 1]
    if (before === null || after === null || before <= 0 || after <= 0) return null
    const year = Number(dates[i].slice(0, 4))
    const month = Number(dates[i].slice(5, 7)) - 1
    const growth = years.get(year) ?? new Array<number | null>(12).fill(null)
    growth[month] = (growth[month] ?? 1) * (after / before)
    years.set(year, growth)
  }
  return [...years].map(([year, growth]) => ({
    year,
    months: growth.map(g => (g === null ? null : g - 1)),
    total: growth.reduce<number>((product, g) => product * (g ?? 1), 1) - 1,
  }))
}

const heatSteps = 5

/** The class of a cell on a scale of two colours from -`max` through 0 to `max`: n5 ... n1, z, p1 ... p5. */
export function heatClass(value: number | null, max: number): string {
  if (value === null || !Number.isFinite(value)) return 'none'
  const step = max > 0 ? Math.min(heatSteps, Math.ceil((Math.abs(value) / max) * heatSteps - 1e-9)) : 0
  if (step === 0) return 'z'
  return `${value < 0 ? 'n' : 'p'}${step}`
}

export function maxAbsolute(values: Iterable<number | null>): number {
  let max = 0
  for (const value of values) if (value !== null && Math.abs(value) > max) max = Math.abs(value)
  return max
}
