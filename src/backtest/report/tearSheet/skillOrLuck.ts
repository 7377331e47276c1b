import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { stripChart } from '../chart/strip.ts'
import { judgeSingle } from '../judgeSingle.ts'
import { ratio } from '../numberFormat.ts'
import { judgeSweep, type Verdict } from '../verdict.ts'

/** Whether the record is better than luck would explain: of a sweep, the luck of choosing among so many. */
export function verdictBox(result: BacktestResult): Markup | null {
  const verdict = judge(result)
  if (verdict === null) return null
  const { survives, headline, sentences } = verdict
  return html`<div class="verdict ${survives ? 'passed' : 'failed'}">
${result.best && html`<p>The winner: <strong class="label">${result.best.label}</strong></p>`}
<p class="answer">${headline}</p>
${trialStrip(result)}
<ul>${sentences.map(sentence => html`<li>${sentence}</li>`)}</ul></div>`
}

function judge({ deflated_sharpe, evidence, periods_per_year }: BacktestResult): Verdict | null {
  if (deflated_sharpe !== undefined) return judgeSweep(deflated_sharpe, periods_per_year)
  if (evidence?.track_record === undefined) return null
  return judgeSingle(evidence.track_record, evidence, periods_per_year)
}

/** Every trial's Sharpe ratio on one axis, with marks for the winner and for the best that luck alone is expected to show. */
function trialStrip({
  trials = [],
  deflated_sharpe: deflated,
  periods_per_year,
}: BacktestResult): Markup | null {
  if (!deflated || deflated.sharpe_threshold === null || deflated.sharpe_per_period === null) return null
  if (trials.length < 2) return null
  const annual = Math.sqrt(periods_per_year)
  const values = trials.map(trial => trial.sharpe).filter(sharpe => sharpe !== null)
  const luck = deflated.sharpe_threshold * annual
  const winner = deflated.sharpe_per_period * annual
  const lowest = values.reduce((a, b) => Math.min(a, b), winner)
  return stripChart({
    id: 'luck',
    title: 'All trials and the luck of selection',
    description: `The trials' Sharpe ratios run from ${ratio(lowest)} to ${ratio(winner)}; the best of as many trials without skill is expected to show ${ratio(luck)}.`,
    values,
    own: { name: 'the winner', value: winner },
    compared: { name: 'luck alone', value: luck },
  })
}
