import type { BacktestResult } from '../../model/backtestResult.ts'
import { niceTicks } from '../chart/niceTicks.ts'
import { at, inBothSizes, type Size } from '../chart/sizes.ts'
import { ratio } from '../figures.ts'
import { html, type Markup } from '../html.ts'

const height = 108
const middle = 56

interface Strip {
  readonly sharpes: readonly number[]
  readonly luck: number
  readonly own: number
}

/** Every trial's Sharpe ratio on one axis, with what luck would show and what the winner shows. */
export function trialStrip({
  trials = [],
  deflated_sharpe: found,
  periods_per_year,
}: BacktestResult): Markup | null {
  if (!found || found.sharpe_threshold === null || found.sharpe_per_period === null || trials.length < 2)
    return null
  const annual = Math.sqrt(periods_per_year)
  const strip: Strip = {
    sharpes: trials.map(trial => trial.sharpe).filter(sharpe => sharpe !== null),
    luck: found.sharpe_threshold * annual,
    own: found.sharpe_per_period * annual,
  }
  return inBothSizes(size => draw(strip, size))
}

function draw({ sharpes, luck, own }: Strip, size: Size): Markup {
  const everything = [...sharpes, luck, own]
  const least = everything.reduce((a, b) => Math.min(a, b))
  const most = everything.reduce((a, b) => Math.max(a, b))
  const left = 16
  const right = size.width - 16
  const x = (value: number) => at(left + ((value - least) / (most - least || 1)) * (right - left))
  const id = `luck-${size.name}`
  const anchor = (value: number) => {
    const share = (value - least) / (most - least || 1)
    return share < 0.25 ? 'start' : share > 0.75 ? 'end' : 'middle'
  }
  return html`<svg class="chart strip ${size.name}" viewBox="0 0 ${size.width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">All trials and the luck of choosing</title>
<desc id="${id}-d">The trials' Sharpe ratios run from ${ratio(sharpes.reduce((a, b) => Math.min(a, b), own))} to ${ratio(own)}; the best of as many without skill is expected at ${ratio(luck)}.</desc>
<g class="axis"><line class="base" x1="${left}" x2="${right}" y1="${middle}" y2="${middle}"/>${niceTicks(
    least,
    most,
    size.name === 'wide' ? 8 : 4,
  ).map(tick => html`<text text-anchor="middle" x="${x(tick)}" y="${height - 34}">${ratio(tick)}</text>`)}</g>
${sharpes.map(sharpe => html`<line class="trial" x1="${x(sharpe)}" x2="${x(sharpe)}" y1="${middle - 7}" y2="${middle + 7}"/>`)}
<line class="own" x1="${x(own)}" x2="${x(own)}" y1="26" y2="${middle + 7}"/><text class="own" text-anchor="${anchor(own)}" x="${x(own)}" y="18">the winner ${ratio(own)}</text>
<line class="luck" x1="${x(luck)}" x2="${x(luck)}" y1="${middle - 7}" y2="${height - 20}"/><text class="luck" text-anchor="${anchor(luck)}" x="${x(luck)}" y="${height - 6}">luck alone ${ratio(luck)}</text>
</svg>`
}
