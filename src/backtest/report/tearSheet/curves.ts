import { dayNumber } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { inBothSizes } from '../chart/axes.ts'
import { type Line, lineChart } from '../chart/lineChart.ts'
import { percent, ratio, signedPercent } from '../numberFormat.ts'
import { curveTable } from './curveTable.ts'
import type { Performance } from './rolling.ts'
import { scrollTable } from './scrollTable.ts'

type Values = readonly (number | null)[]

/** The net curve, compared with what it has to beat: the portfolio before costs, and the universe that it
 * picks from. */
export function comparison(result: BacktestResult): Markup {
  const { curves, performance, equity_curve: net } = result
  const lines = curves === undefined ? [net] : [net, curves.gross, curves.universe]
  const scale = isLogarithmic(lines.flat())
    ? ' The scale is logarithmic: equal heights are equal percentage changes.'
    : ''
  return html`<p>Growth of 1: net of all costs${curves && ', before costs (gross), and in the universe, which is all names of each date at equal weight without costs'}.${scale}</p>
${curves && legend}
${equityChart(result)}
${performance && comparedTable(result, performance.compared)}
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
    isDetailed: true,
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

/** The curve of a ruined portfolio is shorter than the record. */
function padded(values: Values, length: number): Values {
  return values.length >= length ? values : [...values, ...new Array<null>(length - values.length).fill(null)]
}

export const lastOf = (values: Values) => values.findLast(value => value !== null) ?? null

export const formatGrowth = (value: number, step: number) =>
  ratio(value, step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)))

export const formatPoint = (value: number | null) =>
  `${ratio(value, 4)} (${signedPercent(value === null ? null : value - 1)})`

const seriesNames = { net: 'Net', gross: 'Gross', universe: 'Universe' } as const

function comparedTable({ equity_curve, curves }: BacktestResult, compared: Performance['compared']): Markup {
  const ends = { net: equity_curve, gross: curves?.gross ?? [], universe: curves?.universe ?? [] }
  const head = ['CAGR', 'Sharpe', 'Volatility', 'Max drawdown', 'Value at risk', 'Expected shortfall']
  return html`${scrollTable(
    'Net, gross and universe',
    html`<table class="compared"><thead><tr><th scope="col">Series</th><th scope="col">1 became</th>${[...head, 'Skewness', 'Kurtosis'].map(name => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${compared.map(
      row =>
        html`<tr><th scope="row">${seriesNames[row.series]}</th><td>${ratio(lastOf(ends[row.series]), 3)}</td><td>${signedPercent(row.cagr, 2)}</td><td>${ratio(row.sharpe)}</td><td>${percent(row.volatility)}</td><td>${signedPercent(row.max_drawdown)}</td><td>${percent(row.value_at_risk, 2)}</td><td>${percent(row.expected_shortfall, 2)}</td><td>${ratio(row.skew)}</td><td>${ratio(row.kurtosis_raw)}</td></tr>\n`,
    )}</tbody></table>`,
    'tablet',
  )}<p class="absent">Value at risk: 95 of 100 periods lose less. Expected shortfall: mean loss of the others.</p>`
}

/** The scale is logarithmic if the ratio of the highest to the lowest value is at least this. */
const minLogarithmicRatio = 8

export function isLogarithmic(values: Values): boolean {
  const known = values.filter(value => value !== null)
  const min = known.reduce((a, b) => Math.min(a, b), 1)
  const max = known.reduce((a, b) => Math.max(a, b), 1)
  return min > 0 && max / min >= minLogarithmicRatio
}
