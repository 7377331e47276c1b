import type { BacktestResult } from '../../model/backtestResult.ts'
import { type Line, lineChart } from '../chart/lineChart.ts'
import { inBothSizes } from '../chart/sizes.ts'
import { drawdowns } from '../drawdowns.ts'
import { gain, percent } from '../figures.ts'
import type { Markup } from '../html.ts'

/** How far below its highest value so far the curve is. */
export function drawdownChart(
  { equity_curve: curve, equity_dates: dates, metrics }: BacktestResult,
  days: Float64Array,
): Markup {
  const falls = drawdowns(curve)
  const line: Line = {
    id: 'drawdown',
    title: 'Fall from the highest value so far',
    description: `The deepest fall is ${gain(metrics.max_drawdown)}. The table below has the numbers.`,
    dates,
    days,
    values: falls,
    base: 0,
    isFilled: true,
    isLogarithmic: false,
    height: 190,
    writeTick: (value, step) =>
      percent(value, Math.max(0, Math.min(4, Math.ceil(-Math.log10(step) - 2 - 1e-9)))),
    writePoint: index => gain(falls[index]),
  }
  return inBothSizes(size => lineChart(line, size))
}
