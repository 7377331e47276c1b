import { type Static, Type } from '@sinclair/typebox'
import { count, numberOrNull, strict } from './resultMetrics.ts'

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

const SuperiorPredictiveAbility = Type.Object(
  {
    lower: share('Lower bound of the p value: only configurations with a mean above the benchmark count.'),
    consistent: share(
      'P value of the test (Hansen 2005): the chance of so good a best configuration if none beats the benchmark.',
    ),
    upper: share('Upper bound of the p value: every configuration counts as no worse than the benchmark.'),
    reality_check: share("P value of White's reality check (2000), which does not studentise."),
    resolution: share(
      '1 / bootstraps. P values are shares of resamples, so one of 0 means less than this, not impossible.',
    ),
    statistic: Type.Number({ description: 'Largest studentised mean above the benchmark, at least 0.' }),
  },
  {
    ...strict,
    $id: 'SuperiorPredictiveAbility',
    description:
      'With include spa: whether the best of all configurations beats the benchmark by more than luck. null if the record is too short.',
  },
)

const SharpeInterval = Type.Object(
  {
    low: numberOrNull('Lower bound of the annualised Sharpe ratio.'),
    high: numberOrNull('Upper bound of the annualised Sharpe ratio.'),
    low_per_period: numberOrNull('Lower bound, not annualised.'),
    high_per_period: numberOrNull('Upper bound, not annualised.'),
    level: share('Probability between the bounds.'),
  },
  {
    ...strict,
    $id: 'SharpeInterval',
    description:
      "With include interval: where the Sharpe ratio lies in resamples of the record; in a sweep, the winner's, not corrected for the number of trials.",
  },
)

const TrackRecord = Type.Object(
  {
    sharpe: numberOrNull('Annualised Sharpe ratio of the net return minus that of the benchmark.'),
    sharpe_per_period: numberOrNull('The same, not annualised.'),
    psr: numberOrNull('Probability that the true Sharpe ratio is above 0, as if this were the only trial.'),
    min_track_record_periods: numberOrNull(
      'Periods that a record of this quality needs for a psr of .95; null if its Sharpe ratio is not above 0.',
    ),
    skew: numberOrNull('Skewness of the judged returns.'),
    kurtosis_raw: numberOrNull('Kurtosis of the judged returns; 3 for a normal distribution.'),
    n_periods: count('Periods of the record.'),
  },
  {
    ...strict,
    $id: 'TrackRecord',
    description: 'With include track_record: how much a record of this length proves.',
  },
)

const CrossValidation = Type.Object(
  {
    paths: Type.Array(numberOrNull('Annualised Sharpe ratio of a path; null if it does not vary.'), {
      description:
        'Each path is the whole record, joined from test groups that were unseen when their configuration was chosen.',
    }),
    paths_per_period: Type.Array(numberOrNull('The same, not annualised.')),
    median: numberOrNull('Median of paths.'),
    share_above_0: numberOrNull('Share of the paths with a Sharpe ratio above 0.'),
    choices: count('Ways to choose the test groups.'),
  },
  {
    ...strict,
    $id: 'CrossValidation',
    description:
      'With include cpcv: combinatorial purged cross-validation of the sweep. Training periods come after the test too. null without a sweep or with too few periods.',
  },
)

export const evidenceNoteCodes = [
  'pbo_with_costs',
  'few_periods',
  'few_blocks',
  'few_names',
  'overlapping_returns',
  'no_sweep',
  'not_computed',
] as const

const EvidenceNote = Type.Object(
  {
    code: Type.Union(
      evidenceNoteCodes.map(code => Type.Literal(code)),
      { description: 'Stable name of the note.' },
    ),
    message: Type.String({ description: 'Which figure may mislead, and why.' }),
  },
  { ...strict, $id: 'EvidenceNote' },
)
export type EvidenceNote = Static<typeof EvidenceNote>

export const EvidenceUsed = Type.Object(
  {
    seed: Type.Integer({ description: 'Seed of the resamples.' }),
    bootstraps: count('Number of resamples.'),
    mean_block: Type.Number({ description: 'Mean length of the blocks of a resample, in periods.' }),
    mean_block_chosen: Type.Boolean({
      description:
        'True if mean_block was chosen from the record: in a sweep, from the mean of all configurations.',
    }),
    benchmark: Type.Union(
      [...(['universe', 'cash', 'series', 'by_direction'] as const).map(name => Type.Literal(name))],
      {
        description:
          'What the records are judged against; by_direction: long-short trials against cash, and long-only trials against the universe.',
      },
    ),
    groups: count('Groups of periods of cpcv.'),
    test_groups: count('Groups that cpcv tests at a time.'),
    spa: Type.Optional(Type.Union([SuperiorPredictiveAbility, Type.Null()])),
    interval: Type.Optional(Type.Union([SharpeInterval, Type.Null()])),
    track_record: Type.Optional(TrackRecord),
    cpcv: Type.Optional(Type.Union([CrossValidation, Type.Null()])),
    notes: Type.Array(EvidenceNote, { description: 'Where a figure may mislead.' }),
  },
  {
    ...strict,
    $id: 'Evidence',
    description: 'With include spa, interval, cpcv or track_record: is it skill or luck?',
  },
)
export type EvidenceUsed = Static<typeof EvidenceUsed>
