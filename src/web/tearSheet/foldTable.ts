import type { BacktestFold, BacktestResult } from '../../model/backtestResult.ts'
import { count, gain, ratio } from '../figures.ts'
import { html, type Markup } from '../html.ts'
import { heat, largest } from './heat.ts'

/** The walk-forward record: what a phone shows without scrolling comes first. */
export function foldTable({ folds, trials, config }: BacktestResult): Markup {
  if (folds.length === 0) return html`<p class="absent">There are too few periods to cut into folds.</p>`
  const isSweep = trials !== undefined
  const what = isSweep
    ? 'Each fold trades the configuration that had the best Sharpe ratio on everything before it, on a block that the choice has not seen.'
    : 'Nothing is fitted to the record, so each fold is simply how the same configuration did in one block of time after another.'
  const head = ['Fold', 'Tested on', 'Sharpe ratio', 'Return a year', 'Deepest fall', 'Periods']
  const training = ['Trained on', 'Sharpe ratio in training']
  const most = largest(folds.map(fold => fold.sharpe))
  const asked = config.folds ?? folds.length
  return html`<p>${what} The last periods before a block are left out of its training, so no return that was learnt from reaches into it.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Walk-forward folds"><table class="heat folds">
<thead><tr>${[...head, ...training, ...(isSweep ? ['Configuration'] : [])].map(
    name => html`<th scope="col">${name}</th>`,
  )}</tr></thead>
<tbody>${folds.map(fold => foldRow(fold, most, isSweep))}</tbody></table></div>${
    folds.length < asked &&
    html`<p class="absent">${count(folds.length)} of the ${count(asked)} folds asked for could be made.</p>`
  }`
}

function foldRow(fold: BacktestFold, most: number, isSweep: boolean): Markup {
  return html`<tr><th scope="row">${count(fold.fold)}</th><td>${span(fold.test_start, fold.test_end)}</td><td class="${heat(fold.sharpe, most)}">${ratio(fold.sharpe)}</td><td>${gain(fold.cagr)}</td><td>${gain(fold.max_drawdown)}</td><td>${count(fold.n_periods)}</td><td>${span(fold.train_start, fold.train_end)}</td><td>${ratio(fold.train_sharpe)}</td>${
    isSweep && html`<td class="label">${fold.label}</td>`
  }</tr>
`
}

function span(from: string | null, to: string | null): Markup | string {
  return from === null || to === null ? 'nothing yet' : html`${from} to<br>${to}`
}
