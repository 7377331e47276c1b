import { type Static, Type } from '@sinclair/typebox'
import { combinations } from './requestColumns.ts'
import { count, numberOrNull, strict } from './resultMetrics.ts'

const Ic = Type.Object(
  {
    mean: numberOrNull('Mean rank correlation of score and forward return.'),
    sd: numberOrNull('Standard deviation of the correlation over periods (ddof 1).'),
    ir: numberOrNull('mean / sd, per period.'),
    t_stat: numberOrNull('mean / sd * sqrt(n_periods).'),
    n_periods: count('Periods in which the correlation exists.'),
  },
  { ...strict, $id: 'ScoreCorrelation' },
)

export const BacktestByGroup = Type.Array(
  Type.Object(
    {
      group: Type.Union([Type.String(), Type.Null()], { description: 'null: names without a group.' }),
      n_rows: count('Eligible rows.'),
      ic: Ic,
      quantiles: Type.Array(
        Type.Object(
          {
            bucket: Type.Integer({ minimum: 1, maximum: 10 }),
            mean_return: numberOrNull(
              'Equal-weight return of the names of the group in the bucket, averaged over periods.',
            ),
            n_periods: count('Periods in which such a return is known.'),
          },
          { ...strict, $id: 'GroupBucket' },
        ),
        { description: 'Buckets of all names of the date, 1 with the lowest scores.' },
      ),
    },
    { ...strict, $id: 'GroupOfScores' },
  ),
  {
    description:
      'With include by_group: rank IC and returns of score buckets of the names of each group, in the order of the groups.',
  },
)
export type BacktestByGroup = Static<typeof BacktestByGroup>

export const BacktestNeutralised = Type.Object(
  {
    definition: Type.String({ description: 'What was taken out of the scores.' }),
    rows_without_exposure: count(
      'Rows of used dates with a score, but without a market, group or column that is taken out. They have no score any more and are among dropped.rows_without_score. With several scores, of the first.',
    ),
    rows_without_residual: count(
      'Rows of used dates with no more names than estimates, so that nothing of the scores remains. They are among dropped.rows_without_score. With several scores, of the first.',
    ),
    periods_without_residual: count('Periods of such dates.'),
    periods_with_redundant_columns: count(
      'Periods in which a column was left out, because the markets, groups and other columns determine it. The residuals are the same.',
    ),
  },
  { ...strict, $id: 'BacktestNeutralised', description: 'With config.neutralise: how it went.' },
)
export type BacktestNeutralised = Static<typeof BacktestNeutralised>

const names = Type.Array(Type.String(), { description: 'The columns, as sent.' })

export const BacktestScores = Type.Object(
  {
    columns: names,
    variants: Type.Array(
      Type.Object(
        {
          name: Type.String({
            description: 'The column, or the combination; also in the labels of its trials.',
          }),
          combine: Type.Union([...combinations.map(name => Type.Literal(name)), Type.Null()], {
            description: 'null: a column by itself.',
          }),
          ic: Ic,
          best_label: Type.String({ description: 'The trial of this score with the highest judged_sharpe.' }),
          sharpe: numberOrNull('Annualised Sharpe ratio of net returns of that trial.'),
          judged_sharpe: numberOrNull('That of the net return minus that of the benchmark.'),
        },
        { ...strict, $id: 'ScoreVariant' },
      ),
      { description: 'Each column alone, then the combinations. All of them are among trials.' },
    ),
    correlation: Type.Object(
      {
        mean: Type.Array(Type.Array(numberOrNull('null: it exists in no period.')), {
          description:
            'Mean over periods of the rank correlation of each pair of columns, over the names that have both; rows and columns as columns.',
        }),
        n_periods: Type.Array(Type.Array(count('Periods in which the correlation exists.'))),
      },
      { ...strict, $id: 'ScoreCorrelations' },
    ),
    weights: Type.Array(
      Type.Object(
        {
          date: Type.String({ format: 'date', description: 'First day of a period.' }),
          weights: Type.Array(Type.Number(), { description: 'In the order of columns.' }),
          training_periods: count('Periods whose returns ended before the date, with an IC of every column.'),
        },
        { ...strict, $id: 'ScoreWeights' },
      ),
      { description: 'The weights of ic_weighted in each period.' },
    ),
  },
  {
    ...strict,
    $id: 'BacktestScores',
    description:
      'With scores: each column alone and combined. Scores are as ranked, so after config.neutralise.',
  },
)
export type BacktestScores = Static<typeof BacktestScores>
