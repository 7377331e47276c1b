import { type IsoDate, isoDate } from '../../dates.ts'
import type { BatchDeflation } from '../batchResult.ts'
import { addBusinessDays } from '../dataset/calendar.ts'
import { defaultMaxAgeDays } from '../figureScore.ts'
import type { RecordDeflation } from '../overfitting/winner.ts'
import type { BacktestSource } from '../request.ts'
import type { BacktestFold, BacktestResult, BacktestSourceUsed } from '../result.ts'
import type { BacktestMetrics } from '../resultMetrics.ts'
import type { Summary } from '../summary.ts'
import type { Fold } from '../walkforward/folds.ts'
import type { ResolvedConfig } from './resolveConfig.ts'

export function writeMetrics(summary: Summary): BacktestMetrics {
  return {
    cagr: finiteOrNull(summary.cagr),
    sharpe: finiteOrNull(summary.sharpe),
    judged_sharpe: finiteOrNull(summary.judgedSharpe),
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

/** JSON has no Infinity: a value that overflowed becomes null. */
export function finiteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null
}

export function writeDeflation(deflation: RecordDeflation): Omit<BatchDeflation, 'note'> {
  return {
    dsr: finiteOrNull(deflation.dsr),
    survives: deflation.survives,
    trials: deflation.trials,
    sharpe_per_period: finiteOrNull(deflation.sharpePerPeriod),
    sharpe_threshold: deflation.sharpeThreshold,
    trials_variance: deflation.trialsVariance,
    skew: finiteOrNull(deflation.skew),
    kurtosis_raw: finiteOrNull(deflation.kurtosisRaw),
    n_periods: deflation.periods,
    psr: finiteOrNull(deflation.psr),
    min_track_record_periods: finiteOrNull(deflation.minTrackRecordPeriods),
  }
}

export function writeConfig(config: ResolvedConfig): BacktestResult['config'] {
  const { portfolio } = config
  return {
    direction: config.direction,
    quantile: portfolio.quantile,
    weighting: portfolio.weighting,
    holdDays: config.holdDays,
    returnDays: config.returnDays,
    costBps: config.costBps,
    borrowBps: config.borrowBps,
    gross: portfolio.gross,
    neutral: config.neutral,
    drift: portfolio.drift,
    ...(config.neutralise === undefined ? {} : { neutralise: config.neutralise }),
    ...(config.rankBy === undefined ? {} : { rankBy: config.rankBy }),
    folds: config.folds,
    ...(config.rebalance === undefined ? {} : { rebalance: config.rebalance }),
    ...(config.trading === undefined ? {} : { trading: config.trading }),
  }
}

export function writeSource(source: BacktestSource): BacktestSourceUsed {
  const { score, checks, prices, maxAgeDays = defaultMaxAgeDays } = source
  return {
    market: source.market ?? null,
    horizon: source.horizon ?? '1d',
    from: source.from ?? null,
    to: source.to ?? null,
    limit: source.limit ?? null,
    ...(score === undefined ? {} : { score, maxAgeDays }),
    ...(checks === undefined ? {} : { checks }),
    ...(prices === undefined ? {} : { prices }),
  }
}

const lastIsoDay = 2_932_896 // 9999-12-31

/** When the periods of a record begin, and when their returns end. */
export interface RecordEnds {
  readonly days: Int32Array
  readonly returnDays: number
  /** Undefined: `returnDays` weekdays after the day of each period. */
  readonly ends?: Int32Array | undefined
}

/** The day of a point of an equity curve. */
export function dayOfPoint(point: number, { days, returnDays, ends }: RecordEnds): number {
  if (point < days.length) return days[point]
  const last = days.length - 1
  return ends === undefined ? addBusinessDays(days[last], returnDays) : ends[last]
}

/** Each point is dated with the first day of the period that begins there, and the last point with the day on
 * which its return ends. The curve of a ruined portfolio is shorter than the record. */
export function writeCurve(curve: Float64Array, { days, returnDays, ends }: RecordEnds) {
  const equityDates: string[] = []
  for (let i = 0; i < curve.length; i++) {
    const day = dayOfPoint(i, { days, returnDays, ends })
    equityDates.push(cachedIsoDate(Math.min(day, lastIsoDay)))
  }
  return { equity_curve: Array.from(curve, finiteOrNull), equity_dates: equityDates }
}

const isoDates = new Map<number, IsoDate>()
const maxIsoDates = 73_049 // 200 years of days

/** Results contain thousands of dates, mostly the same ones. */
function cachedIsoDate(day: number): IsoDate {
  const cached = isoDates.get(day)
  if (cached !== undefined) return cached
  const text = isoDate(day)
  if (isoDates.size < maxIsoDates) isoDates.set(day, text)
  return text
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
    judged_train_sharpe: finiteOrNull(fold.judgedTrainSharpe),
    sharpe: finiteOrNull(fold.sharpe),
    judged_sharpe: finiteOrNull(fold.judgedSharpe),
    cagr: finiteOrNull(fold.cagr),
    max_drawdown: finiteOrNull(fold.maxDrawdown),
  }))
}
