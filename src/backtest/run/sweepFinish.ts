import type { SweptFields } from '../metrics.ts'
import { type Deflation, deflateWinner, pickWinner } from '../overfitting/winner.ts'
import type { SliceSeries, SweepPlan } from '../pool/sweepPlan.ts'
import type { TaskInput } from '../pool/tasks.ts'
import { planPeriods } from '../portfolio/settings.ts'
import { simulateMany } from '../portfolio/simulate.ts'
import type { BacktestResult } from '../result.ts'
import { mean } from '../statistics/moments.ts'
import { cagr, equityCurve, maxDrawdown } from '../statistics/returns.ts'
import { sharpe } from '../statistics/sharpe.ts'
import { walkForwardChoice } from '../walkforward/choice.ts'
import { runConfiguration } from './configuration.ts'
import { finiteOrNull, writeFolds } from './result.ts'

/** One configuration's part of the slices' series. */
interface Trial {
  readonly label: string
  readonly net: Float64Array
  readonly avgTurnover: number
  readonly sharpe: number | null
}

/** The result of a sweep, from what its slices yielded.
 *
 * `metrics`, `equity_curve` and what `include` asks for are the winner's, to the bit those of its single backtest, and so
 * is all of `best.metrics`. `folds` are the walk-forward's: each trades the configuration that was best before it (see
 * `walkForwardChoice`). `metrics.oos_sharpe_mean` is the mean of those folds, the one number in `metrics` that is not in
 * `best.metrics`, where it is the mean over the winner's own folds: the winner was picked knowing every block. */
export function finishSweep({ plan, series }: Omit<TaskInput<'sweep_finish'>, 'form'>): BacktestResult {
  const { data, view, configs, include, costs, warnings, dataVersion, score } = plan
  const { step, folds, returnDays, periodsPerYear } = configs[0]
  const periods = planPeriods(view.firstDate, view.endDate, step)
  const days = Int32Array.from(periods, date => data.days[date])
  const trials = readTrials(plan, series, periods.length)
  const winner = pickWinner(trials)
  const best = configs[winner]
  const own = runConfiguration(data, view, best, include, costs, warnings)
  const candidates = trials.map(({ label, net }, c) => ({ label, net, tranches: configs[c].book.tranches }))
  const chosen = walkForwardChoice(candidates, days, { folds, returnDays, periodsPerYear })
  const tested = chosen.map(({ fold }) => fold.sharpe).filter(value => value !== null)
  const swept: SweptFields = {
    best: { label: best.label, config: own.config, metrics: own.metrics },
    trials: trials.map(trial => writeTrial(trial, periodsPerYear)),
    deflated_sharpe: writeDeflation(
      deflateWinner(
        trials.map(({ net }) => net),
        winner,
      ),
    ),
  }
  return {
    ...own,
    ...(dataVersion === null ? {} : { data_version: dataVersion }),
    ...(score === undefined ? {} : { score }),
    metrics: {
      ...own.metrics,
      oos_sharpe_mean: tested.length === 0 ? null : finiteOrNull(mean(Float64Array.from(tested))),
    },
    folds: chosen.flatMap(({ candidate, fold }) => writeFolds([fold], days, configs[candidate].label)),
    ...swept,
  }
}

function readTrials(
  { configs, slices }: SweepPlan,
  series: readonly SliceSeries[],
  periods: number,
): Trial[] {
  const trials: Trial[] = []
  slices.forEach((slice, s) => {
    slice.forEach((config, i) => {
      const at = i * (periods + 1)
      const net = series[s].subarray(at, at + periods)
      const { label, periodsPerYear } = configs[config]
      trials[config] = {
        label,
        net,
        avgTurnover: series[s][at + periods],
        sharpe: sharpe(net, periodsPerYear),
      }
    })
  })
  return trials
}

function writeTrial(
  { label, net, avgTurnover, sharpe }: Trial,
  periodsPerYear: number,
): SweptFields['trials'][number] {
  const { curve } = equityCurve(net)
  return {
    label,
    sharpe: finiteOrNull(sharpe),
    cagr: finiteOrNull(cagr(curve[curve.length - 1], net.length, periodsPerYear)),
    max_drawdown: finiteOrNull(maxDrawdown(curve)),
    avg_turnover: finiteOrNull(avgTurnover),
  }
}

/** Some configurations of a sweep, into shared memory. */
export function runSlice({ data, view, configs, prices, series, stop }: TaskInput<'sweep_slice'>): null {
  const periods = planPeriods(view.firstDate, view.endDate, configs[0].step)
  simulateMany(
    data,
    periods,
    configs.map(config => config.book),
    prices,
    series,
    stop,
  )
  return null
}

export function writeDeflation(deflation: Deflation): SweptFields['deflated_sharpe'] {
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
    trials_effective: deflation.trialsEffective,
    dsr_effective: finiteOrNull(deflation.dsrEffective),
    psr: finiteOrNull(deflation.psr),
    min_track_record_periods: finiteOrNull(deflation.minTrackRecordPeriods),
    pbo: finiteOrNull(deflation.pbo),
  }
}
