import { type Static, type TSchema, Type } from '@sinclair/typebox'
import {
  BacktestConfigUsed,
  BacktestMetrics,
  count,
  numberOrNull,
  strict,
  sweepFields,
} from './resultMetrics.ts'

const dateOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const list = <T extends TSchema>(item: T, description: string) => Type.Array(item, { description })

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
    rows_without_score: count(
      'Rows of used dates without a score: not eligible. With source.score, those of companies without a figure, or with too old a one, on that date.',
    ),
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

export const BacktestScore = Type.Object(
  {
    metric: Type.String({ description: 'The metric that was the score.' }),
    definition: Type.String({ description: 'What the metric is.' }),
    unit: Type.String({ description: 'Unit of the figures; those in any other unit were no score.' }),
    market: Type.String({ description: 'Whose companies were ranked.' }),
    fiscal_period: Type.Literal('FY', { description: 'Full fiscal years, the latest known.' }),
    known: Type.Literal('filed before the date', {
      description: 'What was filed on the date itself is not known yet.',
    }),
    max_age_days: Type.Integer({
      description: 'Days after the end of its fiscal year for which a figure counts.',
    }),
    n_names: count('Names of the archive in this market.'),
    n_assets: count(
      'Those of them of which any such figure is on file. The others are never ranked: names are found by the tickers of today, so companies that were renamed, taken over or delisted since are missing, and the universe leans to survivors.',
    ),
    attribution: Type.String({ description: "The statutory attribution of the market's figures." }),
  },
  { ...strict, description: 'With source.score: what the score of each date is.' },
)
export type BacktestScore = Static<typeof BacktestScore>

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
      "With include monthly: net returns by the month of the period's date, as far as the curve goes.",
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
    score: Type.Optional(BacktestScore),
    n_rows: count('Rows used: of dates that became periods, with a score.'),
    n_dates: count('Dates in the panel, or in the part of the archive that source selects.'),
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
    folds: list(
      BacktestFold,
      'Walk-forward record on unseen blocks. In a sweep each fold trades the configuration that was best before it.',
    ),
    dropped: BacktestDropped,
    costs: BacktestCosts,
    warnings: list(BacktestWarning, 'What a reader should know before trusting the numbers.'),
    ...sweepFields,
    ...included,
  },
  { ...strict, description: 'A costed cross-sectional backtest.' },
)
export type BacktestResult = Static<typeof BacktestResult>
