import type { BacktestResult } from '../../result.ts'
import { at, inBothSizes, niceTicks, type Size } from '../chart/axes.ts'
import { counted, ratio } from '../figures.ts'
import { html, type Markup } from '../html.ts'
import { metricGuide } from '../metricGuide.ts'
import { verdictWords } from '../verdict.ts'
import { droppedWords } from '../words.ts'

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

/** What a reader should know before trusting the numbers: warnings, then what was left out. */
export function notices({ warnings, dropped }: BacktestResult): Markup {
  const left = droppedWords(dropped)
  return html`${
    warnings.length > 0 &&
    html`<section class="notice" aria-label="Warnings"><h2>Read this first</h2><ul>${warnings.map(
      ({ message }) => html`<li>${message}</li>`,
    )}</ul></section>`
  }${
    left.length > 0
      ? html`<section class="left-out" aria-label="What was left out"><h2>Left out</h2><ul>${left.map(words => html`<li>${words}</li>`)}</ul></section>`
      : html`<p class="left-out">No row was left out, and every held name had a return.</p>`
  }`
}

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
