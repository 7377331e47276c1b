import { dayNumber } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { inBothSizes } from '../chart/axes.ts'
import { type Line, lineChart } from '../chart/lineChart.ts'
import { percent, ratio, signedPercent } from '../numberFormat.ts'
import { curveTable, drawdowns } from './curveTable.ts'
import { scrollTable } from './scrollTable.ts'

type Values = readonly (number | null)[]

/** The net curve with what it has to beat: the portfolio before costs, and the universe that it picks from. */
export function comparison(result: BacktestResult): Markup {
  const { curves, equity_curve: net } = result
  const lines = curves === undefined ? [net] : [net, curves.gross, curves.universe]
  const scale = isLogarithmic(lines.flat())
    ? ' The scale is logarithmic: equal heights are equal percentage changes.'
    : ''
  return html`<p>Growth of 1: net of all costs${curves && ', before costs (gross), and in the universe, which is all names of each date at equal weight without costs'}.${scale}</p>
${curves && legend}
${equityChart(result)}
${curves && endTable(result, curves)}
${curveTable(result)}`
}

const legend = html`<p class="legend"><span class="key own">Net</span> <span class="key gross">Gross</span> <span class="key universe">Universe</span></p>`

function equityChart({ equity_curve: net, equity_dates, curves }: BacktestResult): Markup {
  const dates =
    curves === undefined || equity_dates.length > curves.dates.length ? equity_dates : curves.dates
  const all = [net, ...(curves === undefined ? [] : [curves.gross, curves.universe])]
  const last = lastOf(net)
  const line: Line = {
    id: 'equity',
    title: 'Growth of 1, net of costs',
    description: `From ${dates[0]} to ${dates.at(-1)}, 1 became ${ratio(last, 3)}. The table below lists the values.`,
    dates,
    days: Float64Array.from(dates, dayNumber),
    values: padded(net, dates.length),
    base: 1,
    isFilled: false,
    isLogarithmic: isLogarithmic(all.flat()),
    height: 300,
    formatTick: formatGrowth,
    formatPoint: index =>
      curves === undefined
        ? formatPoint(net[index])
        : `net ${ratio(net[index], 3)}, gross ${ratio(curves.gross[index], 3)}, universe ${ratio(curves.universe[index], 3)}`,
    ...(curves === undefined
      ? {}
      : {
          others: [
            { kind: 'universe', values: padded(curves.universe, dates.length) },
            { kind: 'gross', values: padded(curves.gross, dates.length) },
          ],
        }),
  }
  return inBothSizes(size => lineChart(line, size))
}

/** A ruined curve is shorter than the record. */
function padded(values: Values, length: number): Values {
  return values.length >= length ? values : [...values, ...new Array<null>(length - values.length).fill(null)]
}

export const lastOf = (values: Values) => values.findLast(value => value !== null) ?? null

export const formatGrowth = (value: number, step: number) =>
  ratio(value, step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)))

export const formatPoint = (value: number | null) =>
  `${ratio(value, 4)} (${signedPercent(value === null ? null : value - 1)})`

function endTable(
  { equity_curve: net, metrics }: BacktestResult,
  { gross, universe }: NonNullable<BacktestResult['curves']>,
): Markup {
  return scrollTable(
    'Net, gross and universe',
    html`<table class="ends"><thead><tr><th scope="col">Of 1 became</th><th scope="col">Value</th><th scope="col">Sharpe ratio</th></tr></thead>
<tbody><tr><th scope="row">Net</th><td>${ratio(lastOf(net), 4)}</td><td>${ratio(metrics.sharpe)}</td></tr>
<tr><th scope="row">Gross</th><td>${ratio(lastOf(gross), 4)}</td><td>${ratio(metrics.gross_sharpe)}</td></tr>
<tr><th scope="row">Universe</th><td>${ratio(lastOf(universe), 4)}</td><td></td></tr></tbody></table>`,
  )
}

/** From this ratio of the highest to the lowest value on, the scale is logarithmic. */
const minLogarithmicRatio = 8

export function isLogarithmic(values: Values): boolean {
  const known = values.filter(value => value !== null)
  const min = known.reduce((a, b) => Math.min(a, b), 1)
  const max = known.reduce((a, b) => Math.max(a, b), 1)
  return min > 0 && max / min >= minLogarithmicRatio
}

/** How far the equity is below its highest value so far. */
export function drawdownChart({ equity_curve: curve, equity_dates: dates, metrics }: BacktestResult): Markup {
  const values = drawdowns(curve)
  const line: Line = {
    id: 'drawdown',
    title: 'Drawdown from the highest value so far',
    description: `The max drawdown is ${signedPercent(metrics.max_drawdown)}. The table above lists the values.`,
    dates,
    days: Float64Array.from(dates, dayNumber),
    values,
    base: 0,
    isFilled: true,
    isLogarithmic: false,
    height: 190,
    formatTick: (value, step) =>
      percent(value, Math.max(0, Math.min(4, Math.ceil(-Math.log10(step) - 2 - 1e-9)))),
    formatPoint: index => signedPercent(values[index]),
  }
  return inBothSizes(size => lineChart(line, size))
}
