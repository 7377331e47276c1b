import type { AuditLag } from '../../backtest/audit/result.ts'
import { at, inBothSizes, niceTicks, type Size } from '../../backtest/report/chart/axes.ts'
import { count, plural } from '../../backtest/report/numberFormat.ts'
import { scrollTable } from '../../backtest/report/tearSheet/scrollTable.ts'
import { html, type Markup } from '../../html.ts'
import { stateNames } from './reportCounts.ts'
import type { AuditHead } from './schema.ts'

const stacked = ['early', 'restated', 'announced'] as const
type Stacked = (typeof stacked)[number]

/** How long after the row's date the figures were filed, all columns together; null: none was filed later. */
export function lagSection({ columns }: AuditHead): Markup | null {
  const lags = sumLags(columns.map(column => column.lags))
  const shown = stacked.filter(state => lags.some(lag => lag[state] > 0))
  if (shown.length === 0) return null
  return html`<p>Days from the date of a row to the day on which its figure was first filed. A few weeks are typical of data that is dated by the end of the period, a year or more of restated values.</p>
<p class="legend">${shown.map(state => html`<span><svg class="swatch" viewBox="0 0 10 10" aria-hidden="true" focusable="false"><rect class="s-${state}" width="10" height="10"/></svg> ${stateNames[state]}</span> `)}</p>
${inBothSizes(size => drawLags(lags, shown, size))}
<details><summary>The histogram as a table</summary>${scrollTable(
    'Cells by days until the filing',
    html`<table><caption class="hidden">Cells by days until the filing</caption><thead><tr><th scope="col">Days</th>${shown.map(state => html`<th scope="col">${stateNames[state]}</th>`)}</tr></thead>
<tbody>${lags.map(lag => html`<tr><th scope="row">${daysOf(lag)}</th>${shown.map(state => html`<td>${count(lag[state])}</td>`)}</tr>\n`)}</tbody></table>`,
  )}</details>`
}

/** The classes are the same for all columns. */
function sumLags(columns: readonly (readonly AuditLag[])[]): AuditLag[] {
  const [first = []] = columns
  const sum = (index: number, state: Stacked) =>
    columns.reduce((total, lags) => total + (lags[index]?.[state] ?? 0), 0)
  return first.map((lag, index) => ({
    ...lag,
    early: sum(index, 'early'),
    restated: sum(index, 'restated'),
    announced: sum(index, 'announced'),
  }))
}

function daysOf({ from_days: from, to_days: to }: AuditLag): string {
  if (to === null) return `over ${from - 1}`
  return from === to ? count(from) : `${from}–${to}`
}

/** A phone has no room for both ends of a class. */
const firstDay = ({ from_days: from }: AuditLag) => String(from)

const height = 240
const top = 24
const bottom = height - 46

function drawLags(lags: readonly AuditLag[], shown: readonly Stacked[], { name, width }: Size): Markup {
  const totals = lags.map(lag => shown.reduce((sum, state) => sum + lag[state], 0))
  const max = totals.reduce((a, b) => Math.max(a, b), 1)
  const left = 8
  const step = (width - 2 * left) / lags.length
  const y = (value: number) => bottom - (value / max) * (bottom - top)
  const id = `lags-${name}`
  const described = lags
    .map((lag, index) => [daysOf(lag), totals[index]] as const)
    .filter(([, total]) => total > 0)
    .map(([days, total]) => `${plural(total, 'cell')} at ${days} days`)
  return html`<svg class="chart bars ${name}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">Cells by days until their figure was filed</title>
<desc id="${id}-d">${described.join(', ')}. The table below lists them by state.</desc>
<g class="axis">${niceTicks(0, max, 4).map(tick => html`<line x1="${left}" x2="${width - left}" y1="${at(y(tick))}" y2="${at(y(tick))}"/>`)}</g>
${lags.map((lag, index) => {
  const x = left + index * step
  let below = 0
  const parts = shown.map(state => {
    const from = y(below)
    below += lag[state]
    return lag[state] > 0
      ? html`<rect class="s-${state}" x="${at(x + step * 0.14)}" y="${at(y(below))}" width="${at(step * 0.72)}" height="${at(Math.max(1, from - y(below)))}"/>`
      : null
  })
  const middle = at(x + step / 2)
  return html`${parts}${totals[index] > 0 && html`<text class="value" x="${middle}" y="${at(y(totals[index]) - 6)}">${compact.format(totals[index])}</text>`}<text x="${middle}" y="${bottom + 18}">${name === 'wide' ? daysOf(lag) : firstDay(lag)}</text>`
})}
<line class="base" x1="${left}" x2="${width - left}" y1="${bottom}" y2="${bottom}"/>
<text x="${width / 2}" y="${height - 8}">Days from the row to the filing${name === 'narrow' && ', at least'}</text>
</svg>`
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })
