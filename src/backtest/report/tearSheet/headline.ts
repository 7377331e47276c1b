import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { describeDropped } from '../descriptions.ts'
import { detailMetricsOf, headlineMetrics, type MetricEntry } from '../metricGuide.ts'
import { plural } from '../numberFormat.ts'
import { type Tile, tileList } from './tiles.ts'

/** The metrics, each with its explanation. */
export function headlineTiles(result: BacktestResult): Markup {
  const { metrics, trials } = result
  const tiles = (entries: readonly MetricEntry[]): Tile[] =>
    entries.map(({ metric, format, explanation: means, ...names }) => ({
      ...names,
      value: format(metrics[metric]),
      means,
    }))
  const hindsight =
    trials &&
    html`<p>Metrics of the best of ${plural(trials.length, 'configuration')}, chosen in hindsight. The more configurations are tried, the more that choice flatters; only the out-of-sample Sharpe ratio is free of it.</p>`
  return html`${hindsight}${tileList(tiles(headlineMetrics), 'large')}
${tileList(tiles(detailMetricsOf(result)), 'small')}`
}

/** What a reader should know before trusting the numbers: warnings, then what was excluded. */
export function notices({ warnings, dropped }: BacktestResult): Markup {
  const excluded = describeDropped(dropped)
  return html`${
    warnings.length > 0 &&
    html`<section class="notice" aria-label="Warnings"><h2>Read this first</h2><ul>${warnings.map(
      ({ message }) => html`<li>${message}</li>`,
    )}</ul></section>`
  }${
    excluded.length > 0
      ? html`<section class="left-out" aria-label="Excluded or missing data"><h2>Excluded or missing</h2><ul>${excluded.map(sentence => html`<li>${sentence}</li>`)}</ul></section>`
      : html`<p class="left-out">No row was excluded, and no return of a held name was missing.</p>`
  }`
}
