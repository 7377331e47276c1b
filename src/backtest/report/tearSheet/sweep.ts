import type { SweptFields } from '../../metrics.ts'
import type { BacktestResult } from '../../result.ts'
import { count, dash, gain, percent, ratio } from '../figures.ts'
import { html, type Markup } from '../html.ts'
import { rankTrials } from '../trials.ts'
import { heat, largest } from './periods.ts'

const directionWords: Readonly<Record<string, string>> = {
  long_short: 'Long and short',
  long_only: 'Long only',
}
const weightingWords: Readonly<Record<string, string>> = {
  equal: 'equal weights',
  rank: 'weights by rank',
  score: 'weights by score',
}

/** The Sharpe ratio of every configuration that was tried, and the winner among them. */
export function sweepSurface(result: BacktestResult): Markup {
  const { trials = [], best } = result
  const most = largest(trials.map(trial => trial.sharpe))
  return html`<p>The Sharpe ratio a year of each configuration, net of costs: down the share of names in a leg, across the trading days they are held. A winner among neighbours that do well is worth more than one that stands alone.</p>
<div class="surfaces">${sweepGrid(trials).map(surface => surfaceTable(surface, most, best?.label ?? null))}</div>
<details><summary>All ${count(trials.length)} configurations, the best first</summary>${trialTable(rankTrials(result))}</details>`
}

function surfaceTable(surface: Surface, most: number, winner: string | null): Markup {
  const { direction, weighting, quantiles, holds, cells } = surface
  const name = `${directionWords[direction]}, ${weightingWords[weighting]}`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table class="heat surface"><caption>${name}</caption>
<thead><tr><th scope="col">Leg</th>${holds.map(hold => html`<th scope="col">${count(hold)}d</th>`)}</tr></thead>
<tbody>${quantiles.map(
    quantile =>
      html`<tr><th scope="row">${percent(quantile).replace('.0%', '%')}</th>${holds.map(hold => {
        const trial = cells.get(`${quantile} ${hold}`)
        if (trial === undefined) return html`<td class="none">${dash}</td>`
        const isWinner = trial.label === winner
        return html`<td class="${heat(trial.sharpe, most)}${isWinner && ' winner'}">${ratio(trial.sharpe)}${isWinner && html`<span class="star"> ★<span class="hidden"> the winner</span></span>`}</td>`
      })}</tr>\n`,
  )}</tbody></table></div>`
}

function trialTable(ordered: readonly SweepTrial[]): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="All configurations"><table>
<thead><tr><th scope="col">Configuration</th><th scope="col">Sharpe ratio</th><th scope="col">Return a year</th><th scope="col">Deepest fall</th><th scope="col">Turnover</th></tr></thead>
<tbody>${ordered.map(
    trial =>
      html`<tr><th scope="row">${trial.label}</th><td>${ratio(trial.sharpe)}</td><td>${gain(trial.cagr)}</td><td>${gain(trial.max_drawdown)}</td><td>${percent(trial.avg_turnover)}</td></tr>\n`,
  )}</tbody></table></div>`
}

export type SweepTrial = SweptFields['trials'][number]

export interface Surface {
  readonly direction: string
  readonly weighting: string
  readonly quantiles: readonly number[]
  readonly holds: readonly number[]
  /** By `quantile hold`. */
  readonly cells: ReadonlyMap<string, SweepTrial>
}

const pattern = /^(long_short|long_only) q([\d.e-]+) (equal|rank|score) h(\d+)$/

/** The trials of a sweep as one table of quantile by holding days for each direction and weighting, in the order in
 * which these were tried. Trials with other labels are in none. */
export function sweepGrid(trials: readonly SweepTrial[]): Surface[] {
  const groups = new Map<string, { trial: SweepTrial; quantile: number; hold: number }[]>()
  for (const trial of trials) {
    const found = pattern.exec(trial.label)
    if (found === null) continue
    const key = `${found[1]} ${found[3]}`
    const group = groups.get(key) ?? []
    groups.set(key, group)
    group.push({ trial, quantile: Number(found[2]), hold: Number(found[4]) })
  }
  return [...groups].map(([key, group]) => {
    const [direction, weighting] = key.split(' ')
    return {
      direction,
      weighting,
      quantiles: rising(group.map(({ quantile }) => quantile)),
      holds: rising(group.map(({ hold }) => hold)),
      cells: new Map(group.map(({ trial, quantile, hold }) => [`${quantile} ${hold}`, trial])),
    }
  })
}

function rising(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b)
}
