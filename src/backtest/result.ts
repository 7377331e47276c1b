import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Horizon } from '../horizons.ts'
import { BacktestScore, PanelScore } from './figureScore.ts'
import { BacktestConfig, BacktestInclude, BacktestSource, BacktestSweep, PanelId } from './request.ts'
import { BacktestBenchmark } from './requestBenchmark.ts'
import { Scores } from './requestColumns.ts'
import { BacktestCompare } from './requestCompare.ts'
import { BacktestEvidence } from './requestEvidence.ts'
import { BacktestFactors } from './requestFactors.ts'
import { BacktestPrices } from './requestPrices.ts'
import { TrialsAlreadyTried } from './requestTrials.ts'
import { BacktestComparison } from './resultCompare.ts'
import { BacktestCurves } from './resultCurves.ts'
import { EvidenceUsed } from './resultEvidence.ts'
import { FactorsUsed } from './resultFactors.ts'
import {
  BacktestConfigUsed,
  BacktestMetrics,
  BenchmarkUsed,
  count,
  numberOrNull,
  strict,
  sweepFields,
} from './resultMetrics.ts'
import { performanceFields } from './resultPerformance.ts'
import { BacktestPricesUsed } from './resultPrices.ts'
import { BacktestByGroup, BacktestNeutralised, BacktestScores } from './resultScores.ts'
import { tradingFields } from './resultTrading.ts'
import { BacktestVerdict } from './resultVerdict.ts'

const dateOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const list = <T extends TSchema>(item: T, description: string) => Type.Array(item, { description })

export const BacktestFold = Type.Object(
  {
    fold: Type.Integer({ minimum: 1, description: 'Number of the fold, in order of time.' }),
    train_start: dateOrNull('Date of the first training period; null if the purge leaves none.'),
    train_end: dateOrNull('Date of the last training period; its return ends on or before test_start.'),
    test_start: Type.String({ description: 'Date of the first test period.' }),
    test_end: Type.String({ description: 'Date of the last test period.' }),
    n_periods: count('Test periods.'),
    label: Type.String({ description: 'The configuration traded.' }),
    train_sharpe: numberOrNull('Annualised Sharpe ratio of the training periods.'),
    judged_train_sharpe: numberOrNull(
      'The same of the net return minus that of the benchmark: in a sweep, the fold trades the configuration with the highest.',
    ),
    sharpe: numberOrNull('Annualised Sharpe ratio of the test periods.'),
    judged_sharpe: numberOrNull('The same of the net return minus that of the benchmark.'),
    cagr: numberOrNull('Compound annual growth rate of the test periods.'),
    max_drawdown: numberOrNull('Largest decline within the test periods.'),
  },
  { ...strict, $id: 'BacktestFold' },
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
            description: 'null: rows without a market.',
          }),
          round_trip_bps: Type.Number({ description: 'Cost of a round trip.' }),
          is_default: Type.Boolean({ description: 'True if the market has no manifest.' }),
          source: Type.String({ description: 'Where the cost comes from.' }),
          date: Type.String({ description: 'Day on which the cost last changed.' }),
        },
        { ...strict, $id: 'MarketCost' },
      ),
      'Cost of each market in the rows used; empty with a flat cost.',
    ),
  },
  { ...strict, $id: 'BacktestCosts', description: 'Costs used.' },
)
export type BacktestCosts = Static<typeof BacktestCosts>

export const BacktestDropped = Type.Object(
  {
    rows_over_limit: count('Rows of early dates that source.limit excluded.'),
    rows_off_step: count('Rows of dates that were skipped because their returns overlap.'),
    rows_without_score: count(
      'Rows of used dates that have no score and so are not eligible. With source.score: rows of companies that have no figure on that date, or only one that is too old.',
    ),
    rows_without_return: count('Eligible rows whose return is unknown; they stay eligible.'),
    held_without_return: count('Held names whose return is unknown, summed over periods; each earned 0.'),
  },
  {
    ...strict,
    $id: 'BacktestDropped',
    description: 'Rows that were excluded, have no score or have no return.',
  },
)
export type BacktestDropped = Static<typeof BacktestDropped>

export const BacktestWarning = Type.Object(
  {
    code: Type.Union(
      [
        Type.Literal('overlapping_returns'),
        Type.Literal('score_is_return'),
        Type.Literal('too_good'),
        Type.Literal('no_name_ever_leaves'),
        Type.Literal('default_costs'),
        Type.Literal('neutral_without_market'),
        Type.Literal('fewer_folds'),
        Type.Literal('no_positions'),
        Type.Literal('ruined'),
        Type.Literal('returns_like_percent'),
        Type.Literal('few_names'),
        Type.Literal('few_dates'),
        Type.Literal('empty_periods'),
        Type.Literal('costs_after_trading'),
        Type.Literal('late_entry'),
      ],
      { description: 'Stable name of the warning.' },
    ),
    message: Type.String({ description: 'What was found, and what to do about it.' }),
  },
  { ...strict, $id: 'BacktestWarning' },
)
export type BacktestWarning = Static<typeof BacktestWarning>

export const BacktestSourceUsed = Type.Object(
  {
    market: Type.Union([Type.String(), Type.Null()], { description: 'null: all markets.' }),
    horizon: Horizon,
    from: dateOrNull('null: from the first date.'),
    to: dateOrNull('null: to the last date.'),
    limit: Type.Union([Type.Integer(), Type.Null()], { description: 'null: all rows.' }),
    score: Type.Optional(Type.String({ description: 'The metric used as the score; absent: the forecast.' })),
    maxAgeDays: Type.Optional(Type.Integer({ description: 'With score.' })),
    checks: Type.Optional(
      Type.String({ description: 'As sent, with score; absent: figures in all states.' }),
    ),
    prices: Type.Optional(
      Type.String({ description: 'As sent, with a valuation as score; absent: the set that the key sees.' }),
    ),
  },
  {
    ...strict,
    $id: 'BacktestSourceUsed',
    description: 'The source with every default filled in; absent for a panel.',
  },
)
export type BacktestSourceUsed = Static<typeof BacktestSourceUsed>

export const BacktestRequestUsed = Type.Object(
  {
    data_version: Type.Optional(Type.Integer()),
    source: Type.Optional(BacktestSource),
    panel: Type.Optional(PanelId),
    config: Type.Optional(BacktestConfig),
    sweep: Type.Optional(Type.Union([Type.Boolean(), BacktestSweep])),
    include: Type.Optional(Type.Array(BacktestInclude)),
    evidence: Type.Optional(BacktestEvidence),
    benchmark: Type.Optional(BacktestBenchmark),
    score: Type.Optional(PanelScore),
    compare: Type.Optional(BacktestCompare),
    scores: Type.Optional(Scores),
    trials_already_tried: Type.Optional(TrialsAlreadyTried),
    factors: Type.Optional(BacktestFactors),
    prices: Type.Optional(BacktestPrices),
  },
  {
    ...strict,
    $id: 'BacktestRequestUsed',
    description:
      'The request that gives this result again, to the bit, whatever was imported or corrected since: send it as it is. Rows that were in the body have to be added as `panel`.',
  },
)
export type BacktestRequestUsed = Static<typeof BacktestRequestUsed>

export const BacktestUniverse = Type.Object(
  {
    definition: Type.String({ description: 'Which rows it has, and with which weights.' }),
    names_per_period: Type.Number({ description: 'Mean number of its names.' }),
  },
  {
    ...strict,
    $id: 'BacktestUniverse',
    description: 'What the information ratio compares the portfolio with.',
  },
)

const included = {
  ic: Type.Optional(
    Type.Object(
      {
        mean: numberOrNull('Mean rank correlation of score and forward return.'),
        sd: numberOrNull('Standard deviation of the correlation over periods (ddof 1).'),
        ir: numberOrNull('mean / sd, per period.'),
        t_stat: numberOrNull('mean / sd * sqrt(n_periods); null where sd is 0 or does not exist.'),
        n_periods: count('Periods in which the correlation exists.'),
        note: Type.Optional(Type.String({ description: 'Why t_stat is null; absent where it is a number.' })),
      },
      {
        ...strict,
        $id: 'InformationCoefficient',
        description: 'With include ic: rank information coefficient.',
      },
    ),
  ),
  quantiles: Type.Optional(
    list(
      Type.Object(
        {
          bucket: Type.Integer({
            minimum: 1,
            maximum: 10,
            description: '1 has the lowest scores, 10 the highest.',
          }),
          mean_return: numberOrNull('Equal-weight return of the bucket, averaged over periods.'),
          n_periods: count('Periods in which a return of the bucket is known.'),
        },
        { ...strict, $id: 'ScoreBucket' },
      ),
      'With include quantiles: mean return of each of ten score buckets.',
    ),
  ),
  monthly: Type.Optional(
    list(
      Type.Object(
        {
          year: Type.Integer({ description: 'Calendar year.' }),
          months: list(
            numberOrNull('Net return; null for a month without a period.'),
            'January to December.',
          ),
          total: numberOrNull('Net return of the year.'),
        },
        { ...strict, $id: 'YearOfReturns' },
      ),
      'With include monthly: net returns by month, taken from the date of each period, up to the end of the curve.',
    ),
  ),
  positions: Type.Optional(
    list(
      Type.Object(
        {
          asset: Type.String({ description: 'The name.' }),
          market: Type.Union([Type.String(), Type.Null()], {
            description: 'Market of the name in its latest row.',
          }),
          weight: Type.Number({ description: 'Signed share of the equity.' }),
        },
        { ...strict, $id: 'BacktestPosition' },
      ),
      'With include positions: the final portfolio, largest weight first.',
    ),
  ),
}

export const BacktestResult = Type.Object(
  {
    object: Type.Literal('backtest_result', { description: 'Always backtest_result.' }),
    data_version: Type.Optional(
      Type.Integer({
        description: 'Data version of the archive. With a panel only if the request names one.',
      }),
    ),
    source: Type.Optional(BacktestSourceUsed),
    score: Type.Optional(BacktestScore),
    prices: Type.Optional(BacktestPricesUsed),
    request: Type.Optional(BacktestRequestUsed),
    n_rows: count('Rows used: those with a score, on dates that became periods.'),
    n_dates: count('Dates in the panel, or in the part of the archive that source selects.'),
    n_periods: count('Number of periods. A period starts on every step-th date.'),
    n_empty_periods: count(
      'Periods in which the portfolio held nothing. They earn 0, and count in neither information_ratio nor hit_rate.',
    ),
    periods_per_year: Type.Number({
      description:
        '252 / step for daily dates (spacing 1). Otherwise 365.25 / (step * mean calendar gap of the dates), set to the nearest of 52, 26, 24, 12, 6, 4, 2 and 1 if within 4% of it.',
    }),
    spacing: Type.Number({ description: 'Median gap between dates, in business days.' }),
    step: Type.Integer({ description: 'Number of dates from one period to the next.' }),
    config: BacktestConfigUsed,
    benchmark: BenchmarkUsed,
    verdict: BacktestVerdict,
    metrics: BacktestMetrics,
    equity_curve: list(
      numberOrNull('Net value of an initial 1.'),
      'Net value of an initial 1, at the start and after each period.',
    ),
    equity_dates: list(
      Type.String({ format: 'date' }),
      'Day of each point of equity_curve: the day on which a period begins. The last point is the business day on which the last return ends.',
    ),
    folds: list(
      BacktestFold,
      'Walk-forward record on unseen blocks. In a sweep, each fold trades the configuration that was best before it.',
    ),
    dropped: BacktestDropped,
    universe: BacktestUniverse,
    costs: BacktestCosts,
    warnings: list(BacktestWarning, 'What a reader should know before trusting the numbers.'),
    ...sweepFields,
    curves: Type.Optional(BacktestCurves),
    evidence: Type.Optional(EvidenceUsed),
    compare: Type.Optional(BacktestComparison),
    factors: Type.Optional(FactorsUsed),
    ...included,
    by_group: Type.Optional(BacktestByGroup),
    neutralised: Type.Optional(BacktestNeutralised),
    scores: Type.Optional(BacktestScores),
    ...performanceFields,
    ...tradingFields,
  },
  { ...strict, $id: 'BacktestResult', description: 'A costed cross-sectional backtest.' },
)
export type BacktestResult = Static<typeof BacktestResult>
