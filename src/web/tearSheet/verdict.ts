import type { BacktestResult } from '../../model/backtestResult.ts'
import { html, type Markup } from '../html.ts'
import { verdictWords } from '../verdictWords.ts'
import { trialStrip } from './trialStrip.ts'

/** Whether the winner of a sweep is better than choosing among so many would be by luck. */
export function verdict(result: BacktestResult): Markup | null {
  if (!result.deflated_sharpe) return null
  const { survives, headline, sentences } = verdictWords(result.deflated_sharpe, result.periods_per_year)
  return html`<section class="verdict ${survives ? 'passed' : 'failed'}"><h2>Skill or luck?</h2>
${result.best && html`<p>The winner: <strong class="label">${result.best.label}</strong></p>`}
<p class="answer">${headline}</p>
${trialStrip(result)}
<ul>${sentences.map(sentence => html`<li>${sentence}</li>`)}</ul></section>`
}
