import { html, type Markup } from '../../../html.ts'
import type { BacktestCosts, BacktestResult } from '../../result.ts'
import { basisPoints, count, percent, ratio } from '../numberFormat.ts'
import { scrollTable } from './scrollTable.ts'
import { tileList } from './tiles.ts'

/** The trading and borrowing costs that were charged, with their sources and age, and how much they took. */
export function costSection(result: BacktestResult): Markup {
  const { costs, config, metrics, equity_dates: dates } = result
  const borrow =
    config.direction === 'long_only'
      ? 'Nothing is borrowed: the portfolio is long only.'
      : `Borrowing for short positions costs ${basisPoints(costs.borrow_bps)} per year.`
  const taken = tileList(
    [
      {
        name: 'Cost drag',
        plain: 'return lost each year',
        value: percent(metrics.cost_drag_annual, 2),
        means: 'To trading and borrowing, as a share of the equity.',
      },
      {
        name: 'Gross Sharpe ratio',
        plain: 'before costs',
        value: ratio(metrics.gross_sharpe),
        means: `Net of costs it is ${ratio(metrics.sharpe)}.`,
      },
      {
        name: 'Break-even cost',
        plain: 'where nothing is left',
        value: basisPoints(metrics.break_even_cost_bps),
        means: 'Flat round-trip cost at which the mean net return is 0.',
      },
    ],
    'small',
  )
  if (costs.flat_bps !== null) {
    return html`<p>A flat ${basisPoints(costs.flat_bps)} per round trip (buying and selling again), as requested, in every market. ${borrow}</p>${taken}`
  }
  const first = dates[0]
  const last = dates[dates.length - 1]
  return html`<p>${borrow} Trading costs follow each market's own rules and typical spreads. They are charged as they were on the date shown, whenever the trade was:</p>
${scrollTable(
  'Trading costs',
  html`<table class="costs">
<thead><tr><th scope="col">Market</th><th scope="col">Round trip</th><th scope="col">Dated</th></tr></thead>
${costs.markets
  .slice(0, maxMarkets)
  .map(
    ({ market, round_trip_bps, is_default, date, source }) =>
      html`<tbody><tr><th scope="rowgroup" rowspan="2">${market ?? 'No market'}${is_default && html` <small>(default)</small>`}</th><td>${basisPoints(round_trip_bps)}</td><td><span class="day">${date === '' ? 'No date' : date}</span>${ageMark(date, first, last)}</td></tr><tr><td class="text" colspan="2">Source: ${source}</td></tr></tbody>\n`,
  )}</table>`,
)}${costs.markets.length > maxMarkets && html`<p class="absent">${count(costs.markets.length - maxMarkets)} more markets are listed only in the JSON result.</p>`}${taken}`
}

/** More would make the page large. */
const maxMarkets = 60

/** Marks a cost by its age relative to the trades that it is charged to; null if that is unknown. */
function ageMark(date: BacktestCosts['markets'][number]['date'], first: string, last: string): Markup | null {
  if (date === '' || first === undefined) return null
  if (date > last) return html`<br><strong class="mark">newer than every trade</strong>`
  if (date < first) return html`<br><strong class="mark">older than every trade</strong>`
  return html`<br><strong class="mark">newer than the trades before it</strong>`
}
