import type { BacktestFold, BacktestResult } from '../../result.ts'
import { count, dash, gain, percent, ratio } from '../figures.ts'
import { html, type Markup } from '../html.ts'

/** The walk-forward record: what a phone shows without scrolling comes first. */
export function foldTable({ folds, trials, config }: BacktestResult): Markup {
  if (folds.length === 0) return html`<p class="absent">There are too few periods to cut into folds.</p>`
  const isSweep = trials !== undefined
  const what = isSweep
    ? 'Each fold trades the configuration that had the best Sharpe ratio on everything before it, on a block that the choice has not seen.'
    : 'Nothing is fitted to the record, so each fold is simply how the same configuration did in one block of time after another.'
  const head = ['Fold', 'Tested on', 'Sharpe ratio', 'Return a year', 'Deepest fall', 'Periods']
  const training = ['Trained on', 'Sharpe ratio in training']
  const most = largest(folds.map(fold => fold.sharpe))
  const asked = config.folds ?? folds.length
  return html`<p>${what} The last periods before a block are left out of its training, so no return that was learnt from reaches into it.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Walk-forward folds"><table class="heat folds">
<thead><tr>${[...head, ...training, ...(isSweep ? ['Configuration'] : [])].map(
    name => html`<th scope="col">${name}</th>`,
  )}</tr></thead>
<tbody>${folds.map(fold => foldRow(fold, most, isSweep))}</tbody></table></div>${
    folds.length < asked &&
    html`<p class="absent">${count(folds.length)} of the ${count(asked)} folds asked for could be made.</p>`
  }`
}

function foldRow(fold: BacktestFold, most: number, isSweep: boolean): Markup {
  return html`<tr><th scope="row">${count(fold.fold)}</th><td>${span(fold.test_start, fold.test_end)}</td><td class="${heat(fold.sharpe, most)}">${ratio(fold.sharpe)}</td><td>${gain(fold.cagr)}</td><td>${gain(fold.max_drawdown)}</td><td>${count(fold.n_periods)}</td><td>${span(fold.train_start, fold.train_end)}</td><td>${ratio(fold.train_sharpe)}</td>${
    isSweep && html`<td class="label">${fold.label}</td>`
  }</tr>
`
}

function span(from: string | null, to: string | null): Markup | string {
  return from === null || to === null ? 'nothing yet' : html`${from} to<br>${to}`
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Net return of each month, in percent, coloured by its size. */
export function monthTable(result: BacktestResult): Markup {
  const years = monthlyOf(result)
  if (years === null) {
    return html`<p class="absent">The curve ends early, so the months cannot be read off it. Ask for them with include: ["monthly"].</p>`
  }
  const most = largest(years.flatMap(year => year.months))
  const digits = most >= 1 ? 0 : most >= 0.01 ? 1 : 2
  const cell = (value: number | null) => (value === null ? dash : percent(value, digits).replace('%', ''))
  return html`<p>Net return in percent, by the month in which a period begins. Blue is a gain, orange a loss; ${dash} is a month without a period.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Net return by month"><table class="heat months">
<thead><tr><th scope="col">Year</th>${months.map(month => html`<th scope="col">${month}</th>`)}<th scope="col">Year</th></tr></thead>
<tbody>${years.map(
    ({ year, months: values, total }) =>
      html`<tr><th scope="row">${String(year)}</th>${values.map(
        value => html`<td class="${heat(value, most)}">${cell(value)}</td>`,
      )}<td class="total">${cell(total)}</td></tr>\n`,
  )}</tbody></table></div>`
}

export type YearRow = NonNullable<BacktestResult['monthly']>[number]

/** The month-by-year table: the result's own, or the same from the curve where that gives exactly the same: every
 * period is on it, with a value above 0. Else null. */
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

const steps = 5

/** The class of a cell on a scale of two colours from -`most` through 0 to `most`: n5 ... n1, z, p1 ... p5. */
export function heat(value: number | null, most: number): string {
  if (value === null || !Number.isFinite(value)) return 'none'
  const step = most > 0 ? Math.min(steps, Math.ceil((Math.abs(value) / most) * steps - 1e-9)) : 0
  if (step === 0) return 'z'
  return `${value < 0 ? 'n' : 'p'}${step}`
}

export function largest(values: Iterable<number | null>): number {
  let most = 0
  for (const value of values) if (value !== null && Math.abs(value) > most) most = Math.abs(value)
  return most
}
