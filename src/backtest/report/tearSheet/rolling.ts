import { dayNumber } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import type { PerformanceFields } from '../../resultPerformance.ts'
import { inBothSizes } from '../chart/axes.ts'
import { type Line, lineChart } from '../chart/lineChart.ts'
import { count, percent, ratio } from '../numberFormat.ts'

export type Performance = PerformanceFields['performance']

type Values = readonly (number | null)[]

/** A number per period, drawn at the first day of the period. */
export interface PeriodChart {
  readonly id: string
  readonly title: string
  readonly values: Values
  readonly other?: Values
  readonly base: number
  readonly format: (value: number | null) => string
  readonly formatTick: (value: number, step: number) => string
  /** Read out before the values if there are two lines. */
  readonly names?: readonly [own: string, other: string]
}

export function periodChart(
  { id, title, values, other, base, format, formatTick, names }: PeriodChart,
  result: BacktestResult,
): Markup {
  const dates = periodDates(result, values.length)
  const shown = values.slice(0, dates.length)
  const known = shown.filter(value => value !== null)
  const from = format(known.length === 0 ? null : known.reduce((a, b) => Math.min(a, b)))
  const to = format(known.length === 0 ? null : known.reduce((a, b) => Math.max(a, b)))
  const line: Line = {
    id,
    title,
    description: `${names === undefined ? 'It' : names[0]} runs from ${from} to ${to}.`,
    dates,
    days: Float64Array.from(dates, dayNumber),
    values: shown,
    base,
    isFilled: false,
    isLogarithmic: false,
    height: 190,
    formatTick,
    formatPoint: index =>
      names === undefined || other === undefined
        ? format(shown[index])
        : `${names[0]} ${format(shown[index])}, ${names[1]} ${format(other[index])}`,
    ...(other === undefined ? {} : { others: [{ kind: 'gross', values: other.slice(0, dates.length) }] }),
  }
  return inBothSizes(size => lineChart(line, size))
}

/** After ruin, the net curve ends but the periods continue. */
function periodDates({ equity_dates, curves }: BacktestResult, periods: number): readonly string[] {
  const dates =
    curves === undefined || curves.dates.length < equity_dates.length ? equity_dates : curves.dates
  return dates.slice(0, periods)
}

export const formatPercentTick = (value: number, step: number) =>
  percent(value, Math.max(0, Math.min(4, Math.ceil(-Math.log10(step) - 2 - 1e-9))))

/** Shows whether the figures hold throughout, or come from a few good months. */
export function rollingSection(performance: Performance, result: BacktestResult): Markup {
  const { rolling_window: window, rolling_sharpe, rolling_volatility } = performance
  if (rolling_sharpe.every(value => value === null) && rolling_volatility.every(value => value === null))
    return html`<p class="absent">The record is shorter than the window of ${count(window)} periods, a year.</p>`
  return html`<p>Each point is of the ${count(window)} periods that end with it, about a year, net of costs. A record that owes everything to one stretch shows here.</p>
<h3>Rolling Sharpe ratio</h3>
${periodChart({ id: 'rolling-sharpe', title: 'Rolling Sharpe ratio', values: rolling_sharpe, base: 0, format: value => ratio(value), formatTick: (value, step) => ratio(value, step >= 1 ? 0 : 1) }, result)}
<h3>Rolling volatility</h3>
${periodChart({ id: 'rolling-volatility', title: 'Rolling volatility, annualised', values: rolling_volatility, base: 0, format: value => percent(value), formatTick: formatPercentTick }, result)}`
}
