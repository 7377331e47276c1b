import { dayNumber } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import type { FactorsUsed } from '../../resultFactors.ts'
import { inBothSizes } from '../chart/axes.ts'
import { lineChart } from '../chart/lineChart.ts'
import { describeFactors, factorRows, headlineOfFactors } from '../factors.ts'
import { count, ratio } from '../numberFormat.ts'
import { scrollTable } from './scrollTable.ts'

/** What explains the record: returns of factors that anyone can buy, and what they leave. */
export function factorSection(factors: FactorsUsed): Markup {
  const [, ...sentences] = describeFactors(factors)
  return html`<p class="answer">${headlineOfFactors(factors)}</p>
${scrollTable(
  'Regression on factors',
  html`<table><thead><tr><th scope="col">Factor</th><th scope="col">Estimate</th><th scope="col">t</th><th scope="col">Return per year</th></tr></thead>
<tbody>${factorRows(factors).map(({ name, estimate, t, annual }) => html`<tr><th scope="row">${name}</th><td>${estimate}</td><td>${t}</td><td>${annual}</td></tr>`)}</tbody></table>`,
)}
<ul>${sentences.map(sentence => html`<li>${sentence}</li>`)}</ul>
${factors.rolling && rollingBetas(factors.rolling)}`
}

function rollingBetas({ window, dates, betas }: NonNullable<FactorsUsed['rolling']>): Markup {
  const format = (value: number | null) => ratio(value)
  return html`<h3>Rolling betas</h3>
<p>Each point is of the ${count(window)} periods that end with it.</p>
${betas.map(({ factor, values }, i) => {
  const known = values.filter(value => value !== null)
  if (known.length === 0) return html``
  const low = known.reduce((a, b) => Math.min(a, b))
  const high = known.reduce((a, b) => Math.max(a, b))
  const line = {
    id: `rolling-beta-${i + 1}`,
    title: `Rolling beta to ${factor}`,
    description: `It runs from ${ratio(low)} to ${ratio(high)}.`,
    dates,
    days: Float64Array.from(dates, dayNumber),
    values,
    base: 0,
    isFilled: false,
    isLogarithmic: false,
    height: 190,
    formatTick: (value: number, step: number) => ratio(value, step >= 1 ? 0 : step >= 0.1 ? 1 : 2),
    formatPoint: (index: number) => format(values[index]),
  }
  return html`<h4>${factor}</h4>${inBothSizes(size => lineChart(line, size))}`
})}`
}
