import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { basisPoints, count, dash, plural, ratio, signedPercent } from '../numberFormat.ts'

/** What was measured: span, frequency, rows. */
export function recordFacts(result: BacktestResult): Markup {
  const {
    equity_dates: dates,
    n_periods,
    n_empty_periods,
    n_dates,
    n_rows,
    periods_per_year,
    config,
    metrics,
    data_version,
  } = result
  const facts: [string, string][] = [
    ['Record', `${dates[0]} to ${dates.at(-1)}${metrics.ruined ? ', ending in ruin' : ''}`],
    ['Periods', `${count(n_periods)}, each of ${plural(config.returnDays, 'trading day')}`],
    ...(n_empty_periods === 0
      ? []
      : ([['Periods without positions', count(n_empty_periods)]] satisfies [string, string][])),
    ['Periods per year', ratio(periods_per_year, Number.isInteger(periods_per_year) ? 0 : 2)],
    ['Dates', count(n_dates)],
    ['Rows used', count(n_rows)],
    ...(data_version === undefined
      ? []
      : ([['Data version', count(data_version)]] satisfies [string, string][])),
  ]
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** What ran, with the field names of a request, so that it can be run again: configuration, rows of the archive, and the
 * values that a sweep combined. */
export function configTable({ config, source, sweep, universe }: BacktestResult): Markup {
  const fields = [
    ...Object.entries(config),
    ...Object.entries(source ?? {}).map(([name, value]) => [`source.${name}`, value] as const),
    ...Object.entries(sweep ?? {}).map(([name, values]) => [`sweep.${name}`, values.join(', ')] as const),
  ]
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Configuration"><table class="config"><tbody>${fields.map(
    ([name, value]) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${value === null ? dash : String(value)}</td></tr>`,
  )}</tbody></table></div>
<p>The information ratio compares with this universe, on average ${ratio(universe.names_per_period, 1)} names a period. ${universe.definition}</p>`
}

/** The trading and borrowing costs that were charged, with their sources. */
export function costTable({ costs, config }: BacktestResult): Markup {
  const borrow =
    config.direction === 'long_only'
      ? 'Nothing is borrowed: the portfolio is long only.'
      : `Borrowing for short positions costs ${basisPoints(costs.borrow_bps)} per year.`
  if (costs.flat_bps !== null) {
    return html`<p>A flat ${basisPoints(costs.flat_bps)} per round trip (buying and selling again), as requested, in every market. ${borrow}</p>`
  }
  return html`<p>${borrow} Trading costs follow each market's own rules and typical spreads:</p>
<div class="scroll" tabindex="0" role="region" aria-label="Trading costs"><table class="costs">
<thead><tr><th scope="col">Market</th><th scope="col">Round trip</th><th scope="col">Last changed</th><th scope="col" class="text">Source</th></tr></thead>
<tbody>${costs.markets.map(
    ({ market, round_trip_bps, is_default, date, source }) =>
      html`<tr><th scope="row">${market ?? 'none given'}${is_default && html` <small>(default)</small>`}</th><td>${basisPoints(round_trip_bps)}</td><td><span class="day">${date === '' ? dash : date}</span></td><td class="text">${source}</td></tr>\n`,
  )}</tbody></table></div>`
}

const maxPositions = 200

/** The final portfolio, if it was requested. */
export function positionTable({ positions }: BacktestResult): Markup | null {
  if (positions === undefined) return null
  if (positions.length === 0) return html`<p class="absent">The final portfolio is empty.</p>`
  // Sorted by signed weight: the middle, which is cut, holds the smallest positions of both legs.
  const shown =
    positions.length <= maxPositions
      ? positions
      : [...positions.slice(0, maxPositions / 2), ...positions.slice(-maxPositions / 2)]
  const rest = positions.length - shown.length
  return html`<details><summary>${count(positions.length)} names held at the end</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Final portfolio"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Market</th><th scope="col">Weight</th></tr></thead>
<tbody>${shown.map(
    ({ asset, market, weight }) =>
      html`<tr><th scope="row">${asset}</th><td>${market ?? dash}</td><td>${signedPercent(weight, 2)}</td></tr>\n`,
  )}</tbody></table></div>${rest > 0 && html`<p class="absent">${count(rest)} more, between these in weight, are listed only in the JSON result.</p>`}</details>`
}
