import type { MarketCosts } from '../../markets/costs.ts'
import type { Dataset } from '../dataset/dataset.ts'
import type { DateView } from '../dataset/subset.ts'
import { rebalanceDates } from '../portfolio/rebalance.ts'
import { simulate } from '../portfolio/simulate.ts'
import type { BacktestInclude } from '../request.ts'
import type { BacktestDropped, BacktestResult, BacktestWarning } from '../result.ts'
import type { PeriodSeries } from '../statistics/returns.ts'
import { summarise } from '../summary.ts'
import { walkForward } from '../walkforward/folds.ts'
import { writeIncluded } from './includedSections.ts'
import type { ResolvedConfig } from './resolveConfig.ts'
import { writeConfig, writeCurve, writeFolds, writeMetrics } from './resultFields.ts'
import { resolveTradingCosts } from './tradingCosts.ts'

/** One configuration on a view of a dataset: simulates it, computes its statistics, and writes the result.
 *
 * @param dataWarnings those that the rows gave rise to; they come first */
export function runConfiguration(
  data: Dataset,
  view: DateView,
  config: ResolvedConfig,
  include: readonly BacktestInclude[],
  marketCosts: MarketCosts,
  dataWarnings: readonly BacktestWarning[],
): BacktestResult {
  const periods = rebalanceDates(view.firstDate, view.endDate, config.step)
  const days = Int32Array.from(periods, date => data.days[date])
  const { tradingCosts, costs, warnings } = resolveTradingCosts(data, periods, config, marketCosts)
  const { periodsPerYear, returnDays, portfolio } = config
  const simulation = simulate(data, periods, portfolio, tradingCosts, include.includes('positions'))
  const { series } = simulation
  const folds = walkForward(series.net, days, {
    folds: config.folds,
    tranches: portfolio.tranches,
    returnDays,
    periodsPerYear,
  })
  const summary = summarise(series, folds, portfolio.tranches, periodsPerYear)
  const { used, dropped } = countDropped(data, view, periods, series)
  return {
    object: 'backtest_result',
    n_rows: used,
    n_dates: view.endDate - view.firstDate,
    n_periods: periods.length,
    periods_per_year: periodsPerYear,
    spacing: config.medianDateGap,
    step: config.step,
    config: writeConfig(config),
    metrics: writeMetrics(summary),
    ...writeCurve(summary.curve, days, returnDays),
    folds: writeFolds(folds, days, config.label),
    dropped,
    costs,
    warnings: [
      ...dataWarnings,
      ...warnings,
      ...(folds.length < config.folds ? [fewerFolds(config.folds, folds.length, periods.length)] : []),
      ...(series.turnover.every(traded => traded === 0) ? [noPositions] : []),
      ...(summary.ruined ? [ruined] : []),
    ],
    ...writeIncluded(data, periods, days, simulation, include),
  }
}

function fewerFolds(requested: number, made: number, periods: number): BacktestWarning {
  return {
    code: 'fewer_folds',
    message: `${periods} periods are enough for only ${made} of the ${requested} requested folds.`,
  }
}

const noPositions: BacktestWarning = {
  code: 'no_positions',
  message: 'The portfolio stayed empty: no date has two names with a score.',
}

const ruined: BacktestWarning = {
  code: 'ruined',
  message: 'The equity fell to 0 or less. The curve ends there; the ratios still cover every period.',
}

/** Counts the rows that did not count. used + rows_without_score + rows_off_step + rows_over_limit is the number of
 * rows that the request selects. */
function countDropped(
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
    // A date that the ranking counts as complete needs no look at its rows.
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
