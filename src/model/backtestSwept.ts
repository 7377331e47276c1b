import { type Static, Type } from '@sinclair/typebox'
import { BacktestConfigUsed, BacktestMetrics } from './backtestMetrics.ts'

const strict = { additionalProperties: false } as const
const numberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

/** What a result of a sweep says besides. */
export const sweptFields = {
  best: Type.Optional(
    Type.Object(
      {
        label: Type.String({ description: 'Name of the configuration with the highest Sharpe ratio.' }),
        config: BacktestConfigUsed,
        metrics: BacktestMetrics,
      },
      { ...strict, description: 'With sweep: the winner, and its record as a configuration of its own.' },
    ),
  ),
  trials: Type.Optional(
    Type.Array(
      Type.Object(
        {
          label: Type.String({ description: 'The configuration.' }),
          sharpe: numberOrNull('Annualised Sharpe ratio of net returns.'),
          cagr: numberOrNull('Compound annual growth rate.'),
          max_drawdown: numberOrNull('Largest fall from a running peak.'),
          avg_turnover: numberOrNull('Mean of 1/2 sum |dw| per period.'),
        },
        strict,
      ),
      { description: 'With sweep: every configuration that was tried, in the order of the grid.' },
    ),
  ),
  deflated_sharpe: Type.Optional(
    Type.Object(
      {
        dsr: numberOrNull(
          'Probability that the winner beats what the best of as many worthless trials shows.',
        ),
        survives: Type.Boolean({ description: 'True where dsr is at least .95.' }),
        trials: count('Configurations tried.'),
        sharpe_per_period: numberOrNull("The winner's Sharpe ratio, not annualised."),
        sharpe_threshold: Type.Number({
          description: 'Sharpe ratio per period that the best of the worthless trials is expected to show.',
        }),
        trials_variance: Type.Number({ description: "Variance of the trials' Sharpe ratios per period." }),
        skew: numberOrNull("Skewness of the winner's net returns."),
        kurtosis_raw: numberOrNull('Their kurtosis; 3 for a normal distribution.'),
        n_periods: count('Periods of the record.'),
        trials_effective: Type.Number({
          description: 'Independent trials that the correlated ones amount to.',
        }),
        dsr_effective: numberOrNull('dsr with trials_effective in place of trials.'),
        psr: numberOrNull('Probability that the true Sharpe ratio is above 0, had nothing else been tried.'),
        min_track_record_periods: numberOrNull(
          'Periods that the same record needs for a psr of .95; null where its Sharpe ratio is not above 0.',
        ),
        pbo: numberOrNull(
          'Probability of backtest overfitting: how often the best half-record is in the lower half of the other half. null with fewer than 20 periods or 2 trials.',
        ),
      },
      {
        ...strict,
        description: 'With sweep: the Sharpe ratio of the winner, less what trying many explains.',
      },
    ),
  ),
}

const fields = Type.Required(Type.Object(sweptFields))
export type SweptFields = Static<typeof fields>
