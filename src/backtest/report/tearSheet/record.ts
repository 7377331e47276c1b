import type { BacktestResult } from '../../result.ts'
import { basisPoints, count, counted, dash, gain, ratio } from '../figures.ts'
import { html, type Markup } from '../html.ts'

/** What the record is: its span, its rhythm, its rows. */
export function recordFacts(result: BacktestResult): Markup {
  const {
    equity_dates: dates,
    n_periods,
    n_dates,
    n_rows,
    periods_per_year,
    config,
    metrics,
    data_version,
  } = result
  const rhythm = `${count(n_periods)}, each of ${counted(config.returnDays, 'trading day')}`
  const facts: [string, string][] = [
    ['Record', `${dates[0]} to ${dates.at(-1)}${metrics.ruined ? ', where it was ruined' : ''}`],
    ['Periods', rhythm],
    ['Periods a year', ratio(periods_per_year, Number.isInteger(periods_per_year) ? 0 : 2)],
    ['Dates', count(n_dates)],
    ['Rows used', count(n_rows)],
    ...(data_version === undefined
      ? []
      : ([['Data version', count(data_version)]] satisfies [string, string][])),
  ]
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** The configuration as a request would send it, to run it again. */
export function configTable({ config }: BacktestResult): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Configuration"><table class="config"><tbody>${Object.entries(
    config,
  ).map(
    ([name, value]) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${value === null ? dash : String(value)}</td></tr>`,
  )}</tbody></table></div>`
}

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
