import type { BacktestResult } from '../../model/backtestResult.ts'
import { type Line, lineChart } from '../chart/lineChart.ts'
import { inBothSizes } from '../chart/sizes.ts'
import { gain, ratio } from '../figures.ts'
import type { Markup } from '../html.ts'

/** From this ratio of the highest to the lowest value on, equal distances are equal percentages. */
const logarithmicFrom = 8

export function isLogarithmic(curve: readonly (number | null)[]): boolean {
  const known = curve.filter(value => value !== null)
  const least = known.reduce((a, b) => Math.min(a, b), 1)
  const most = known.reduce((a, b) => Math.max(a, b), 1)
  return least > 0 && most / least >= logarithmicFrom
}

/** What 1 became, after costs. */
export function equityChart(
  { equity_curve: curve, equity_dates: dates }: BacktestResult,
  days: Float64Array,
): Markup {
  const last = curve.findLast(value => value !== null) ?? null
  const line: Line = {
    id: 'equity',
    title: 'Value of 1, net of costs',
    description: `From ${dates[0]} to ${dates.at(-1)} 1 became ${ratio(last, 3)}. The table below has the numbers.`,
    dates,
    days,
    values: curve,
    base: 1,
    isFilled: false,
    isLogarithmic: isLogarithmic(curve),
    height: 300,
    writeTick: (value, step) =>
      ratio(value, step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9))),
    writePoint: index => `${ratio(curve[index], 4)} (${gain(less1(curve[index]))})`,
  }
  return inBothSizes(size => lineChart(line, size))
}

const less1 = (value: number | null) => (value === null ? null : value - 1)
