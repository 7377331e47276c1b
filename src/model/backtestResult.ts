import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { BacktestConfig } from './backtest.ts'

const strict = { additionalProperties: false } as const
const numberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })
const dateOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const count = (description: string) => Type.Integer({ minimum: 0, description })
const list = <T extends TSchema>(item: T, description: string) => Type.Array(item, { description })

const { properties: asked } = BacktestConfig

export const BacktestMetrics = Type.Object(
  {
    cagr: numberOrNull('Compound annual growth rate of the net curve; -1 after ruin.'),
    sharpe: numberOrNull(
      'Annualised Sharpe ratio of net returns; null with fewer than two periods or no deviation.',
    ),
    lo_sharpe: numberOrNull('Sharpe ratio annualised for serially correlated returns (Lo 2002).'),
    information_ratio: numberOrNull(
      "Annualised Sharpe ratio of net minus the equal-weight universe's return.",
    ),
    max_drawdown: numberOrNull(
      'Largest fall from a running peak, a fraction <= 0; the starting 1 is a peak.',
    ),
    avg_turnover: numberOrNull('Mean of 1/2 sum |dw| per period.'),
    cost_drag_annual: numberOrNull('Trading and borrow costs in a year, a fraction.'),
    oos_sharpe_mean: numberOrNull("Mean of the folds' Sharpe ratios."),
    gross_sharpe: numberOrNull('Annualised Sharpe ratio before costs.'),
    break_even_cost_bps: numberOrNull('Flat round-trip cost at which the mean net return is 0.'),
    volatility: numberOrNull('Annualised standard deviation of net returns.'),
    hit_rate: numberOrNull('Share of periods with a net return above 0.'),
    sortino: numberOrNull('Annualised mean over downside deviation, target 0.'),
    calmar: numberOrNull('cagr over the size of max_drawdown.'),
    ruined: Type.Boolean({ description: 'True where the curve reached 0 or less; it ends there.' }),
  },
  { ...strict, description: 'Net of costs unless named otherwise.' },
)
export type BacktestMetrics = Static<typeof BacktestMetrics>

export const BacktestFold = Type.Object(
  {
    fold: Type.Integer({ minimum: 1, description: 'Number of the fold, in time.' }),
    train_start: dateOrNull('Date of the first training period; null where the purge leaves none.'),
    train_end: dateOrNull('Date of the last training period; its return ends on or before test_start.'),
    test_start: Type.String({ description: 'Date of the first test period.' }),
    test_end: Type.String({ description: 'Date of the last test period.' }),
    n_periods: count('Test periods.'),
    label: Type.String({ description: 'The configuration traded.' }),
    train_sharpe: numberOrNull('Annualised Sharpe ratio of the training periods.'),
    sharpe: numberOrNull('Annualised Sharpe ratio of the test periods.'),
    cagr: numberOrNull('Compound annual growth rate of the test periods.'),
    max_drawdown: numberOrNull('Largest fall inside the test periods.'),
  },
  strict,
)
export type BacktestFold = Static<typeof BacktestFold>

/** The configuration with every default filled in. */
export const BacktestConfigUsed = Type.Object(
  {
    direction: asked.direction,
    quantile: asked.quantile,
    weighting: asked.weighting,
    holdDays: Type.Number({ description: 'Holding horizon in trading days.' }),
    returnDays: Type.Number({ description: 'Trading days over which a return is earned.' }),
    costBps: numberOrNull("Flat round-trip cost; null: each market's own cost."),
    borrowBps: asked.borrowBps,
    gross: asked.gross,
    neutral: Type.Union([Type.Literal('market'), Type.Null()], { description: 'null: one cross-section.' }),
    drift: asked.drift,
    folds: asked.folds,
  },
  { ...strict, description: 'The configuration with every default filled in.' },
)

export const BacktestCosts = Type.Object(
  {
    flat_bps: numberOrNull('The flat round-trip cost sent as costBps, or null.'),
    borrow_bps: Type.Number({ description: 'Annual short-borrow cost.' }),
    markets: list(
      Type.Object(
        {
          market: Type.Union([Type.String(), Type.Null()], {
            description: 'null: rows that named no market.',
          }),
          round_trip_bps: Type.Number({ description: 'Cost of a round trip.' }),
          is_default: Type.Boolean({ description: 'True where the market has no manifest.' }),
          source: Type.String({ description: 'Where the cost comes from.' }),
          date: Type.String({ description: 'Day on which the cost last changed.' }),
        },
        strict,
      ),
      'Cost of each market in the rows used; empty with a flat cost.',
    ),
  },
  { ...strict, description: 'Costs used.' },
)
export type BacktestCosts = Static<typeof BacktestCosts>

export const BacktestDropped = Type.Object(
  {
    rows_over_limit: count('Rows of earlier dates that source.limit left out.'),
    rows_off_step: count('Rows of dates that were stepped over because their returns overlap.'),
    rows_without_score: count('Rows of used dates without a score: not eligible.'),
    rows_without_return: count('Eligible rows whose return is unknown; they stay eligible.'),
    held_without_return: count('Held names, summed over periods, that earned 0 for want of a return.'),
  },
  { ...strict, description: 'What was left out, or earned nothing.' },
)
export type BacktestDropped = Static<typeof BacktestDropped>

export const BacktestWarning = Type.Object(
  {
    code: Type.Union(
      [
        Type.Literal('overlapping_returns'),
        Type.Literal('default_costs'),
        Type.Literal('neutral_without_market'),
        Type.Literal('fewer_folds'),
        Type.Literal('no_positions'),
        Type.Literal('ruined'),
      ],
      { description: 'Stable name of the warning.' },
    ),
    message: Type.String({ description: 'What was found and what to do about it.' }),
  },
  strict,
)
export type BacktestWarning = Static<typeof BacktestWarning>

const included = {
  ic: Type.Optional(
    Type.Object(
      {
        mean: numberOrNull('Mean rank correlation of score and forward return.'),
        sd: numberOrNull('Its standard deviation over periods, ddof 1.'),
        ir: numberOrNull('mean / sd, per period.'),
        t_stat: numberOrNull('mean / sd * sqrt(n_periods).'),
        n_periods: count('Periods in which the correlation exists.'),
      },
      { ...strict, description: 'With include ic: rank information coefficient.' },
    ),
  ),
  quantiles: Type.Optional(
    list(
      Type.Object(
        {
          bucket: Type.Integer({ minimum: 1, maximum: 10, description: '1 holds the weakest scores.' }),
          mean_return: numberOrNull('Mean over periods of the equal-weight return.'),
          n_periods: count('Periods in which the bucket held a known return.'),
        },
        strict,
      ),
      'With include quantiles: mean return of each of ten score buckets.',
    ),
  ),
  monthly: Type.Optional(
    list(
      Type.Object(
        {
          year: Type.Integer({ description: 'Calendar year.' }),
          months: list(numberOrNull('Net return; null without a period.'), 'January to December.'),
          total: numberOrNull('Net return of the year.'),
        },
        strict,
      ),
      "With include monthly: net returns by the month of the period's date.",
    ),
  ),
  positions: Type.Optional(
    list(
      Type.Object(
        {
          asset: Type.String({ description: 'The name.' }),
          market: Type.Union([Type.String(), Type.Null()], { description: 'Its market at its latest row.' }),
          weight: Type.Number({ description: 'Signed share of the equity.' }),
        },
        strict,
      ),
      'With include positions: the last book, largest weight first.',
    ),
  ),
}

export const BacktestResult = Type.Object(
  {
    object: Type.Literal('backtest_result', { description: 'Always backtest_result.' }),
    data_version: Type.Optional(
      Type.Integer({ description: 'Data version of the archive; absent for a panel.' }),
    ),
    n_rows: count('Rows used: of dates that became periods, with a score.'),
    n_dates: count('Dates in the panel or in the part of the archive asked for.'),
    n_periods: count('Periods: every step-th date.'),
    periods_per_year: Type.Number({ description: '252 / (step * spacing).' }),
    spacing: Type.Number({ description: 'Median business-day gap between dates.' }),
    step: Type.Integer({ description: 'Dates from one period to the next.' }),
    config: BacktestConfigUsed,
    metrics: BacktestMetrics,
    equity_curve: list(numberOrNull('Net value of 1.'), 'Net value of 1 at the start and after each period.'),
    equity_dates: list(
      Type.String({ format: 'date' }),
      'Day of each point of equity_curve: each period begins on its point; the last is the business day on which the last return ends.',
    ),
    folds: list(BacktestFold, 'Walk-forward record on unseen blocks.'),
    dropped: BacktestDropped,
    costs: BacktestCosts,
    warnings: list(BacktestWarning, 'What a reader should know before trusting the numbers.'),
    ...included,
  },
  { ...strict, description: 'A costed cross-sectional backtest.' },
)
export type BacktestResult = Static<typeof BacktestResult>
