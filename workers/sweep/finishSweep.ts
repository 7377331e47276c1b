import type { TaskInput } from '../../src/compute/protocol.ts'
import type { SliceSeries, SweepPlan } from '../../src/compute/sweepPlan.ts'
import type { BacktestResult } from '../../src/model/backtestResult.ts'
import type { SweptFields } from '../../src/model/backtestSwept.ts'
import { cagr } from '../../src/quant/cagr.ts'
import { deflateWinner } from '../../src/quant/deflateWinner.ts'
import { equityCurve } from '../../src/quant/equityCurve.ts'
import { maxDrawdown } from '../../src/quant/maxDrawdown.ts'
import { mean } from '../../src/quant/mean.ts'
import { pickWinner } from '../../src/quant/pickWinner.ts'
import { planPeriods } from '../../src/quant/planPeriods.ts'
import { sharpe } from '../../src/quant/sharpe.ts'
import { walkForwardChoice } from '../../src/quant/walkForwardChoice.ts'
import { runConfiguration } from '../backtest/runConfiguration.ts'
import { finiteOrNull, writeFolds } from '../backtest/writeResult.ts'
import { writeDeflation } from './writeDeflation.ts'

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
