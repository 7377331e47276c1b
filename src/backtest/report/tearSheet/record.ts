import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { count, plural, ratio, signedPercent } from '../numberFormat.ts'
import { scrollTable } from './scrollTable.ts'

/** What was measured: time span, frequency and rows. */
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

/** What was run, with the field names of a request: the configuration, rows of the archive, and the values
 * that a sweep combined. */
export function configTable({ config, source, sweep, universe }: BacktestResult): Markup {
  const fields = [
    ...Object.entries(config).map(([name, value]) => [name, shownValue(value)] as const),
    ...Object.entries(source ?? {}).map(([name, value]) => [`source.${name}`, value] as const),
    ...Object.entries(sweep ?? {}).map(([name, values]) => [`sweep.${name}`, values.join(', ')] as const),
  ]
  return html`${sweep && html`<p>The configuration is the winner's; the values after <code>sweep</code> were combined.</p>`}${scrollTable(
    'Configuration',
    html`<table class="config"><tbody>${fields.map(
      ([name, value]) =>
        html`<tr><th scope="row"><code>${name}</code></th><td>${value === null ? (defaults[name] ?? 'Default') : String(value)}</td></tr>`,
    )}</tbody></table>`,
  )}
<p>The information ratio compares with this universe, on average ${ratio(universe.names_per_period, 1)} names a period. ${universe.definition}</p>`
}

const shownValue = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value

/** What null means in each field. */
const defaults: Readonly<Record<string, string>> = {
  costBps: 'Market default (see Costs)',
  neutral: 'Off: all markets are ranked together',
  'source.market': 'All markets',
  'source.from': 'From the first date',
  'source.to': 'To the last date',
  'source.limit': 'All rows',
}

const maxPositions = 200

/** The positions at the end. */
export function positionTable(positions: NonNullable<BacktestResult['positions']>): Markup {
  if (positions.length === 0) return html`<p class="absent">The final portfolio is empty.</p>`
  // Sorted by signed weight. The middle, which is cut, contains the smallest positions of both legs.
  const shown =
    positions.length <= maxPositions
      ? positions
      : [...positions.slice(0, maxPositions / 2), ...positions.slice(-maxPositions / 2)]
  const rest = positions.length - shown.length
  const long = positions.filter(({ weight }) => weight > 0).length
  return html`<p>${plural(positions.length, 'name')}: ${count(long)} long and ${count(positions.length - long)} short.</p>
<details><summary>All names held at the end</summary>
${scrollTable(
  'Final portfolio',
  html`<table class="long">
<thead><tr><th scope="col">Name</th><th scope="col">Market</th><th scope="col">Weight</th></tr></thead>
<tbody>${shown.map(
    ({ asset, market, weight }) =>
      html`<tr><th scope="row" class="name">${asset}</th><td>${market ?? 'None'}</td><td>${signedPercent(weight, 2)}</td></tr>\n`,
  )}</tbody></table>`,
)}${rest > 0 && html`<p class="absent">${count(rest)} more, between these in weight, are listed only in the JSON result.</p>`}</details>`
}
