import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { count, dash, percent, ratio, signedPercent } from '../numberFormat.ts'
import { rankTrials, type SweepSurface, type SweepTrial, sweepSurfaces } from '../trials.ts'
import { heatClass, maxAbsolute } from './months.ts'
import { maxUnsplitRows, scrollTable } from './scrollTable.ts'

const directionNames: Readonly<Record<string, string>> = {
  long_short: 'Long-short',
  long_only: 'Long only',
}
const weightingNames: Readonly<Record<string, string>> = {
  equal: 'equal weights',
  rank: 'weights by rank',
  score: 'weights by score',
}

/** Falls back to the plain Sharpe ratio: older stored results do not have `judged_sharpe`. */
const judgedSharpe = ({ judged_sharpe: judged, sharpe }: SweepTrial): number | null => judged ?? sharpe

/** The Sharpe ratio of every configuration that was tried, with the winner marked. */
export function trialSection(result: BacktestResult): Markup {
  const { trials = [], best } = result
  const max = maxAbsolute(trials.map(judgedSharpe))
  const surfaces = sweepSurfaces(trials)
  const isCash = trials.every(trial => trial.benchmark === 'cash' || judgedSharpe(trial) === trial.sharpe)
  const isWide = surfaces.some(({ holds }) => holds.length > maxPhoneColumns)
  return html`<p>Annualised Sharpe ratio of each configuration, net of costs${isCash ? '' : ' and of what it is judged against'}. Rows are the share of names in a leg, columns the trading days of a holding period. A winner whose neighbours also do well is more credible than an isolated one.</p>
<div class="surfaces${isWide && ' wide-surfaces'}">${surfaces.map(surface => surfaceTable(surface, max, best?.label ?? null))}</div>
${trialTable(rankTrials(result), isCash)}`
}

function surfaceTable(surface: SweepSurface, max: number, winner: string | null): Markup {
  const { direction, weighting, score, quantiles, holds, cells } = surface
  const name = `${score === null ? '' : `${score}: `}${directionNames[direction]}, ${weightingNames[weighting]}`
  return scrollTable(
    name,
    html`<table class="heat surface${quantiles.length > maxUnsplitRows && ' long'}"><caption>${name}</caption>
<thead><tr><th scope="col">Leg</th>${holds.map(hold => html`<th scope="col">${count(hold)}d</th>`)}</tr></thead>
<tbody>${quantiles.map(
      quantile =>
        html`<tr><th scope="row">${percent(quantile).replace('.0%', '%')}</th>${holds.map(hold => {
          const trial = cells.get(`${quantile} ${hold}`)
          if (trial === undefined) return html`<td class="none">${dash}</td>`
          const isWinner = trial.label === winner
          return html`<td class="${heatClass(judgedSharpe(trial), max)}${isWinner && ' winner'}">${ratio(judgedSharpe(trial))}${isWinner && html`<span class="star"> ★<span class="hidden"> the winner</span></span>`}</td>`
        })}</tr>\n`,
    )}</tbody></table>`,
    holds.length <= maxPhoneColumns ? null : holds.length <= maxTabletColumns ? 'tablet' : 'always',
  )
}

/** The number of columns that fit a phone, and a desktop. */
const maxPhoneColumns = 5
const maxTabletColumns = 15

const maxTrials = 50

function trialTable(ranked: readonly SweepTrial[], isCash: boolean): Markup {
  const shown = ranked.slice(0, maxTrials)
  const rest = ranked.length - shown.length
  return html`<details><summary>${rest > 0 ? `The ${count(maxTrials)} best of` : 'All'} ${count(ranked.length)} configurations, best first</summary>
${scrollTable(
  'All configurations',
  html`<table class="trials long">
<thead><tr><th scope="col">Configuration</th><th scope="col">Sharpe ratio</th>${!isCash && html`<th scope="col">Judged</th>`}<th scope="col">CAGR</th><th scope="col">Max drawdown</th><th scope="col">Turnover</th></tr></thead>
<tbody>${shown.map(
    trial =>
      html`<tr><th scope="row">${trial.label}</th><td>${ratio(trial.sharpe)}</td>${!isCash && html`<td>${ratio(judgedSharpe(trial))}</td>`}<td>${signedPercent(trial.cagr)}</td><td>${signedPercent(trial.max_drawdown)}</td><td>${percent(trial.avg_turnover)}</td></tr>\n`,
  )}</tbody></table>`,
  'phone',
)}${rest > 0 && html`<p class="absent">The other ${count(rest)} are in the tables above by their Sharpe ratio, and in the JSON result.</p>`}</details>`
}
