import { html, type Markup } from '../../../html.ts'
import { barChart } from '../charts/barChart.ts'
import { exactFigure } from '../figures.ts'
import type { YearOfChanges } from './change.ts'

/** The years that a chart shows. */
const maxYears = 15

const percent = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })
const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })

/** How many figures were changed in each year, and by how much, with the exact definitions. */
export function yearCharts(all: readonly YearOfChanges[], what: string): Markup | false {
  if (all.length === 0) return false
  const years = all.slice(-maxYears)
  const categories = years.map(({ year }) => String(year))
  const changes = years.reduce((sum, { changes }) => sum + changes, 0)
  const sized = years.reduce((sum, { sized }) => sum + sized, 0)
  return html`<section><h2 id="by-year">By year of the change</h2>
<div class="pair">
<div><h3>How often: changes per year</h3>
${barChart({
  label: `Changes of ${what} per year`,
  categories,
  series: [
    { name: 'Changes', bars: years.map(({ changes }) => ({ value: changes, title: exactFigure(changes) })) },
  ],
  tickText: value => (Number.isInteger(value) ? exactFigure(value) : ''),
})}</div>
<div><h3>How much: median size per year</h3>
${barChart({
  label: `Median size of the changes of ${what} per year, in percent`,
  categories,
  series: [
    {
      name: 'Median size',
      bars: years.map(({ median, sized }) =>
        median === null
          ? null
          : { value: median, title: `${percent.format(median)}% (${exactFigure(sized)} with a size)` },
      ),
    },
  ],
  tickText: value => `${plain.format(value)}%`,
})}</div>
</div>
<p class="quiet">${all.length > maxYears && `These are the latest ${maxYears} years. `}A change counts in the year in which it was filed. Its size is the difference between the two values, without its sign, in percent of the earlier value. The median is the middle size of a year, or the mean of the two middle ones. A change of the sign or the unit, or from 0, has no size: ${exactFigure(changes - sized)} of ${exactFigure(changes)} changes.</p>
<details><summary>These charts as a table</summary>
<table><thead><tr><th scope="col">Year</th><th scope="col" class="number">Changes</th><th scope="col" class="number">With a size</th><th scope="col" class="number">Median size</th></tr></thead>
<tbody>${years.map(({ year, changes, sized, median }) => html`<tr><th scope="row">${year}</th><td class="number">${exactFigure(changes)}</td><td class="number">${exactFigure(sized)}</td><td class="number">${median === null ? 'n/a' : `${percent.format(median)}%`}</td></tr>`)}</tbody></table></details></section>`
}
