import { html, type Markup } from '../../../html.ts'
import type { BacktestFold, BacktestResult } from '../../result.ts'
import { monthNames } from '../chart/axes.ts'
import { count, dash, percent, ratio, signedPercent } from '../numberFormat.ts'

/** The walk-forward folds. The columns that matter most come first: a phone shows only those without scrolling. */
export function foldTable({ folds, trials, config }: BacktestResult): Markup {
  if (folds.length === 0) return html`<p class="absent">There are too few periods for walk-forward folds.</p>`
  const isSweep = trials !== undefined
  const method = isSweep
    ? 'Each fold trades the configuration with the best Sharpe ratio on all data before it, on a block that the choice has not seen.'
    : 'Nothing is fitted to the record, so each fold simply shows how the same configuration did in one block of time after another.'
  const head = ['Fold', 'Tested on', 'Sharpe ratio', 'Annual return', 'Maximum drawdown', 'Periods']
  const training = ['Trained on', 'Training Sharpe ratio']
  const max = maxAbsolute(folds.map(fold => fold.sharpe))
  const requested = config.folds ?? folds.length
  return html`<p>${method} The last periods before a block are excluded from its training, so that no training return reaches into it.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Walk-forward folds"><table class="heat folds">
<thead><tr>${[...head, ...training, ...(isSweep ? ['Configuration'] : [])].map(
    name => html`<th scope="col">${name}</th>`,
  )}</tr></thead>
<tbody>${folds.map(fold => foldRow(fold, max, isSweep))}</tbody></table></div>${
    folds.length < requested &&
    html`<p class="absent">${count(folds.length)} of the ${count(requested)} requested folds could be formed.</p>`
  }`
}

function foldRow(fold: BacktestFold, max: number, isSweep: boolean): Markup {
  return html`<tr><th scope="row">${count(fold.fold)}</th><td>${span(fold.test_start, fold.test_end)}</td><td class="${heatClass(fold.sharpe, max)}">${ratio(fold.sharpe)}</td><td>${signedPercent(fold.cagr)}</td><td>${signedPercent(fold.max_drawdown)}</td><td>${count(fold.n_periods)}</td><td>${span(fold.train_start, fold.train_end)}</td><td>${ratio(fold.train_sharpe)}</td>${
    isSweep && html`<td class="label">${fold.label}</td>`
  }</tr>
`
}

function span(from: string | null, to: string | null): Markup | string {
  return from === null || to === null ? 'none' : html`${from} to<br>${to}`
}

/** Net return of each month, in percent, coloured by its size. */
export function monthTable(result: BacktestResult): Markup {
  const years = monthlyOf(result)
  if (years === null) {
    return html`<p class="absent">The curve ends early, so monthly returns cannot be derived from it. Request them with include: ["monthly"].</p>`
  }
  const max = maxAbsolute(years.flatMap(year => year.months))
  const digits = max >= 1 ? 0 : max >= 0.01 ? 1 : 2
  const cell = (value: number | null) => (value === null ? dash : percent(value, digits).replace('%', ''))
  return html`<p>Net return in percent, by the month in which a period begins. Gains are blue, losses orange; ${dash} is a month without a period.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Net return by month"><table class="heat months">
<thead><tr><th scope="col">Year</th>${monthNames.map(month => html`<th scope="col">${month}</th>`)}<th scope="col">Total</th></tr></thead>
<tbody>${years.map(
    ({ year, months: values, total }) =>
      html`<tr><th scope="row">${String(year)}</th>${values.map(
        value => html`<td class="${heatClass(value, max)}">${cell(value)}</td>`,
      )}<td class="total">${cell(total)}</td></tr>\n`,
  )}</tbody></table></div>`
}

type YearRow = NonNullable<BacktestResult['monthly']>[number]

/** The month-by-year table: the result's own, else derived from the curve. null if the curve would not give the same: every
 * period must be on it, with a value above 0. */
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
