import { html, type Markup } from '../../../html.ts'
import type { BacktestPricesUsed } from '../../resultPrices.ts'
import { count, percent, ratio } from '../numberFormat.ts'
import { describePrices, pricedRowPhrases } from '../prices.ts'
import { scrollTable } from './scrollTable.ts'

/** The prices that gave the returns, what became of the rows, and what the assumed delisting return decides. */
export function priceSection(prices: BacktestPricesUsed, sharpe: number | null, cagr: number | null): Markup {
  const { rows, sensitivity, notes, delisting, mean_return } = prices
  const counts = pricedRowPhrases.filter(({ key }) => rows[key] > 0)
  const cases = [{ delisting, mean_return, sharpe, cagr }, ...sensitivity]
  const hasMetrics = sensitivity.every(one => one.sharpe !== undefined)
  return html`<p>${describePrices(prices)}</p>
${scrollTable(
  'Rows',
  html`<table><thead><tr><th scope="col">Rows</th><th scope="col">Count</th></tr></thead>
<tbody>${counts.map(({ key, text }) => html`<tr><th scope="row">${text}</th><td>${count(rows[key])}</td></tr>\n`)}</tbody></table>`,
)}
${
  sensitivity.length > 0 &&
  html`<p>The return after the last close of securities whose prices end without a word is an assumption. This is what it decides:</p>
${scrollTable(
  'Assumed delisting returns',
  html`<table><thead><tr><th scope="col">Assumed</th><th scope="col">Mean return of the rows</th>${hasMetrics && html`<th scope="col">Sharpe ratio</th><th scope="col">CAGR</th>`}</tr></thead>
<tbody>${cases.map(
    one =>
      html`<tr><th scope="row">${percent(one.delisting, 0)}</th><td>${percent(one.mean_return, 3)}</td>${hasMetrics && html`<td>${ratio(one.sharpe ?? null)}</td><td>${percent(one.cagr ?? null)}</td>`}</tr>\n`,
  )}</tbody></table>`,
)}`
}${notes.map(note => html`<p>${note}</p>`)}`
}
