import { type Static, Type } from '@sinclair/typebox'
import { BacktestCosts, BacktestWarning } from '../result.ts'
import { BacktestConfigUsed, count, numberOrNull, strict } from '../resultMetrics.ts'

const dateOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const PremiumRecord = Type.Object(
  {
    sharpe: numberOrNull(
      'Annualised Sharpe ratio of net returns in the common periods; null with fewer than two periods or zero deviation.',
    ),
    sharpe_per_period: numberOrNull('The same, not annualised.'),
    n_rows: count('Rows with a score, on all dates that the backtest uses.'),
    n_empty_periods: count(
      'Used dates on which the portfolio is empty, because no two names have a score. They are not common periods.',
    ),
    names_per_period: numberOrNull('Mean number of names that the score ranks in a common period.'),
    avg_turnover: numberOrNull('Mean of 1/2 sum |dw| per common period.'),
    cost_drag_annual: numberOrNull('Trading and borrowing costs per year, as a fraction.'),
  },
  { ...strict, $id: 'PremiumRecord', description: 'The record of a backtest on one set of values.' },
)

const SharpeDifference = Type.Object(
  {
    sharpe: numberOrNull('Difference of the annualised Sharpe ratios.'),
    low: numberOrNull('Lower bound of sharpe; null if the records do not bound it.'),
    high: numberOrNull('Upper bound of sharpe; null if the records do not bound it.'),
    sharpe_per_period: numberOrNull('The difference, not annualised.'),
    low_per_period: numberOrNull('Lower bound, not annualised.'),
    high_per_period: numberOrNull('Upper bound, not annualised.'),
    level: Type.Number({ minimum: 0, maximum: 1, description: 'Probability between the bounds.' }),
  },
  {
    ...strict,
    $id: 'PremiumDifference',
    description:
      'A difference of two Sharpe ratios, with its studentised interval from resamples that draw the same periods of both records (Ledoit and Wolf 2008). The record is compatible with no premium if 0 is between the bounds.',
  },
)

export const premiumNoteCodes = [
  'no_common_periods',
  'few_periods',
  'few_blocks',
  'no_difference',
  'unbounded',
  'names_left_out',
  'overlapping_returns',
] as const

const PremiumNote = Type.Object(
  {
    code: Type.Union(
      premiumNoteCodes.map(code => Type.Literal(code)),
      { description: 'Stable name of the note.' },
    ),
    message: Type.String({ description: 'Which figure may mislead, and why.' }),
  },
  { ...strict, $id: 'PremiumNote' },
)
export type PremiumNote = Static<typeof PremiumNote>

export const LookAheadPremium = Type.Object(
  {
    premium: Type.Union([SharpeDifference, Type.Null()], {
      description:
        'Sharpe ratio of the values as sent minus that of the values as known; null if one of them is not defined.',
    }),
    premium_without_announced: Type.Union([SharpeDifference, Type.Null()], {
      description:
        'The same with the values as sent wherever an earnings release had announced them: what remains was not public in any form.',
    }),
    sent: PremiumRecord,
    known: PremiumRecord,
    known_or_announced: PremiumRecord,
    n_rows_without_known: count(
      'Rows with a value as sent but none as known, on the dates used. They are left out of known only, because nobody could have ranked them, so they are part of the premium.',
    ),
    n_periods: count(
      'Common periods, in which all three portfolios hold names. Every ratio, mean and interval covers these.',
    ),
    n_periods_left_out: count('Used dates that are not common periods.'),
    first_date: dateOrNull('Date of the first common period; all portfolios start empty there.'),
    last_date: dateOrNull('Date of the last common period.'),
    periods_per_year: Type.Number({ description: 'Squared factor of annualised Sharpe ratios.' }),
    seed: Type.Integer({ description: 'Seed of the resamples.' }),
    bootstraps: count('Number of resamples.'),
    mean_block: Type.Number({ description: 'Mean length of the blocks of a resample, in periods.' }),
    mean_block_chosen: Type.Boolean({ description: 'True if mean_block was chosen from the records.' }),
    config: BacktestConfigUsed,
    costs: BacktestCosts,
    warnings: Type.Array(BacktestWarning, {
      description: 'Findings about the rows as sent and their costs.',
    }),
    notes: Type.Array(PremiumNote, { description: 'Where a figure may mislead.' }),
  },
  {
    ...strict,
    $id: 'LookAheadPremium',
    description:
      'The same backtest on the values as sent and as known on each date: the difference of the Sharpe ratios is what look-ahead earned. All of them choose from the rows with a value as sent.',
  },
)
export type LookAheadPremium = Static<typeof LookAheadPremium>
