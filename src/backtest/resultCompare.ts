import { type Static, Type } from '@sinclair/typebox'
import { vintageChoices } from './requestCompare.ts'
import { count, numberOrNull, strict } from './resultMetrics.ts'
import { BacktestVerdict } from './resultVerdict.ts'

const choice = (description: string) =>
  Type.Union(
    vintageChoices.map(name => Type.Literal(name)),
    { description },
  )

const BacktestVariant = Type.Object(
  {
    vintages: choice('Which vintages of the figures rank the names.'),
    meaning: Type.String({ description: 'The same in a sentence.' }),
    sharpe: numberOrNull('Annualised Sharpe ratio of net returns, as in metrics.'),
    sharpe_per_period: numberOrNull('The same per period, not annualised.'),
    judged_sharpe: numberOrNull('Annualised Sharpe ratio of the net return minus that of `benchmark`.'),
    cagr: numberOrNull('Compound annual growth rate of the net curve; -1 after ruin.'),
    volatility: numberOrNull('Annualised standard deviation of net returns.'),
    max_drawdown: numberOrNull('Largest decline from a running peak, as a fraction <= 0.'),
    avg_turnover: numberOrNull('Mean of 1/2 sum |dw| per period.'),
    n_periods: count('Number of periods, the same for all variants.'),
    n_empty_periods: count('Periods in which the portfolio held nothing.'),
    names_per_period: Type.Number({ description: 'Mean number of names with a score per period.' }),
    n_assets: count('Names that have a score on some date.'),
    verdict: Type.Union([BacktestVerdict, Type.Null()], {
      description:
        'as_known: that of the result. first_filed: it counts as the second of two trials, because a reader may choose the better one: its dsr is that of 2 trials, whose variance is the one that chance gives, and its spa_level is halved. null for final.',
    }),
    withheld: Type.Boolean({ description: 'True for final, which has no verdict.' }),
    why: Type.Optional(Type.String({ description: 'Why the verdict is withheld.' })),
  },
  { ...strict, $id: 'BacktestVariant', description: 'The configuration with one choice of vintages.' },
)

const SharpeDifference = Type.Object(
  {
    vintages: choice('The variant.'),
    minus: choice('What is subtracted from it: as_known.'),
    sharpe: numberOrNull(
      'Difference of the annualised Sharpe ratios of net returns; null if one of them is.',
    ),
    low: numberOrNull(
      'Lower bound of the difference. Both bounds are null if the records differ in too few periods, or have too few blocks, for an interval.',
    ),
    high: numberOrNull('Upper bound of the difference.'),
    sharpe_per_period: numberOrNull('The difference per period, not annualised.'),
    low_per_period: numberOrNull('Its lower bound.'),
    high_per_period: numberOrNull('Its upper bound.'),
    level: Type.Number({ description: 'Probability between the bounds.' }),
  },
  {
    ...strict,
    $id: 'SharpeDifference',
    description:
      'The difference of two Sharpe ratios, with its symmetric studentised interval from paired resamples of the stationary bootstrap (Ledoit and Wolf 2008).',
  },
)

export const BacktestComparison = Type.Object(
  {
    variants: Type.Array(BacktestVariant, {
      description: 'The choices that the request names, in the order as_known, first_filed, final.',
    }),
    differences: Type.Array(SharpeDifference, {
      description:
        'first_filed minus as_known: what using figures as first filed would have changed. final minus as_known: what restatements and early dating would have been worth.',
    }),
    seed: Type.Integer({ description: 'Seed of the resamples.' }),
    bootstraps: Type.Integer({ description: 'Number of resamples.' }),
    mean_block: Type.Number({
      description:
        'Mean length of the blocks that are drawn together, in periods: the one that was sent, or the longest of those that the records call for.',
    }),
    mean_block_chosen: Type.Boolean({ description: 'True if it was chosen from the records.' }),
  },
  {
    ...strict,
    $id: 'BacktestComparison',
    description:
      'With compare: the same configuration on the same rows, ranked by other vintages of the metric. Only the figures differ: groups, states, returns and costs are the same.',
  },
)
export type BacktestComparison = Static<typeof BacktestComparison>
