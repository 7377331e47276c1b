import type { MarketCosts } from '../../markets/costs.ts'
import type { Dataset, DateView } from '../dataset/dataset.ts'
import type { ResolvedConfig } from '../pool/sweepPlan.ts'
import { planPeriods } from '../portfolio/settings.ts'
import { simulate } from '../portfolio/simulate.ts'
import type { BacktestRequest } from '../request.ts'
import type { BacktestDropped, BacktestResult, BacktestWarning } from '../result.ts'
import type { PeriodSeries } from '../statistics/periodSeries.ts'
import { summarise } from '../summary.ts'
import { walkForward } from '../walkforward/folds.ts'
import { priceBook } from './costs.ts'
import { writeIncluded } from './included.ts'
import { writeConfig, writeCurve, writeFolds, writeMetrics } from './result.ts'

/** One configuration on a view of a dataset: simulate, measure, write down.
 *
 * @param found warnings that came up before */
export function runConfiguration(
  data: Dataset,
  view: DateView,
  config: ResolvedConfig,
  include: NonNullable<BacktestRequest['include']>,
  table: MarketCosts,
  found: readonly BacktestWarning[],
): BacktestResult {
  const periods = planPeriods(view.firstDate, view.endDate, config.step)
  const days = Int32Array.from(periods, date => data.days[date])
  const pricing = priceBook(data, periods, config, table)
  const held = include.includes('positions')
  const simulation = simulate(data, periods, config.book, pricing.prices, held)
  const { series } = simulation
  const { periodsPerYear, returnDays, book } = config
  const folds = walkForward(series.net, days, {
    folds: config.folds,
    tranches: book.tranches,
    returnDays,
    periodsPerYear,
  })
  const summary = summarise(series, folds, book.tranches, periodsPerYear)
  const { used, dropped } = countDropped(data, view, periods, series)
  return {
    object: 'backtest_result',
    n_rows: used,
    n_dates: view.endDate - view.firstDate,
    n_periods: periods.length,
    periods_per_year: periodsPerYear,
    spacing: config.spacing,
    step: config.step,
    config: writeConfig(config),
    metrics: writeMetrics(summary),
    ...writeCurve(summary.curve, days, returnDays),
    folds: writeFolds(folds, days, config.label),
    dropped,
    costs: pricing.costs,
    warnings: [
      ...found,
      ...pricing.warnings,
      ...(folds.length < config.folds ? [fewerFolds(config.folds, folds.length, periods.length)] : []),
      ...(series.turnover.every(traded => traded === 0) ? [noPositions] : []),
      ...(summary.ruined ? [ruined] : []),
    ],
    ...writeIncluded(data, periods, days, simulation, include),
  }
}

export function fewerFolds(asked: number, made: number, periods: number): BacktestWarning {
  return { code: 'fewer_folds', message: `${periods} periods make ${made} of the ${asked} folds asked for.` }
}

const noPositions: BacktestWarning = {
  code: 'no_positions',
  message: 'The book stayed empty: no date has two names with a score.',
}

const ruined: BacktestWarning = {
  code: 'ruined',
  message: 'The equity fell to 0 or less. The curve ends there; ratios still describe every period.',
}

/** Where the rows went. used + rows_without_score + rows_off_step + rows_over_limit = all rows asked for. */
export function countDropped(
  data: Dataset,
  view: DateView,
  periods: Int32Array,
  series: PeriodSeries,
): { used: number; dropped: BacktestDropped } {
  const { offsets, score, forwardReturn, ranking } = data
  let rows = 0
  let withoutScore = 0
  let withoutReturn = 0
  for (const date of periods) {
    const end = offsets[date + 1]
    const all = end - offsets[date]
    rows += all
    // A date that its ranking knows to be complete need not be looked at.
    if (ranking && ranking.eligible[date] === all && ranking.known[date] === all) continue
    for (let row = offsets[date]; row < end; row++) {
      if (Number.isNaN(score[row])) withoutScore++
      else if (Number.isNaN(forwardReturn[row])) withoutReturn++
    }
  }
  let heldWithoutReturn = 0
  for (const names of series.heldWithoutReturn) heldWithoutReturn += names
  return {
    used: rows - withoutScore,
    dropped: {
      rows_over_limit: view.rowsOverLimit,
      rows_off_step: data.offsets[view.endDate] - data.offsets[view.firstDate] - rows,
      rows_without_score: withoutScore,
      rows_without_return: withoutReturn,
      held_without_return: heldWithoutReturn,
    },
  }
}
