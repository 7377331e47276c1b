import { dayNumber } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { inBothSizes } from '../chart/axes.ts'
import { type Line, lineChart } from '../chart/lineChart.ts'
import { count, signedPercent } from '../numberFormat.ts'
import { fallsOf } from './curveTable.ts'
import { formatPercentTick, type Performance } from './rolling.ts'
import { scrollTable } from './scrollTable.ts'

/** How far the equity is below its highest value so far, and the deepest drawdowns one by one. */
export function drawdownSection(result: BacktestResult): Markup {
  const { performance } = result
  return html`<p>Decline of the net equity from its highest value so far.</p>
${drawdownChart(result)}
${performance && performance.drawdowns.length > 0 && drawdownTable(performance.drawdowns)}`
}

function drawdownChart({ equity_curve: curve, equity_dates: dates, metrics }: BacktestResult): Markup {
  const values = fallsOf(curve)
  const line: Line = {
    id: 'drawdown',
    title: 'Drawdown from the highest value so far',
    description: `The max drawdown is ${signedPercent(metrics.max_drawdown)}. The table of the net curve lists the values.`,
    dates,
    days: Float64Array.from(dates, dayNumber),
    values,
    base: 0,
    isFilled: true,
    isLogarithmic: false,
    height: 190,
    formatTick: formatPercentTick,
    formatPoint: index => signedPercent(values[index]),
  }
  return inBothSizes(size => lineChart(line, size))
}

function drawdownTable(drawdowns: Performance['drawdowns']): Markup {
  return scrollTable(
    'Deepest drawdowns',
    html`<table class="falls"><thead><tr><th scope="col">Depth</th><th scope="col">Peak</th><th scope="col">Lowest</th><th scope="col">Recovered</th><th scope="col">Days down</th><th scope="col">Days to recover</th></tr></thead>
<tbody>${drawdowns.map(
      ({ depth, peak, trough, recovered, days_to_trough, days_to_recover }) =>
        html`<tr><th scope="row">${signedPercent(depth)}</th><td>${peak}</td><td>${trough}</td><td>${recovered ?? 'not by the end'}</td><td>${count(days_to_trough)}</td><td>${days_to_recover === null ? 'not by the end' : count(days_to_recover)}</td></tr>\n`,
    )}</tbody></table>`,
    'phone',
  )
}
