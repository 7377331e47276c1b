import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { count, numberOrNull, strict } from './resultMetrics.ts'

const list = <T extends TSchema>(item: T, description: string) => Type.Array(item, { description })
const perPeriod = (description: string) => list(Type.Number(), description)
const day = (description: string) => Type.String({ description })

const ComparedSeries = Type.Object(
  {
    series: Type.Union([Type.Literal('net'), Type.Literal('gross'), Type.Literal('universe')], {
      description: 'The portfolio after costs, before costs, or the equal-weight return of the universe.',
    }),
    cagr: numberOrNull('Compound annual growth rate.'),
    sharpe: numberOrNull('Annualised Sharpe ratio.'),
    sharpe_per_period: numberOrNull('The same, not annualised.'),
    volatility: numberOrNull('Annualised standard deviation.'),
    max_drawdown: numberOrNull('Largest decline from a running peak.'),
    skew: numberOrNull('Skewness of the returns of periods.'),
    kurtosis_raw: numberOrNull('Kurtosis of the returns of periods; 3 for a normal distribution.'),
    value_at_risk: numberOrNull('Loss that 95 of 100 periods stay below: minus the .05 quantile.'),
    expected_shortfall: numberOrNull('Mean loss of the periods that are as bad as value_at_risk or worse.'),
  },
  { ...strict, $id: 'ComparedSeries' },
)

const LegRecord = Type.Object(
  {
    leg: Type.Union([Type.Literal('long'), Type.Literal('short')], { description: 'Side of the portfolio.' }),
    return_annual: numberOrNull('Mean return per year that the leg adds before costs, as a share of equity.'),
    sharpe: numberOrNull('Annualised Sharpe ratio before costs.'),
    sharpe_per_period: numberOrNull('The same, not annualised.'),
    volatility: numberOrNull('Annualised standard deviation.'),
    hit_rate: numberOrNull('Share of periods in which the leg earned more than 0.'),
    returns: list(numberOrNull('Return before costs.'), 'What the leg adds in each period.'),
  },
  { ...strict, $id: 'LegRecord' },
)

const Drawdown = Type.Object(
  {
    peak: day('Day of the peak.'),
    trough: day('Day of the lowest point.'),
    recovered: Type.Union([Type.String(), Type.Null()], {
      description: 'First day back at the peak; null: not by the end.',
    }),
    depth: numberOrNull('Value at the trough over that at the peak, less 1.'),
    days_to_trough: count('Calendar days from peak to trough.'),
    days_to_recover: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'Calendar days from trough to recovery; null: not by the end.',
    }),
  },
  { ...strict, $id: 'Drawdown' },
)

const MarketRecord = Type.Object(
  {
    market: Type.Union([Type.String(), Type.Null()], { description: 'null: rows without a market.' }),
    n_rows: count('Rows of the market on dates that became periods.'),
    gross_return_annual: numberOrNull('Mean return per year that its names add before costs.'),
    sharpe: numberOrNull('Annualised Sharpe ratio of what its names add before costs.'),
    trading_cost_annual: numberOrNull('Trading cost of its names per year.'),
  },
  { ...strict, $id: 'MarketRecord' },
)

export const performanceFields = {
  performance: Type.Optional(
    Type.Object(
      {
        compared: list(ComparedSeries, 'Net, gross and universe side by side.'),
        legs: list(LegRecord, 'The legs apart; only the long one with long_only. They sum to gross.'),
        markets: list(MarketRecord, 'The markets with the most rows, at most 12. All of them sum to gross.'),
        drawdowns: list(Drawdown, 'The ten deepest drawdowns of equity_curve, deepest first.'),
        turnover: perPeriod('Turnover of each period.'),
        exposure_long: perPeriod('Sum of the weights held long in each period, as a share of equity.'),
        exposure_short: perPeriod('Sum of the weights held short in each period, as a positive number.'),
        rolling_window: Type.Integer({
          description: 'Periods of rolling_sharpe and rolling_volatility: a year.',
        }),
        rolling_sharpe: list(
          numberOrNull('Annualised; null until the window is full.'),
          'Sharpe ratio of the window that ends with each period, net.',
        ),
        rolling_volatility: list(
          numberOrNull('Annualised; null until the window is full.'),
          'Volatility of the window that ends with each period, net.',
        ),
      },
      {
        ...strict,
        $id: 'Performance',
        description:
          'With include performance: the record in detail. Element t of a list of periods begins on equity_dates[t]; after ruin the lists continue, although the curve has ended.',
      },
    ),
  ),
  ic_decay: Type.Optional(
    list(
      Type.Object(
        {
          periods_ahead: Type.Integer({
            minimum: 1,
            description: '1: the return that follows the score at once; k: that of the k-th period alone.',
          }),
          mean: numberOrNull('Mean rank correlation of score and that return.'),
          sd: numberOrNull('Standard deviation over periods (ddof 1).'),
          t_stat: numberOrNull('mean / sd * sqrt(n_periods).'),
          n_periods: count('Periods in which the correlation exists.'),
        },
        { ...strict, $id: 'InformationDecay' },
      ),
      'With include ic_decay: how long a score keeps its information, at 1, 2, 3, 5, 10 and 21 periods ahead.',
    ),
  ),
  capacity: Type.Optional(
    Type.Object(
      {
        participation: Type.Number({
          description: "Largest share of a name's dollar volume of the date that one trade may be.",
        }),
        capital_median: numberOrNull(
          "Median over periods of the largest capital at which trades within that limit are at least 95% of the period's traded weight.",
        ),
        capital_p5: numberOrNull('The .05 quantile of the same: the capital that 19 of 20 periods allow.'),
        strict_median: numberOrNull(
          'Median over periods of the largest capital at which every trade is within the limit.',
        ),
        share_without_volume: numberOrNull(
          'Share of the traded weight without a volume, or with one of 0. None of it can be traded.',
        ),
        n_periods: count('Periods with trades.'),
        unit: Type.Literal('that of dollar_volume', { description: 'Unit of every capital.' }),
      },
      {
        ...strict,
        $id: 'Capacity',
        description:
          'With include capacity: the capital that the trades of each rebalance allow, by the volume in the row of its date. A panel with dollar_volume is required. null without a trade.',
      },
    ),
  ),
  quantile_returns: Type.Optional(
    list(
      Type.Object(
        {
          bucket: Type.Integer({
            minimum: 1,
            maximum: 10,
            description: '1 has the lowest scores, 10 the highest.',
          }),
          mean_return: numberOrNull('Equal-weight return of the bucket, averaged over periods.'),
          standard_error: numberOrNull('Standard deviation over periods (ddof 1) / sqrt(n_periods).'),
          n_periods: count('Periods in which a return of the bucket is known.'),
          years: list(
            Type.Object(
              {
                year: Type.Integer({ description: 'Calendar year in which the periods begin.' }),
                mean_return: numberOrNull('Mean over the periods of the year.'),
                standard_error: numberOrNull('Likewise.'),
                n_periods: count('Periods of the year with a known return.'),
              },
              { ...strict, $id: 'ScoreBucketYear' },
            ),
            'The same by calendar year.',
          ),
        },
        { ...strict, $id: 'ScoreBucketReturns' },
      ),
      'With include quantile_returns: the return of each of ten score buckets over time, with standard errors.',
    ),
  ),
}

const fields = Type.Required(Type.Object(performanceFields))
export type PerformanceFields = Static<typeof fields>
