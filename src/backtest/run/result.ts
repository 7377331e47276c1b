import { type IsoDate, isoDate } from '../../dates.ts'
import { addBusinessDays } from '../dataset/calendar.ts'
import type { BacktestMetrics } from '../metrics.ts'
import type { ResolvedConfig } from '../pool/sweepPlan.ts'
import type { BacktestFold, BacktestResult } from '../result.ts'
import type { Summary } from '../summary.ts'
import type { Fold } from '../walkforward/folds.ts'

/** JSON has no Infinity: what overflowed is null. */
export function finiteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null
}

export function writeConfig(config: ResolvedConfig): BacktestResult['config'] {
  const { book } = config
  return {
    direction: config.direction,
    quantile: book.quantile,
    weighting: book.weighting,
    holdDays: config.holdDays,
    returnDays: config.returnDays,
    costBps: config.costBps,
    borrowBps: config.borrowBps,
    gross: book.gross,
    neutral: book.neutralMarket ? 'market' : null,
    drift: book.drift,
    folds: config.folds,
  }
}

export function writeMetrics(summary: Summary): BacktestMetrics {
  return {
    cagr: finiteOrNull(summary.cagr),
    sharpe: finiteOrNull(summary.sharpe),
    lo_sharpe: finiteOrNull(summary.loSharpe),
    information_ratio: finiteOrNull(summary.informationRatio),
    max_drawdown: finiteOrNull(summary.maxDrawdown),
    avg_turnover: finiteOrNull(summary.avgTurnover),
    cost_drag_annual: finiteOrNull(summary.costDragAnnual),
    oos_sharpe_mean: finiteOrNull(summary.oosSharpeMean),
    gross_sharpe: finiteOrNull(summary.grossSharpe),
    break_even_cost_bps: finiteOrNull(summary.breakEvenCostBps),
    volatility: finiteOrNull(summary.volatility),
    hit_rate: finiteOrNull(summary.hitRate),
    sortino: finiteOrNull(summary.sortino),
    calmar: finiteOrNull(summary.calmar),
    ruined: summary.ruined,
  }
}

const lastIsoDay = 2_932_896 // 9999-12-31

/** Each point stands on the first day of the period that begins there, the last on the day its return ends. A ruined
 * curve is shorter than the record. */
export function writeCurve(curve: Float64Array, days: Int32Array, returnDays: number) {
  const equityDates: string[] = []
  for (let i = 0; i < curve.length; i++) {
    const day = i < days.length ? days[i] : addBusinessDays(days[days.length - 1], returnDays)
    equityDates.push(knownIsoDate(Math.min(day, lastIsoDay)))
  }
  return { equity_curve: Array.from(curve, finiteOrNull), equity_dates: equityDates }
}

export function writeFolds(folds: readonly Fold[], days: Int32Array, label: string): BacktestFold[] {
  return folds.map(fold => ({
    fold: fold.fold,
    train_start: fold.trainEnd > 0 ? isoDate(days[0]) : null,
    train_end: fold.trainEnd > 0 ? isoDate(days[fold.trainEnd - 1]) : null,
    test_start: isoDate(days[fold.testStart]),
    test_end: isoDate(days[fold.testEnd - 1]),
    n_periods: fold.testEnd - fold.testStart,
    label,
    train_sharpe: finiteOrNull(fold.trainSharpe),
    sharpe: finiteOrNull(fold.sharpe),
    cagr: finiteOrNull(fold.cagr),
    max_drawdown: finiteOrNull(fold.maxDrawdown),
  }))
}

const known = new Map<number, IsoDate>()
/** Two hundred years of days. */
const most = 73_049

/** `isoDate`, remembered: every result names thousands of days, and most of them name the same. */
export function knownIsoDate(day: number): IsoDate {
  const found = known.get(day)
  if (found !== undefined) return found
  const made = isoDate(day)
  if (known.size < most) known.set(day, made)
  return made
}
