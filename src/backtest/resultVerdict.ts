import { type Static, Type } from '@sinclair/typebox'
import { BenchmarkUsed, count, numberOrNull, strict } from './resultMetrics.ts'

/** From best to worst, except `withheld`, which is not on that scale. */
export const verdictLevels = ['strong', 'weak', 'none', 'withheld'] as const
export type VerdictLevel = (typeof verdictLevels)[number]

export const verdictReasonCodes = [
  'dsr_passes',
  'dsr_fails',
  'dsr_undefined',
  'serial_correlation',
  'spa_passes',
  'spa_close',
  'spa_fails',
  'spa_not_computed',
  'spa_short_blocks',
  'own_benchmark',
  'one_configuration',
  'short_record',
  'ruined',
  'gross_exposure',
  'overlapping_returns',
  'score_is_return',
  'too_good',
  'returns_like_percent',
] as const
export type VerdictReasonCode = (typeof verdictReasonCodes)[number]

const VerdictReason = Type.Object(
  {
    code: Type.Union(
      verdictReasonCodes.map(code => Type.Literal(code)),
      { description: 'Stable name of the reason.' },
    ),
    message: Type.String({ description: 'What was found, in a sentence or two.' }),
  },
  { ...strict, $id: 'VerdictReason' },
)
export type VerdictReason = Static<typeof VerdictReason>

const AlreadyTried = Type.Object(
  {
    trials_already_tried: count('As sent. They are among `trials`.'),
    trials_of_request: count('The other trials: those of the request itself.'),
    trials_variance: Type.Number({
      description: 'V, the variance of the Sharpe ratios per period of all trials, as assumed.',
    }),
    variance_from: Type.Union([Type.Literal('trials'), Type.Literal('chance')], {
      description:
        'trials: V is that of the trials of the request. chance: fewer than two of them have a Sharpe ratio, so V is 1 / (n_periods - 1).',
    }),
    sharpe_threshold: Type.Number({
      description:
        'sqrt(V) times the expected maximum of `trials` standard normals: the Sharpe ratio per period that the best of all trials would show without skill.',
    }),
    assumption: Type.String({ description: 'What is assumed about the trials that are not known.' }),
  },
  {
    ...strict,
    $id: 'AlreadyTried',
    description: 'With trials_already_tried above 0: how the trials before the request count.',
  },
)

export const BacktestVerdict = Type.Object(
  {
    level: Type.Union(
      verdictLevels.map(level => Type.Literal(level)),
      {
        description:
          'strong: dsr and dsr_serial are at least .95, and the p value of the test for superior predictive ability (spa.consistent) is below half of spa_level. weak: only the first holds, or the p value is below spa_level. none: neither. withheld: the rows look wrong in a way that makes both tests meaningless, whatever their results; reasons say why.',
      },
    ),
    benchmark: BenchmarkUsed,
    judged_sharpe: numberOrNull(
      'Annualised Sharpe ratio of the net return minus that of the benchmark; equal to metrics.sharpe against cash.',
    ),
    trials: count(
      'Configurations that the Deflated Sharpe ratio counts: 1, those of a sweep, or those of a batch, and `trials_already_tried` beside them.',
    ),
    dsr: numberOrNull(
      'Deflated Sharpe ratio. With one trial, it is the probabilistic Sharpe ratio against 0.',
    ),
    dsr_serial: numberOrNull(
      'dsr after serial correlation of the record: PHI(PHI^-1(dsr) / sqrt(max(1, VR))). VR is the variance that the stationary bootstrap, with blocks of mean_block periods, or of as many as the record calls for if that is more, gives sqrt(n_periods) times the mean, over the variance of a period.',
    ),
    superior: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'Whether spa.consistent is below spa_level; include spa for its value. null: not computed, as a reason says.',
    }),
    spa_level: Type.Number({
      description:
        '.04 max(0, 1 - 15 mean_block / n_periods): noise has small p values too often, above all in short records.',
    }),
    already_tried: Type.Optional(AlreadyTried),
    reasons: Type.Array(VerdictReason, {
      description: 'Why this level: first what withholds or limits it, then each of the two tests.',
    }),
  },
  {
    ...strict,
    $id: 'BacktestVerdict',
    description:
      'Whether the record is more than luck would explain. It counts only the trials that it knows, and is not the probability that the strategy will make money.',
  },
)
export type BacktestVerdict = Static<typeof BacktestVerdict>
