import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import type { BacktestByGroup, BacktestNeutralised, BacktestScores } from '../../resultScores.ts'
import { count, plural, ratio } from '../numberFormat.ts'
import { heatClass, maxAbsolute } from './months.ts'
import { maxUnsplitRows, scrollTable } from './scrollTable.ts'

/** Each score alone and combined, what was taken out of the scores, and the names of each group. */
export function scoreSection({ scores, neutralised, by_group }: BacktestResult): Markup | null {
  if (scores === undefined && neutralised === undefined && by_group === undefined) return null
  return html`${neutralised && neutralisedText(neutralised)}
${scores && variantTable(scores)}
${scores && correlationTable(scores)}
${scores && weightText(scores)}
${by_group && groupTable(by_group)}`
}

function neutralisedText({
  definition,
  rows_without_exposure: missing,
  rows_without_residual: unexplained,
  periods_without_residual: periods,
  periods_with_redundant_columns: redundant,
}: BacktestNeutralised): Markup {
  return html`<p>${definition}${missing > 0 && ` ${plural(missing, 'row')} without one of these cannot be ranked.`}${unexplained > 0 && ` In ${plural(periods, 'period')} too few names remain, so that ${plural(unexplained, 'row')} cannot be ranked.`}${redundant > 0 && ` In ${plural(redundant, 'period')} a column was left out, because the others determine it.`}</p>`
}

const combined: Readonly<Record<string, string>> = {
  rank_average: 'All: mean rank',
  ic_weighted: 'All: ranks weighted by training IC',
}

function variantTable({ variants }: BacktestScores): Markup {
  return html`<h3>Each score alone and combined</h3>
<p>All of them are trials: the verdict counts them. The Sharpe ratio is that of the best configuration of each.</p>
${scrollTable(
  'Each score alone and combined',
  html`<table><thead><tr><th scope="col">Score</th><th scope="col">Mean IC</th><th scope="col">t-statistic</th><th scope="col">Sharpe</th><th scope="col">Judged</th></tr></thead>
<tbody>${variants.map(
    ({ name, combine, ic, sharpe, judged_sharpe }) =>
      html`<tr><th scope="row">${combine === null ? name : combined[combine]}</th><td>${ratio(ic.mean, 4)}</td><td>${ratio(ic.t_stat)}</td><td>${ratio(sharpe)}</td><td>${ratio(judged_sharpe)}</td></tr>`,
  )}</tbody></table>`,
  'phone',
)}`
}

function correlationTable({ columns, correlation }: BacktestScores): Markup {
  return html`<h3>Correlation of the scores</h3>
<p>Mean rank correlation over periods. Scores that agree add little to each other.</p>
${scrollTable(
  'Correlation of the scores',
  html`<table class="heat"><thead><tr><th scope="col">Score</th>${columns.map(name => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${correlation.mean.map(
    (row, i) =>
      html`<tr><th scope="row">${columns[i]}</th>${row.map(value => html`<td class="${heatClass(value, 1)}">${ratio(value)}</td>`)}</tr>`,
  )}</tbody></table>`,
  'phone',
)}`
}

function weightText({ columns, weights }: BacktestScores): Markup | null {
  const last = weights.at(-1)
  if (last === undefined) return null
  const shown = columns.map((name, c) => `${name} ${ratio(last.weights[c])}`).join(', ')
  return html`<p>The last weights by training IC, of ${last.date}, rest on ${plural(last.training_periods, 'period')} whose returns had ended: ${shown}. Before there are 12 of them, all scores have the same weight.</p>`
}

function groupTable(groups: BacktestByGroup): Markup {
  const buckets = groups[0]?.quantiles.map(({ bucket }) => bucket) ?? []
  const max = maxAbsolute(groups.flatMap(({ quantiles }) => quantiles.map(({ mean_return }) => mean_return)))
  return html`<h3>By group</h3>
<p>Rank IC within each group, and the mean return of its names in each tenth of all names by score, in basis points per period before costs.</p>
${scrollTable(
  'By group',
  html`<table class="heat group-years${groups.length > maxUnsplitRows && ' long'}"><thead><tr><th scope="col">Group</th><th scope="col">Rows</th><th scope="col">Mean IC</th>${buckets.map(bucket => html`<th scope="col">${count(bucket)}</th>`)}</tr></thead>
<tbody>${groups.map(
    ({ group, n_rows, ic, quantiles }) =>
      html`<tr><th scope="row">${group ?? 'none'}</th><td>${count(n_rows)}</td><td>${ratio(ic.mean, 4)}</td>${quantiles.map(({ mean_return: value }) => html`<td class="${heatClass(value, max)}">${ratio(value === null ? null : value * 1e4, 1)}</td>`)}</tr>\n`,
  )}</tbody></table>`,
  'phone',
)}`
}
