import type { BacktestResult } from '../../model/backtestResult.ts'
import { counted } from '../figures.ts'
import { html, type Markup } from '../html.ts'
import { metricGuide } from '../metricGuide.ts'

/** The numbers, with what they mean. */
export function headline({ metrics, trials }: BacktestResult): Markup {
  const tile = (isHeadline: boolean) =>
    metricGuide
      .filter(entry => entry.isHeadline === isHeadline)
      .map(
        ({ metric, name, means, write }) =>
          html`<div><dt>${name}</dt><dd class="figure">${write(metrics[metric])}</dd><dd class="means">${means}</dd></div>`,
      )
  const hindsight =
    trials &&
    html`<p>Of the best of the ${counted(trials.length, 'configuration')} that were tried, picked with hindsight: the more were tried, the more the choice flatters. Only the Sharpe ratio in unseen blocks is free of that.</p>`
  return html`${hindsight}<dl class="tiles">${tile(true)}</dl>
<dl class="tiles small">${tile(false)}</dl>`
}
