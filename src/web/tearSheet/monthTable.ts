import type { BacktestResult } from '../../model/backtestResult.ts'
import { dash, percent } from '../figures.ts'
import { html, type Markup } from '../html.ts'
import { heat, largest } from './heat.ts'
import { monthlyOf } from './monthlyOf.ts'

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
