import { type Static, Type } from '@sinclair/typebox'
import { carriedValue, DataVersionSchema, MaxAgeSchema } from '../../backtest/asOf/request.ts'
import { AsOfPeriodSchema } from '../../backtest/figureScore.ts'
import { FormatSchema } from '../../formats/columns.ts'

const text = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, description, examples: [example] }))

export const JoinQuery = Type.Object(
  {
    format: FormatSchema,
    metrics: text('With a body other than JSON: `metrics`, comma-separated.', 'roe,revenue'),
    fp: Type.Optional({ ...AsOfPeriodSchema, description: 'With a body other than JSON: as there.' }),
    inclusive: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'With a body other than JSON: as there.',
        examples: [false],
      }),
    ),
    max_age_days: Type.Optional({ ...MaxAgeSchema, description: 'With a body other than JSON: as there.' }),
    with: text('With a body other than JSON: `end`, `filed` or both, comma-separated.', 'end,filed'),
    data_version: Type.Optional({
      ...DataVersionSchema,
      description: 'With a body other than JSON: as there.',
    }),
  },
  { additionalProperties: false },
)
export type JoinQuery = Static<typeof JoinQuery>

const RenamedTicker = Type.Object(
  {
    sent: Type.String({ description: 'An ID that the company had before.' }),
    ticker: Type.String({ description: 'Its current ID.' }),
  },
  { additionalProperties: false, $id: 'RenamedTicker' },
)

const AsOfJoinColumns = Type.Object(
  { date: Type.Array(Type.String({ format: 'date' })), ticker: Type.Array(Type.String()) },
  {
    additionalProperties: Type.Array(carriedValue),
    $id: 'AsOfJoinColumns',
    description:
      'Element i of each column is row i, in the order sent: the columns of the rows as they were sent, then each metric, followed by the columns of `with`. null: nothing was known, or it was too old.',
  },
)

export const AsOfJoin = Type.Object(
  {
    object: Type.Literal('as_of_join'),
    count: Type.Integer({ description: 'Rows, as many as were sent.' }),
    data_version: Type.Integer({ description: 'The data version of every figure.' }),
    fp: AsOfPeriodSchema,
    known: Type.Union([Type.Literal('filed before the date'), Type.Literal('filed on or before the date')], {
      description: 'Which figures count on the date of a row.',
    }),
    max_age_days: Type.Union([Type.Integer(), Type.Null()], { description: 'null: no bound.' }),
    unknown: Type.Array(Type.String(), {
      description: 'Tickers that name no company, as they were sent: the first 100. Their rows have null.',
    }),
    unknown_count: Type.Integer({ description: 'All tickers that name no company, each once.' }),
    renamed: Type.Optional(
      Type.Array(RenamedTicker, {
        description: 'Former IDs in the rows, the first 100; absent if there are none.',
      }),
    ),
    licence: Type.Optional(Type.String({ description: 'With a demo or free key.' })),
    attribution: Type.Array(Type.String(), {
      description: 'Statutory attribution of each market in the answer.',
    }),
    units: Type.Record(Type.String(), Type.Array(Type.String()), {
      description:
        'For each metric the units of its values. More than one means amounts that cannot be compared, such as companies of several markets.',
    }),
    columns: AsOfJoinColumns,
  },
  { additionalProperties: false, $id: 'AsOfJoin' },
)
