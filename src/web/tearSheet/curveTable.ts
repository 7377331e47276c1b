import type { BacktestResult } from '../../model/backtestResult.ts'
import { drawdowns } from '../drawdowns.ts'
import { gain, ratio } from '../figures.ts'
import { html, type Markup } from '../html.ts'

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
