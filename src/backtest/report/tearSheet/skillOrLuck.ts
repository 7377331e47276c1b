import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { at, inBothSizes, niceTicks, type Size } from '../chart/axes.ts'
import { ratio } from '../numberFormat.ts'
import { judgeSweep } from '../verdict.ts'

/** Whether the winner of a sweep is better than the luck of choosing among so many would explain. */
export function sweepVerdict(result: BacktestResult): Markup | null {
  if (!result.deflated_sharpe) return null
  const { survives, headline, sentences } = judgeSweep(result.deflated_sharpe, result.periods_per_year)
  return html`<div class="verdict ${survives ? 'passed' : 'failed'}">
${result.best && html`<p>The winner: <strong class="label">${result.best.label}</strong></p>`}
<p class="answer">${headline}</p>
${trialStrip(result)}
<ul>${sentences.map(sentence => html`<li>${sentence}</li>`)}</ul></div>`
}

const height = 108
const middle = 56

/** Annualised Sharpe ratios. */
interface Strip {
  readonly sharpes: readonly number[]
  /** What the best of as many trials without skill is expected to show. */
  readonly luck: number
  readonly winner: number
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
  const strip: Strip = {
    sharpes: trials.map(trial => trial.sharpe).filter(sharpe => sharpe !== null),
    luck: deflated.sharpe_threshold * annual,
    winner: deflated.sharpe_per_period * annual,
  }
  return inBothSizes(size => drawStrip(strip, size))
}

function drawStrip({ sharpes, luck, winner }: Strip, size: Size): Markup {
  const values = [...sharpes, luck, winner]
  const min = values.reduce((a, b) => Math.min(a, b))
  const max = values.reduce((a, b) => Math.max(a, b))
  const left = 16
  const right = size.width - 16
  const shareOf = (value: number) => (value - min) / (max - min || 1)
  const x = (value: number) => at(left + shareOf(value) * (right - left))
  // A centred label near either end would stick out of the chart.
  const anchor = (value: number) => {
    const share = shareOf(value)
    return share < 0.25 ? 'start' : share > 0.75 ? 'end' : 'middle'
  }
  const ticks = niceTicks(min, max, size.name === 'wide' ? 8 : 4)
  const lowest = sharpes.reduce((a, b) => Math.min(a, b), winner)
  const id = `luck-${size.name}`
  return html`<svg class="chart strip ${size.name}" viewBox="0 0 ${size.width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">All trials and the luck of selection</title>
<desc id="${id}-d">The trials' Sharpe ratios run from ${ratio(lowest)} to ${ratio(winner)}; the best of as many trials without skill is expected to show ${ratio(luck)}.</desc>
<g class="axis"><line class="base" x1="${left}" x2="${right}" y1="${middle}" y2="${middle}"/>${ticks.map(
    tick => html`<text text-anchor="middle" x="${x(tick)}" y="${height - 34}">${ratio(tick)}</text>`,
  )}</g>
${sharpes.map(sharpe => html`<line class="trial" x1="${x(sharpe)}" x2="${x(sharpe)}" y1="${middle - 7}" y2="${middle + 7}"/>`)}
<line class="own" x1="${x(winner)}" x2="${x(winner)}" y1="26" y2="${middle + 7}"/><text class="own" text-anchor="${anchor(winner)}" x="${x(winner)}" y="18">the winner ${ratio(winner)}</text>
<line class="luck" x1="${x(luck)}" x2="${x(luck)}" y1="${middle - 7}" y2="${height - 20}"/><text class="luck" text-anchor="${anchor(luck)}" x="${x(luck)}" y="${height - 6}">luck alone ${ratio(luck)}</text>
</svg>`
}
