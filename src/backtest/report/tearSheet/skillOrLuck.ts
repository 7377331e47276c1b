import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { stripChart } from '../chart/strip.ts'
import { explainSingle } from '../explainSingle.ts'
import { ratio } from '../numberFormat.ts'
import { explainSweep, headlineOf, judgedAgainst } from '../verdict.ts'

/** The verdict with its reasons, and the meaning of the figures behind it. A result that was stored before
 * verdicts existed has none. */
export function verdictBox(result: BacktestResult): Markup | null {
  const verdict: BacktestResult['verdict'] | undefined = result.verdict
  if (verdict === undefined) return null
  const { level, reasons } = verdict
  const details = explain(result)
  return html`<div class="verdict ${level}">
${result.best && html`<p>The winner: <strong class="label">${result.best.label}</strong></p>`}
<p class="answer">${headlineOf(verdict)}</p>
<p>${judgedAgainst(result)}</p>
<ul>${reasons.map(({ message }) => html`<li>${message}</li>`)}</ul>
${trialStrip(result)}
${details.length > 0 && html`<ul>${details.map(sentence => html`<li>${sentence}</li>`)}</ul>`}</div>`
}

function explain({ deflated_sharpe, evidence, periods_per_year, verdict }: BacktestResult): string[] {
  const before = verdict.already_tried
  const assumption = before === undefined ? [] : [before.assumption]
  if (deflated_sharpe !== undefined)
    return [...explainSweep(deflated_sharpe, periods_per_year, before?.trials_already_tried), ...assumption]
  if (evidence?.track_record === undefined) return assumption
  return [...explainSingle(evidence.track_record, evidence, periods_per_year), ...assumption]
}

/** Every trial's Sharpe ratio on one axis, with marks for the winner and for the best ratio that luck alone
 * is expected to produce. */
function trialStrip({
  trials = [],
  deflated_sharpe: deflated,
  periods_per_year,
}: BacktestResult): Markup | null {
  if (!deflated || deflated.sharpe_threshold === null || deflated.sharpe_per_period === null) return null
  if (trials.length < 2) return null
  const annual = Math.sqrt(periods_per_year)
  const values = trials.map(trial => trial.judged_sharpe).filter(sharpe => sharpe !== null)
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
