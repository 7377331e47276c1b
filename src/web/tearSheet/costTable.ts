import type { BacktestResult } from '../../model/backtestResult.ts'
import { basisPoints, dash } from '../figures.ts'
import { html, type Markup } from '../html.ts'

/** What trading and borrowing were taken to cost, and on whose word. */
export function costTable({ costs, config }: BacktestResult): Markup {
  const borrow =
    config.direction === 'long_only'
      ? 'Nothing is borrowed: the book is long only.'
      : `Borrowing what is sold short costs ${basisPoints(costs.borrow_bps)} a year.`
  if (costs.flat_bps !== null) {
    return html`<p>A flat ${basisPoints(costs.flat_bps)} a round trip (buying and selling again), as you asked, in every market. ${borrow}</p>`
  }
  return html`<p>${borrow} Trading costs what each market's own rules and usual spreads make it:</p>
<div class="scroll" tabindex="0" role="region" aria-label="Trading costs"><table class="costs">
<thead><tr><th scope="col">Market</th><th scope="col">Round trip</th><th scope="col">Last changed</th><th scope="col" class="text">Source</th></tr></thead>
<tbody>${costs.markets.map(
    ({ market, round_trip_bps, is_default, date, source }) =>
      html`<tr><th scope="row">${market ?? 'none named'}${is_default && html` <small>(default)</small>`}</th><td>${basisPoints(round_trip_bps)}</td><td><span class="day">${date === '' ? dash : date}</span></td><td class="text">${source}</td></tr>\n`,
  )}</tbody></table></div>`
}
