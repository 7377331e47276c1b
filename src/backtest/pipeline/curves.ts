import type { BacktestCurves } from '../resultCurves.ts'
import { cagr, equityCurve, type PeriodSeries } from '../statistics/returns.ts'
import { maxDrawdown, volatility } from '../statistics/risk.ts'
import { sharpe } from '../statistics/sharpe.ts'
import type { Fold } from '../walkforward/folds.ts'
import { finiteOrNull, type RecordEnds, writeCurve } from './resultFields.ts'

/** A fold, and the net return of each period of the record that the fold tested. */
export interface TestedFold {
  readonly fold: Fold
  readonly net: Float64Array
}

/** The days of the record. */
export interface RecordDays extends RecordEnds {
  readonly periodsPerYear: number
}

/** The curves besides the net one: gross, universe, and the out-of-sample periods. */
export function writeCurves(
  { gross, universe }: PeriodSeries,
  tested: readonly TestedFold[],
  record: RecordDays,
): BacktestCurves {
  const own = writeCurve(equityCurve(gross).curve, record)
  const all = writeCurve(equityCurve(universe).curve, record)
  const dates = own.equity_dates.length > all.equity_dates.length ? own.equity_dates : all.equity_dates
  return {
    dates,
    gross: own.equity_curve,
    universe: all.equity_curve,
    unseen: writeUnseen(tested, record),
  }
}

/** The test blocks as one record. They are contiguous, so every day has its period. */
export function writeUnseen(
  tested: readonly TestedFold[],
  { days, returnDays, ends, periodsPerYear }: RecordDays,
): BacktestCurves['unseen'] {
  if (tested.length === 0) return null
  const first = tested[0].fold.testStart
  const end = tested[tested.length - 1].fold.testEnd
  const joined = new Float64Array(end - first)
  for (const { fold, net } of tested)
    joined.set(net.subarray(fold.testStart, fold.testEnd), fold.testStart - first)
  const { curve } = equityCurve(joined)
  const { equity_curve, equity_dates } = writeCurve(curve, {
    days: days.subarray(first, end),
    returnDays,
    ends: ends?.subarray(first, end),
  })
  return {
    dates: equity_dates,
    curve: equity_curve,
    n_periods: joined.length,
    sharpe: finiteOrNull(sharpe(joined, periodsPerYear)),
    volatility: finiteOrNull(volatility(joined, periodsPerYear)),
    cagr: finiteOrNull(cagr(curve[curve.length - 1], joined.length, periodsPerYear)),
    max_drawdown: finiteOrNull(maxDrawdown(curve)),
  }
}
