import { breakEvenCostBps, costDragAnnual } from './statistics/costs.ts'
import { mean } from './statistics/moments.ts'
import type { PeriodSeries } from './statistics/returns.ts'
import { cagr, equityCurve, hitRate } from './statistics/returns.ts'
import { calmar, maxDrawdown, sortino, volatility } from './statistics/risk.ts'
import { informationRatio, loLags, loSharpe, sharpe } from './statistics/sharpe.ts'
import type { Fold } from './walkforward/folds.ts'

/** The statistics of one configuration's record. Null: not defined for this record. Never NaN, but a record
 * with absurd returns can overflow to an infinity, which the result shows as null. */
export interface Summary {
  readonly curve: Float64Array
  readonly ruined: boolean
  readonly cagr: number | null
  readonly sharpe: number | null
  /** The Sharpe ratio of the judged returns. */
  readonly judgedSharpe: number | null
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

/** Computes all statistics of a simulated record. Ruin ends the curve and sets cagr to -1; ratios still cover
 * every period. Only the information ratio and the hit rate exclude empty periods: a portfolio without names
 * neither beats nor misses anything.
 *
 * @param judged net return minus the return of the benchmark, per period; against cash, the array of net
 *   returns itself
 * @param tranches h, in periods */
export function summarise(
  series: PeriodSeries,
  judged: Float64Array,
  folds: readonly Fold[],
  tranches: number,
  periodsPerYear: number,
): Summary {
  const { net } = series
  const { curve, ruined } = equityCurve(net)
  const growth = cagr(curve[curve.length - 1], net.length, periodsPerYear)
  const drawdown = maxDrawdown(curve)
  const heldNet = heldOnly(net, series.held)
  const tested = folds.map(fold => fold.sharpe).filter(value => value !== null)
  const netSharpe = sharpe(net, periodsPerYear)
  return {
    curve,
    ruined,
    cagr: growth,
    sharpe: netSharpe,
    judgedSharpe: judged === net ? netSharpe : sharpe(judged, periodsPerYear),
    loSharpe: loSharpe(net, periodsPerYear, loLags(net.length, tranches, periodsPerYear)),
    informationRatio: informationRatio(heldNet, heldOnly(series.universe, series.held), periodsPerYear),
    maxDrawdown: drawdown,
    avgTurnover: mean(series.turnover),
    costDragAnnual: costDragAnnual(series, periodsPerYear),
    oosSharpeMean: tested.length === 0 ? null : mean(Float64Array.from(tested)),
    grossSharpe: sharpe(series.gross, periodsPerYear),
    breakEvenCostBps: breakEvenCostBps(series),
    volatility: volatility(net, periodsPerYear),
    hitRate: hitRate(heldNet),
    sortino: sortino(net, periodsPerYear),
    calmar: calmar(growth, drawdown),
  }
}

/** The values of the periods in which names were held. */
function heldOnly(values: Float64Array, held: Uint8Array): Float64Array {
  return held.includes(0) ? values.filter((_, t) => held[t] === 1) : values
}
