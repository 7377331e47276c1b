import type { ResolvedConfig } from '../../src/compute/resolvedConfig.ts'
import type { BacktestRequest } from '../../src/model/backtest.ts'
import type { BacktestResult, BacktestWarning } from '../../src/model/backtestResult.ts'
import type { MarketCosts } from '../../src/model/marketCosts.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import { planPeriods } from '../../src/quant/planPeriods.ts'
import { simulate } from '../../src/quant/simulate.ts'
import { summarise } from '../../src/quant/summarise.ts'
import type { DateView } from '../../src/quant/viewDates.ts'
import { walkForward } from '../../src/quant/walkForward.ts'
import { countDropped } from './countDropped.ts'
import { priceBook } from './priceBook.ts'
import { writeIncluded } from './writeIncluded.ts'
import { writeConfig, writeCurve, writeFolds, writeMetrics } from './writeResult.ts'

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
