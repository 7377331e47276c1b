import { periodEnds, trainingEnds } from '../dataset/returnEnds.ts'
import type { SpaOutcome } from '../evidence/superiority.ts'
import { triedBefore } from '../overfitting/trialsVariance.ts'
import { type Deflation, deflateWinner, pickWinner } from '../overfitting/winner.ts'
import { rebalanceDates } from '../portfolio/rebalanceDates.ts'
import type { BacktestResult } from '../result.ts'
import type { SweepFields } from '../resultMetrics.ts'
import { mean } from '../statistics/moments.ts'
import { cagr, equityCurve } from '../statistics/returns.ts'
import { maxDrawdown } from '../statistics/risk.ts'
import { walkForwardSweep } from '../walkforward/sweepFolds.ts'
import { writeUnseen } from './curves.ts'
import { meanBlockOf, testRecords, writeEvidence } from './evidence.ts'
import { judgementOf } from './judgement.ts'
import { versionOf } from './requestEcho.ts'
import type { ResolvedConfig } from './resolveConfig.ts'
import { finiteOrNull, writeDeflation, writeFolds } from './resultFields.ts'
import { recordConfiguration } from './runConfiguration.ts'
import { sweepRecords } from './sweepEvidence.ts'
import { dataOf, type SliceSeries, type SweepPlan } from './sweepPlan.ts'
import { writeScores } from './sweepScores.ts'
import { readTrials, type Trial } from './sweepTrials.ts'

/** The result of a sweep, from the series of its slices.
 *
 * `metrics`, `equity_curve` and the sections of `include` are the winner's, bit-identical to those of its
 * single backtest. So is all of `best.metrics`. `folds` are the walk-forward's: each fold trades the
 * configuration that was best before it (see `walkForwardSweep`). `metrics.oos_sharpe_mean` is the mean of
 * those folds. It is the only number in `metrics` that differs from `best.metrics`, where it is the mean
 * over the winner's own folds: the winner was picked with knowledge of every block.
 *
 * @param series of each slice, in the order of `plan.slices`
 * @param spa from the slices of resamples; undefined: computed here */
export function writeSweepResult(
  plan: SweepPlan,
  series: readonly SliceSeries[],
  spa?: SpaOutcome,
): BacktestResult {
  const { data, view, configs, include, evidence, benchmark, participation, scores, factors } = plan
  const { dataVersion, source, score, request, returns, prices } = plan
  const version = versionOf(dataVersion ?? request?.data_version)
  const { step, folds, returnDays, periodsPerYear } = configs[0]
  const periods = rebalanceDates(view.firstDate, view.endDate, step)
  const days = Int32Array.from(periods, date => data.days[date])
  const ends = periodEnds(data, periods)
  const trials = readTrials(plan, series)
  const winner = pickWinner(trials.map(trial => ({ ...trial, sharpe: trial.judgedSharpe })))
  const best = configs[winner]
  const judgedSeries = trials.map(({ judged }) => judged)
  const before = triedBefore(judgedSeries, plan.alreadyTried)
  const deflation = deflateWinner(judgedSeries, winner, before)
  const tested =
    spa === undefined
      ? testRecords(evidence, trials)
      : { outcome: spa, meanBlock: meanBlockOf(evidence, trials) }
  const judgement = {
    ...judgementOf(evidence, trials, winner, deflation.dsr, tested, trials.length + plan.alreadyTried),
    ...(before === null ? {} : { before }),
  }
  const variant = scores?.variants[scores.variantOf[winner]]
  const { result: own } = recordConfiguration(dataOf(plan, winner), view, best, {
    include,
    marketCosts: plan.marketCosts,
    dataWarnings: variant?.warnings ?? plan.warnings,
    evidence,
    benchmark: () => benchmark,
    participation,
    entryLag: prices?.entry_lag,
    factors,
    factorTrials: trials.map(({ net }, i) => ({ net, longShort: configs[i].portfolio.longShort })),
    judgeRecord: () => ({ judgement, tested: null }),
  })
  const records = sweepRecords(plan, trials, winner, own.warnings, deflation.pbo)
  const chosen = walkForwardSweep(trials, days, {
    folds,
    returnDays: returnDays + (prices?.entry_lag ?? 0),
    ends: trainingEnds(data, periods),
    periodsPerYear,
  })
  const foldSharpes = chosen.map(({ fold }) => fold.sharpe).filter(value => value !== null)
  const sweepFields: SweepFields = {
    sweep: gridOf(configs),
    best: { label: best.label, config: own.config, metrics: own.metrics },
    trials: trials.map(trial => writeTrial(trial, periodsPerYear)),
    deflated_sharpe: writeSweepDeflation(deflation),
  }
  return {
    ...own,
    ...version,
    ...(source === undefined ? {} : { source }),
    ...(score === undefined ? {} : { score }),
    ...(returns === undefined ? {} : { returns }),
    ...(prices === undefined ? {} : { prices }),
    ...(request === undefined ? {} : { request: { ...request, ...version } }),
    metrics: {
      ...own.metrics,
      oos_sharpe_mean: foldSharpes.length === 0 ? null : finiteOrNull(mean(Float64Array.from(foldSharpes))),
    },
    folds: chosen.flatMap(({ candidate, fold }) => writeFolds([fold], days, configs[candidate].label)),
    ...(own.curves === undefined
      ? {}
      : {
          curves: {
            ...own.curves,
            unseen: writeUnseen(
              chosen.map(({ candidate, fold }) => ({ fold, net: trials[candidate].net })),
              { days, returnDays, ends, periodsPerYear },
            ),
          },
        }),
    ...sweepFields,
    ...(scores === undefined ? {} : { scores: writeScores(scores, trials, periods) }),
    ...(evidence.sections.length === 0 ? {} : { evidence: writeEvidence(evidence, records, tested) }),
  }
}

/** Each axis of the grid, in the order in which the configurations use its values. */
function gridOf(configs: readonly ResolvedConfig[]): SweepFields['sweep'] {
  return {
    direction: [...new Set(configs.map(config => config.direction))],
    quantile: [...new Set(configs.map(config => config.portfolio.quantile))],
    weighting: [...new Set(configs.map(config => config.portfolio.weighting))],
    holdDays: [...new Set(configs.map(config => config.holdDays))],
  }
}

function writeTrial(
  { label, net, avgTurnover, sharpe, judgedSharpe, benchmark }: Trial,
  periodsPerYear: number,
): SweepFields['trials'][number] {
  const { curve } = equityCurve(net)
  return {
    label,
    sharpe: finiteOrNull(sharpe),
    judged_sharpe: finiteOrNull(judgedSharpe),
    benchmark,
    cagr: finiteOrNull(cagr(curve[curve.length - 1], net.length, periodsPerYear)),
    max_drawdown: finiteOrNull(maxDrawdown(curve)),
    avg_turnover: finiteOrNull(avgTurnover),
  }
}

/** The fields of a batch's verdict, with additional fields for a sweep. */
function writeSweepDeflation(deflation: Deflation): SweepFields['deflated_sharpe'] {
  const { psr, min_track_record_periods, ...shared } = writeDeflation(deflation)
  return {
    ...shared,
    trials_distinct: deflation.trialsDistinct,
    trials_effective: deflation.trialsEffective,
    dsr_effective: finiteOrNull(deflation.dsrEffective),
    psr,
    min_track_record_periods,
    pbo: finiteOrNull(deflation.pbo),
  }
}
