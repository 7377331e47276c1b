import { type Static, Type } from '@sinclair/typebox'
import { count, numberOrNull, strict } from './resultMetrics.ts'

const estimate = {
  standard_error: numberOrNull('Standard error by Newey and West, per period.'),
  t: numberOrNull('Estimate over its standard error; null where that is 0.'),
  p: numberOrNull('Two-sided p-value of t, from the normal distribution.'),
}

const FactorAlpha = Type.Object(
  {
    per_period: numberOrNull('The constant of the regression: return per period that no factor explains.'),
    annual: numberOrNull('per_period times periods_per_year.'),
    ...estimate,
  },
  { ...strict, $id: 'FactorAlpha' },
)

const FactorBeta = Type.Object(
  {
    factor: Type.String({ description: 'Name of the factor.' }),
    beta: numberOrNull('Its coefficient.'),
    ...estimate,
    mean_annual: numberOrNull('Mean return of the factor over the periods used, times periods_per_year.'),
    contribution_annual: numberOrNull(
      'beta times mean_annual. The contributions and alpha.annual add up to excess_mean_annual.',
    ),
  },
  { ...strict, $id: 'FactorBeta' },
)

export const residualReasonCodes = [
  'record_withheld',
  'short_record',
  'no_alpha',
  'dsr_passes',
  'dsr_fails',
  'dsr_undefined',
  'serial_correlation',
] as const

const FactorResidual = Type.Object(
  {
    sharpe: numberOrNull(
      'Annualised Sharpe ratio of alpha plus residual, the excess return minus beta times the factors: alpha / sd (ddof 1) times sqrt(periods_per_year).',
    ),
    sharpe_per_period: numberOrNull('The same per period.'),
    appraisal_ratio: numberOrNull(
      'alpha over the standard error of the regression, sqrt(SSR / (n - K - 1)), times sqrt(periods_per_year) (Treynor and Black 1973).',
    ),
    volatility: numberOrNull('Annualised standard error of the regression.'),
    psr: numberOrNull('Probabilistic Sharpe ratio of alpha plus residual against 0.'),
    trials: count('Configurations that dsr counts: those of the verdict of the record.'),
    dsr: numberOrNull(
      'Deflated Sharpe ratio of alpha plus residual. In a sweep, each trial is regressed on the same factors, and the variance is that of the Sharpe ratios of what remains of them.',
    ),
    dsr_serial: numberOrNull('dsr after serial correlation, as in verdict.'),
    verdict: Type.Object(
      {
        level: Type.Union(
          [Type.Literal('unexplained'), Type.Literal('explained'), Type.Literal('withheld')],
          {
            description:
              'unexplained: dsr and dsr_serial are at least .95 over at least 30 periods, so the factors do not explain the record. explained: what remains may be luck. withheld: the verdict of the record is.',
          },
        ),
        reasons: Type.Array(
          Type.Object(
            {
              code: Type.Union(
                residualReasonCodes.map(code => Type.Literal(code)),
                { description: 'Stable name of the reason.' },
              ),
              message: Type.String({ description: 'What was found, in a sentence.' }),
            },
            { ...strict, $id: 'ResidualReason' },
          ),
        ),
      },
      { ...strict, $id: 'ResidualVerdict', description: 'Whether the factors leave anything but luck.' },
    ),
  },
  { ...strict, $id: 'FactorResidual', description: 'What remains of the record: alpha plus residual.' },
)

const rollingValues = Type.Array(numberOrNull('null until a window is full, and where it is collinear.'))

const FactorRolling = Type.Object(
  {
    window: count('Periods of each regression.'),
    dates: Type.Array(Type.String({ format: 'date' }), {
      description: 'First day of the last period of each window; one element per period used.',
    }),
    alpha_annual: Type.Array(numberOrNull('null until a window is full, and where it is collinear.')),
    betas: Type.Array(
      Type.Object(
        { factor: Type.String({ description: 'Name of the factor.' }), values: rollingValues },
        { ...strict, $id: 'RollingBeta' },
      ),
    ),
  },
  { ...strict, $id: 'FactorRolling', description: 'The same regression over moving windows.' },
)

export const FactorsUsed = Type.Object(
  {
    frequency: Type.Union([Type.Literal('daily'), Type.Literal('monthly')], {
      description: 'Of the returns that were sent; daily ones are compounded over each period.',
    }),
    excess: Type.Union([Type.Literal('net'), Type.Literal('net_minus_rf')], {
      description:
        'What is explained: the net return of long_short, which finances itself; of long_only minus RF.',
    }),
    n_periods: count('Periods used, n: those with a factor return over exactly the same interval.'),
    unmatched: Type.Array(
      Type.Object(
        {
          reason: Type.Union(
            [
              Type.Literal('outside'),
              Type.Literal('missing'),
              Type.Literal('interval'),
              Type.Literal('end_unknown'),
            ],
            {
              description:
                'outside: the factors do not cover the period. missing: a factor return is missing. interval: no factor returns span exactly the days of the period. end_unknown: the end of the last period does not follow from the dates.',
            },
          ),
          n_periods: count('Periods left out for this reason.'),
          dates: Type.Array(Type.String({ format: 'date' }), {
            description: 'The days on which the first five of them start.',
          }),
        },
        { ...strict, $id: 'UnmatchedPeriods' },
      ),
      { description: 'Periods of the record that are not used.' },
    ),
    first_date: Type.String({ format: 'date', description: 'First day of the first period used.' }),
    last_date: Type.String({ format: 'date', description: 'First day of the last period used.' }),
    lags: count('Lags of the standard errors.'),
    excess_mean_annual: numberOrNull('Mean excess return, times periods_per_year.'),
    alpha: FactorAlpha,
    betas: Type.Array(FactorBeta, { description: 'In the order in which the factors were sent.' }),
    r_squared: numberOrNull('1 - SSR / SST; null where the excess return does not vary.'),
    adjusted_r_squared: numberOrNull('1 - (1 - r_squared) (n - 1) / (n - K - 1).'),
    residual: FactorResidual,
    rolling: Type.Union([FactorRolling, Type.Null()], {
      description: 'null where the record is shorter than the window, or too long for so many regressions.',
    }),
  },
  {
    ...strict,
    $id: 'FactorsUsed',
    description:
      'With factors: the regression of the excess return of each period on the returns of the factors over the same interval, by least squares.',
  },
)
export type FactorsUsed = Static<typeof FactorsUsed>
