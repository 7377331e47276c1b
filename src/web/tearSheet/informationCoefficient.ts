import type { BacktestResult } from '../../model/backtestResult.ts'
import { count, ratio } from '../figures.ts'
import { html, type Markup } from '../html.ts'

/** How well the scores rank the returns, date by date. */
export function informationCoefficient({ ic }: BacktestResult): Markup {
  if (ic === undefined) return html`<p class="absent">Not asked for: include: ["ic"] adds it.</p>`
  const entries = [
    {
      name: 'Mean',
      value: ratio(ic.mean, 4),
      means: 'Rank correlation of score and return: 1 is perfect, 0 none.',
    },
    { name: 'Deviation', value: ratio(ic.sd, 4), means: 'How much it varies from period to period.' },
    { name: 'Mean over deviation', value: ratio(ic.ir, 3), means: 'How steady it is, per period.' },
    {
      name: 't statistic',
      value: ratio(ic.t_stat),
      means: 'Between −2 and 2 it cannot be told from 0 at the usual 5% level, if periods are independent.',
    },
    { name: 'Periods', value: count(ic.n_periods), means: 'In which the correlation exists.' },
  ]
  return html`<dl class="tiles small">${entries.map(
    ({ name, value, means }) =>
      html`<div><dt>${name}</dt><dd class="figure">${value}</dd><dd class="means">${means}</dd></div>`,
  )}</dl>`
}
