import type { BacktestResult } from '../../model/backtestResult.ts'
import { count, dash, gain } from '../figures.ts'
import { html, type Markup } from '../html.ts'

const mostShown = 200

/** The last book, where it was asked for. */
export function positionTable({ positions }: BacktestResult): Markup | null {
  if (positions === undefined) return null
  if (positions.length === 0) return html`<p class="absent">The last book is empty.</p>`
  const shown =
    positions.length <= mostShown
      ? positions
      : [...positions.slice(0, mostShown / 2), ...positions.slice(-mostShown / 2)]
  const rest = positions.length - shown.length
  return html`<details><summary>${count(positions.length)} names held at the end</summary>
<div class="scroll" tabindex="0" role="region" aria-label="The last book"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Market</th><th scope="col">Share of the equity</th></tr></thead>
<tbody>${shown.map(
    ({ asset, market, weight }) =>
      html`<tr><th scope="row">${asset}</th><td>${market ?? dash}</td><td>${gain(weight, 2)}</td></tr>\n`,
  )}</tbody></table></div>${rest > 0 && html`<p class="absent">${count(rest)} in the middle are only in the JSON.</p>`}</details>`
}
