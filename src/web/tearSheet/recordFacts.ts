import type { BacktestResult } from '../../model/backtestResult.ts'
import { count, counted, ratio } from '../figures.ts'
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
