import { type Static, Type } from '@sinclair/typebox'

const strict = { additionalProperties: false } as const

/** The maximum number of factor returns per column: a century of trading days. */
export const maxFactorDates = 30_000
export const maxFactors = 20
/** The longest text of a factor file. Daily factors since 1926 take 1.3 MB. */
export const maxFactorFileLength = 4_000_000

const onePerDate = { minItems: 1, maxItems: maxFactorDates } as const
const returns = Type.Array(
  Type.Union([Type.Number({ minimum: -1e6, maximum: 1e6 }), Type.Null()]),
  onePerDate,
)

export const BacktestFactors = Type.Object(
  {
    file: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxFactorFileLength,
        description:
          "The text of a file of factor returns. A file of Kenneth French's data library is read as downloaded: in percent, its first block of months or days, without the annual block. Other files are CSV whose first line is `date` and the names of the factors, with returns as fractions. A column named RF is the risk-free return.",
      }),
    ),
    date: Type.Optional(
      Type.Array(
        Type.String({
          pattern: '^\\d{4}-\\d{2}(-\\d{2})?$',
          allowed: 'a day as YYYY-MM-DD, or a month as YYYY-MM',
          description:
            'Instead of file: the day of each return, or its month. A daily return is earned up to the close of its day, a monthly one in its month.',
        }),
        { ...onePerDate, description: 'Ascending.' },
      ),
    ),
    returns: Type.Optional(
      Type.Record(Type.String({ pattern: '^[^\\u0000-\\u001f]{1,64}$' }), returns, {
        minProperties: 1,
        maxProperties: maxFactors,
        description: 'With date: the returns of each factor, by its name; null: unknown.',
      }),
    ),
    rf: Type.Optional({
      ...returns,
      description: 'With date: the risk-free return. A long_only record requires it.',
    }),
    unit: Type.Optional(
      Type.Union([Type.Literal('fraction'), Type.Literal('percent')], {
        description:
          "Unit of the returns. Default: percent for a file of Kenneth French's data library, otherwise fraction.",
      }),
    ),
    frequency: Type.Optional(
      Type.Union([Type.Literal('daily'), Type.Literal('monthly')], {
        description:
          'Default: monthly where every date is in a month of its own and half of the dates are at most 31 days after the one before, but at least 25; otherwise daily.',
      }),
    ),
    entryLag: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 5,
        description:
          'Trading days from the date of a row to the close at which its return begins, as entry_lag of forward returns. The factor returns begin as many days later. Takes daily factors. Default 0; with prices, their entry_lag, and no other.',
      }),
    ),
    lags: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000,
        description:
          'Lags of the standard errors of Newey and West (1987), in periods. Default: max(h - 1, floor(4 (n / 100)^(2/9))), h = holdDays / returnDays, n the number of periods used.',
      }),
    ),
    window: Type.Optional(
      Type.Integer({
        minimum: 3,
        maximum: maxFactorDates,
        description: 'Periods of each rolling regression. Default: those of a year, at least 36.',
      }),
    ),
  },
  {
    ...strict,
    $id: 'BacktestFactors',
    description:
      'Factor returns that may explain the record: a regression of its excess return on them gives alpha, betas and what remains. Send either file, or date and returns. In `factors` of the result.',
  },
)
export type BacktestFactors = Static<typeof BacktestFactors>
