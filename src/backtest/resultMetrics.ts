import { type Static, Type } from '@sinclair/typebox'
import { BacktestConfig } from './request.ts'
import { Neutralise, RankBy } from './requestColumns.ts'

export const strict = { additionalProperties: false } as const
export const numberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })

export const BenchmarkUsed = Type.Union(
  [Type.Literal('cash'), Type.Literal('universe'), Type.Literal('series')],
  {
    description:
      'What the record is judged against: cash (a return of 0), the equal-weight return of `universe`, or the series of returns that the request sent.',
  },
)

const { properties: configFields } = Type.Required(BacktestConfig)

export const BacktestMetrics = Type.Object(
  {
    cagr: numberOrNull('Compound annual growth rate of the net curve; -1 after ruin.'),
    sharpe: numberOrNull(
      'Annualised Sharpe ratio of net returns; null with fewer than two periods or zero deviation.',
    ),
    judged_sharpe: numberOrNull(
      'Annualised Sharpe ratio of the net return minus that of `benchmark`, in all periods; equal to sharpe against cash.',
    ),
    lo_sharpe: numberOrNull('Sharpe ratio annualised for serially correlated returns (Lo 2002).'),
    information_ratio: numberOrNull(
      'Annualised Sharpe ratio of the net return minus the return of `universe`, over the periods in which names were held; null without two of them.',
    ),
    max_drawdown: numberOrNull(
      'Largest decline from a running peak, as a fraction <= 0; the starting value 1 counts as a peak.',
    ),
    avg_turnover: numberOrNull(
      'Mean of 1/2 sum |dw| per period; with drift, old weights are shares of the grown portfolio.',
    ),
    cost_drag_annual: numberOrNull('Trading and borrowing costs per year, as a fraction.'),
    oos_sharpe_mean: numberOrNull("Mean of the folds' Sharpe ratios."),
    gross_sharpe: numberOrNull('Annualised Sharpe ratio before costs.'),
    break_even_cost_bps: numberOrNull('Flat round-trip cost at which the mean net return is 0.'),
    volatility: numberOrNull('Annualised standard deviation of net returns.'),
    hit_rate: numberOrNull(
      'Share of the periods in which names were held that had a net return above 1e-12, so that a 0 with a rounding error is no gain; null without one.',
    ),
    sortino: numberOrNull('Annualised mean return divided by downside deviation, with target 0.'),
    calmar: numberOrNull('cagr divided by the absolute value of max_drawdown.'),
    ruined: Type.Boolean({ description: 'True if the curve reached 0 or less; it ends there.' }),
  },
  { ...strict, $id: 'BacktestMetrics', description: 'Net of costs unless stated otherwise.' },
)
export type BacktestMetrics = Static<typeof BacktestMetrics>

export const BacktestConfigUsed = Type.Object(
  {
    direction: configFields.direction,
    quantile: configFields.quantile,
    weighting: configFields.weighting,
    holdDays: Type.Number({ description: 'Holding period in trading days.' }),
    returnDays: Type.Number({ description: 'Trading days over which a return is earned.' }),
    costBps: numberOrNull("Flat round-trip cost; null: each market's own cost."),
    borrowBps: configFields.borrowBps,
    gross: configFields.gross,
    neutral: Type.Union([Type.Literal('market'), Type.Literal('group'), Type.Null()], {
      description: 'null: one cross-section.',
    }),
    drift: configFields.drift,
    neutralise: Type.Optional(Neutralise),
    rankBy: Type.Optional(RankBy),
    folds: configFields.folds,
    rebalance: Type.Optional(configFields.rebalance),
    trading: Type.Optional(configFields.trading),
  },
  { ...strict, $id: 'BacktestConfigUsed', description: 'The configuration with every default filled in.' },
)

export const count = (description: string) => Type.Integer({ minimum: 0, description })

/** The additional fields in the result of a sweep. */
export const sweepFields = {
  sweep: Type.Optional(
    Type.Object(
      {
        direction: Type.Array(configFields.direction),
        quantile: Type.Array(configFields.quantile),
        weighting: Type.Array(configFields.weighting),
        holdDays: Type.Array(Type.Number()),
      },
      {
        ...strict,
        $id: 'BacktestGrid',
        description: 'With sweep: the values of each field that were combined, with every default filled in.',
      },
    ),
  ),
  best: Type.Optional(
    Type.Object(
      {
        label: Type.String({ description: 'Label of the configuration with the highest judged_sharpe.' }),
        config: BacktestConfigUsed,
        metrics: BacktestMetrics,
      },
      {
        ...strict,
        $id: 'BacktestBest',
        description: 'With sweep: the configuration with the highest judged_sharpe, and its metrics.',
      },
    ),
  ),
  trials: Type.Optional(
    Type.Array(
      Type.Object(
        {
          label: Type.String({ description: 'The configuration.' }),
          sharpe: numberOrNull('Annualised Sharpe ratio of net returns.'),
          judged_sharpe: numberOrNull(
            'Annualised Sharpe ratio of the net return minus that of its benchmark; the winner has the highest.',
          ),
          benchmark: BenchmarkUsed,
          cagr: numberOrNull('Compound annual growth rate.'),
          max_drawdown: numberOrNull('Largest decline from a running peak.'),
          avg_turnover: numberOrNull('Mean of 1/2 sum |dw| per period.'),
        },
        { ...strict, $id: 'BacktestTrial' },
      ),
      { description: 'With sweep: every configuration tried, in grid order.' },
    ),
  ),
  deflated_sharpe: Type.Optional(
    Type.Object(
      {
        dsr: numberOrNull(
          'Deflated Sharpe ratio: probability that the true Sharpe ratio of the winner is above sharpe_threshold.',
        ),
        survives: Type.Boolean({ description: 'True if dsr is at least .95.' }),
        trials: count('Configurations tried, `trials_already_tried` included.'),
        sharpe_per_period: numberOrNull("The winner's judged_sharpe, not annualised."),
        sharpe_threshold: Type.Number({
          description:
            'Sharpe ratio per period that the best of as many trials without skill is expected to show.',
        }),
        trials_variance: Type.Number({
          description:
            "Variance of the trials' judged Sharpe ratios per period. With trials_already_tried, see verdict.already_tried.",
        }),
        skew: numberOrNull("Skewness of the winner's judged returns."),
        kurtosis_raw: numberOrNull("Kurtosis of the winner's judged returns; 3 for a normal distribution."),
        n_periods: count('Periods of the record.'),
        trials_distinct: count(
          'Trials whose records differ; those already tried count as different. Where few names are ranked, several configurations hold the same portfolio.',
        ),
        trials_effective: Type.Number({
          description:
            'Number of independent trials that the correlated trials are equivalent to; those with the same record count once, and each of those already tried in full.',
        }),
        dsr_effective: numberOrNull('dsr computed with trials_effective instead of trials.'),
        psr: numberOrNull(
          'Probability that the true Sharpe ratio is above 0, as if the winner were the only trial.',
        ),
        min_track_record_periods: numberOrNull(
          'Periods that a record of this quality needs for a psr of .95; null if its Sharpe ratio is not above 0.',
        ),
        pbo: numberOrNull(
          'Probability of backtest overfitting: how often the configuration that is best on one half of the record ranks in the lower half on the other. null with fewer than 20 periods, or fewer than two records that vary and differ.',
        ),
      },
      {
        ...strict,
        $id: 'DeflatedSharpe',
        description:
          'With sweep: the judged Sharpe ratio of the winner, corrected for the number of configurations tried.',
      },
    ),
  ),
}

const fields = Type.Required(Type.Object(sweepFields))
export type SweepFields = Static<typeof fields>
