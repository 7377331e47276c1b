import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { optimalBlockLength } from '../evidence/blockLength.ts'
import {
  type AlignedFactors,
  alignFactors,
  type RecordPeriods,
  requireMatches,
} from '../factors/alignFactors.ts'
import type { FactorSeries } from '../factors/factorSeries.ts'
import { type Design, requireIndependent, solve } from '../factors/leastSquares.ts'
import { defaultLags, type Regression, regress, rollingCoefficients } from '../factors/regression.ts'
import { serialDsr, varianceRatio } from '../judging/serialCorrelation.ts'
import { minPeriods } from '../judging/verdict.ts'
import { chanceVariance, trialsVarianceOf } from '../overfitting/trialsVariance.ts'
import { confidence, deflateRecord, type RecordDeflation, trialRecord } from '../overfitting/winner.ts'
import type { FactorsUsed } from '../resultFactors.ts'
import type { BacktestVerdict } from '../resultVerdict.ts'
import { mean } from '../statistics/moments.ts'
import { normalCdf } from '../statistics/normal.ts'
import { sharpe } from '../statistics/sharpe.ts'
import { finiteOrNull } from './resultFields.ts'

/** The net returns of a configuration. */
export interface FactorTrial {
  readonly net: Float64Array
  readonly longShort: boolean
}

/** A record to explain. */
export interface ExplainedRecord extends FactorTrial {
  readonly periods: RecordPeriods
  /** h, in periods. */
  readonly tranches: number
  readonly periodsPerYear: number
  readonly verdict: BacktestVerdict
  /** All configurations of a sweep; undefined: the record is a single one. */
  readonly trials: readonly FactorTrial[] | undefined
  /** The mean block length that the request states for resamples; null: chosen from the record. */
  readonly meanBlock: number | null
}

/** The field `factors` of a result. */
export function writeFactors(series: FactorSeries, record: ExplainedRecord): FactorsUsed {
  const { periods, tranches, periodsPerYear } = record
  const trials = record.trials ?? [record]
  if (series.rf === null && trials.some(({ longShort }) => !longShort)) throw riskFreeRequired()
  const aligned = alignFactors(series, periods)
  requireMatches(aligned, series, periods)
  const design = requireIndependent(aligned.returns, series.names)
  const excess = excessReturns(record, aligned)
  const { rows } = design
  const lags = Math.min(series.lags ?? defaultLags(rows, tranches), rows - 1)
  const regression = regress(design, aligned.returns, excess, lags)
  const [alpha] = regression.coefficients
  const startOf = (i: number) => isoDate(periods.days[aligned.matched[i]])
  return {
    frequency: series.frequency,
    excess: record.longShort ? 'net' : 'net_minus_rf',
    n_periods: rows,
    unmatched: [...aligned.unmatched].map(([reason, days]) => ({
      reason,
      n_periods: days.length,
      dates: days.slice(0, 5).map(isoDate),
    })),
    first_date: startOf(0),
    last_date: startOf(rows - 1),
    lags,
    excess_mean_annual: finiteOrNull(mean(excess) * periodsPerYear),
    alpha: {
      per_period: finiteOrNull(alpha),
      annual: finiteOrNull(alpha * periodsPerYear),
      ...writeEstimate(regression, 0),
    },
    betas: series.names.map((factor, k) => {
      const beta = regression.coefficients[k + 1]
      const meanAnnual = mean(aligned.returns[k]) * periodsPerYear
      return {
        factor,
        beta: finiteOrNull(beta),
        ...writeEstimate(regression, k + 1),
        mean_annual: finiteOrNull(meanAnnual),
        contribution_annual: finiteOrNull(beta * meanAnnual),
      }
    }),
    r_squared: finiteOrNull(regression.rSquared),
    adjusted_r_squared: finiteOrNull(regression.adjustedRSquared),
    residual: writeResidual({ regression, design, aligned, record }),
    rolling: writeRolling(series, aligned, excess, startOf, periodsPerYear),
  }
}

function riskFreeRequired(): Failure {
  return new Failure(
    'backtest_impossible',
    'A long_only portfolio is compared with the risk-free return, and factors has none. Send factors.rf, or a file with a column RF.',
    { param: 'factors' },
  )
}

/** A long-short portfolio finances itself; the money in a long-only one could have earned the risk-free return. */
function excessReturns({ net, longShort }: FactorTrial, { matched, rf }: AlignedFactors): Float64Array {
  return Float64Array.from(matched, (t, i) => (longShort || rf === null ? net[t] : net[t] - rf[i]))
}

function writeEstimate({ coefficients, standardErrors }: Regression, k: number) {
  const error = standardErrors[k]
  const t = error > 0 ? coefficients[k] / error : null
  return {
    standard_error: finiteOrNull(error),
    t: finiteOrNull(t),
    p: t === null ? null : finiteOrNull(2 * normalCdf(-Math.abs(t))),
  }
}

interface Explained {
  readonly regression: Regression
  readonly design: Design
  readonly aligned: AlignedFactors
  readonly record: ExplainedRecord
}

function writeResidual({ regression, design, aligned, record }: Explained): FactorsUsed['residual'] {
  const { periodsPerYear, verdict, meanBlock } = record
  const { rows, width } = design
  const [alpha] = regression.coefficients
  const unexplained = regression.residuals.map(e => alpha + e)
  const residual = regression.isExact ? new Float64Array(rows) : unexplained
  const deflation = deflateResidual(residual, design, aligned, record)
  const block = Math.max(meanBlock ?? 1, optimalBlockLength(residual))
  const dsrSerial = serialDsr(deflation.dsr, varianceRatio(residual, block))
  const error = Math.sqrt(regression.squares / (rows - width))
  const root = Math.sqrt(periodsPerYear)
  return {
    sharpe: finiteOrNull(sharpe(residual, periodsPerYear)),
    sharpe_per_period: finiteOrNull(deflation.sharpePerPeriod),
    appraisal_ratio: regression.isExact ? null : finiteOrNull((alpha / error) * root),
    volatility: finiteOrNull(error * root),
    psr: finiteOrNull(deflation.psr),
    trials: deflation.trials,
    dsr: finiteOrNull(deflation.dsr),
    dsr_serial: finiteOrNull(dsrSerial),
    verdict: judgeResidual({ verdict, alpha, periods: rows, dsrSerial, deflation }),
  }
}

/** The Deflated Sharpe ratio of what remains, among what remains of the other trials. */
function deflateResidual(
  residual: Float64Array,
  design: Design,
  aligned: AlignedFactors,
  { trials, verdict }: ExplainedRecord,
): RecordDeflation {
  const record = trialRecord(residual)
  const seen = Math.max(trials?.length ?? 1, verdict.trials)
  if (trials === undefined || trials.length < 2)
    return deflateRecord(record, chanceVariance(residual.length), seen)
  const sharpes = trials.map(trial => sharpe(unexplainedOf(trial, design, aligned), 1))
  return deflateRecord(record, trialsVarianceOf(sharpes), seen)
}

/** Excess return minus beta times the factors. */
function unexplainedOf(trial: FactorTrial, design: Design, aligned: AlignedFactors): Float64Array {
  const excess = excessReturns(trial, aligned)
  const coefficients = solve(design, excess)
  return excess.map((value, t) => {
    let explained = 0
    for (let k = 1; k < design.width; k++) explained += coefficients[k] * aligned.returns[k - 1][t]
    return value - explained
  })
}

type ResidualVerdict = FactorsUsed['residual']['verdict']

function judgeResidual({
  verdict,
  alpha,
  periods,
  dsrSerial,
  deflation: { dsr, trials },
}: {
  readonly verdict: BacktestVerdict
  readonly alpha: number
  readonly periods: number
  readonly dsrSerial: number | null
  readonly deflation: RecordDeflation
}): ResidualVerdict {
  const reasons: ResidualVerdict['reasons'] = []
  if (verdict.level === 'withheld')
    reasons.push({
      code: 'record_withheld',
      message: 'The verdict on the record is withheld, so nothing can be said about what remains of it.',
    })
  if (periods < minPeriods)
    reasons.push({
      code: 'short_record',
      message: `${periods} periods prove nothing: at least ${minPeriods} are needed.`,
    })
  const name = `The Deflated Sharpe ratio of what the factors leave${trials === 1 ? '' : `, for ${trials.toLocaleString('en')} trials,`}`
  const shown = (value: number) => (Math.floor(value * 1_000) / 1_000).toFixed(3)
  const isPassed = dsr !== null && dsrSerial !== null && dsr >= confidence && dsrSerial >= confidence
  if (dsr === null || dsrSerial === null)
    reasons.push({
      code: 'dsr_undefined',
      message: `${name} is undefined: the factors leave nothing that varies.`,
    })
  else if (alpha <= 0)
    reasons.push({
      code: 'no_alpha',
      message: 'Alpha is not above 0: the factors explain all of the return.',
    })
  else if (dsr < confidence)
    reasons.push({
      code: 'dsr_fails',
      message: `${name} is ${shown(dsr)}, below the required ${confidence}: the factors explain the record, or luck does.`,
    })
  else if (dsrSerial < confidence)
    reasons.push({
      code: 'serial_correlation',
      message: `${name} is ${shown(dsr)}, but only ${shown(dsrSerial)} after allowing for serial correlation; at least ${confidence} is required.`,
    })
  else
    reasons.push({
      code: 'dsr_passes',
      message: `${name} is ${shown(dsr)}, and at least ${confidence} is required: the factors do not explain the record.`,
    })
  const isUnexplained = isPassed && alpha > 0 && periods >= minPeriods
  return {
    level: verdict.level === 'withheld' ? 'withheld' : isUnexplained ? 'unexplained' : 'explained',
    reasons,
  }
}

const minWindow = 36
/** Multiplications of all windows; more would occupy a thread for seconds. */
const maxRollingWork = 3e9

function writeRolling(
  series: FactorSeries,
  { returns }: AlignedFactors,
  excess: Float64Array,
  startOf: (i: number) => string,
  periodsPerYear: number,
): FactorsUsed['rolling'] {
  const window = series.window ?? Math.max(minWindow, Math.round(periodsPerYear))
  const width = returns.length + 1
  if (window <= width)
    throw new Failure(
      'parameter_invalid',
      `factors.window is ${window}, but a regression on ${returns.length} factors needs at least ${width + 1} periods.`,
      { param: 'factors.window' },
    )
  const work = (excess.length - window + 1) * window * 2 * width * width
  if (window > excess.length || work > maxRollingWork) return null
  const [alpha, ...betas] = rollingCoefficients(returns, excess, window)
  return {
    window,
    dates: Array.from(excess, (_, i) => startOf(i)),
    alpha_annual: alpha.map(value => finiteOrNull(value === null ? null : value * periodsPerYear)),
    betas: series.names.map((factor, k) => ({ factor, values: betas[k].map(finiteOrNull) })),
  }
}
