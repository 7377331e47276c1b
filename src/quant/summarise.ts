import { breakEvenCostBps } from './breakEvenCostBps.ts'
import { cagr } from './cagr.ts'
import { calmar } from './calmar.ts'
import { costDragAnnual } from './costDragAnnual.ts'
import { equityCurve } from './equityCurve.ts'
import type { Fold } from './foldRecord.ts'
import { hitRate } from './hitRate.ts'
import { informationRatio } from './informationRatio.ts'
import { loLags } from './loLags.ts'
import { loSharpe } from './loSharpe.ts'
import { maxDrawdown } from './maxDrawdown.ts'
import { mean } from './mean.ts'
import type { PeriodSeries } from './periodSeries.ts'
import { sharpe } from './sharpe.ts'
import { sortino } from './sortino.ts'
import { volatility } from './volatility.ts'

/** The record of one configuration. Null: not defined for this record; never NaN, but a record of absurd returns
 * can overflow to an infinity, which whoever writes the result turns into null. */
export interface Summary {
  readonly curve: Float64Array
  readonly ruined: boolean
  readonly cagr: number | null
  readonly sharpe: number | null
  readonly loSharpe: number | null
  readonly informationRatio: number | null
  readonly maxDrawdown: number
  readonly avgTurnover: number
  readonly costDragAnnual: number
  readonly oosSharpeMean: number | null
  readonly grossSharpe: number | null
  readonly breakEvenCostBps: number | null
  readonly volatility: number | null
  readonly hitRate: number | null
  readonly sortino: number | null
  readonly calmar: number | null
}

/** All statistics of a simulated record. Ruin ends the curve and sets cagr to -1; ratios still look at every
 * period.
 *
 * @param tranches h, in periods */
export function summarise(
  series: PeriodSeries,
  folds: readonly Fold[],
  tranches: number,
  periodsPerYear: number,
): Summary {
  const { net } = series
  const { curve, ruined } = equityCurve(net)
  const growth = cagr(curve[curve.length - 1], net.length, periodsPerYear)
  const drawdown = maxDrawdown(curve)
  const tested = folds.map(fold => fold.sharpe).filter(value => value !== null)
  return {
    curve,
    ruined,
    cagr: growth,
    sharpe: sharpe(net, periodsPerYear),
    loSharpe: loSharpe(net, periodsPerYear, loLags(net.length, tranches, periodsPerYear)),
    informationRatio: informationRatio(net, series.universe, periodsPerYear),
    maxDrawdown: drawdown,
    avgTurnover: mean(series.turnover),
    costDragAnnual: costDragAnnual(series, periodsPerYear),
    oosSharpeMean: tested.length === 0 ? null : mean(Float64Array.from(tested)),
    grossSharpe: sharpe(series.gross, periodsPerYear),
    breakEvenCostBps: breakEvenCostBps(series),
    volatility: volatility(net, periodsPerYear),
    hitRate: hitRate(net),
    sortino: sortino(net, periodsPerYear),
    calmar: calmar(growth, drawdown),
  }
}
