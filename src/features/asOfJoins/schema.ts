import { type Static, Type } from '@sinclair/typebox'
import {
  carriedValue,
  DataVersionSchema,
  GroupSchema,
  JoinLineageSchema,
  joinFormats,
  MaxAgeSchema,
  UniverseSchema,
} from '../../backtest/asOf/request.ts'
import { AsOfPeriodSchema, PricesSchema } from '../../backtest/figureScore.ts'
import { ChecksParameter } from '../../markets/checkStates.ts'
import { Lineage } from '../companies/lineage.ts'

const text = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, description, examples: [example] }))

export const JoinQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Union(
        joinFormats.map(name => Type.Literal(name)),
        {
          default: 'json',
          description:
            'json; csv (RFC 4180); ndjson (one row per line); parquet (days as DATE, values as DOUBLE); arrow (an IPC stream, days as date32, values as float64). Without it the header Accept decides: text/csv, application/x-ndjson, application/vnd.apache.parquet or application/vnd.apache.arrow.stream; anything else is json.',
          examples: ['json'],
        },
      ),
    ),
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
    with: text('With a body other than JSON: `end`, `filed` and `known_by`, comma-separated.', 'end,filed'),
    group: Type.Optional({ ...GroupSchema, description: 'With a body other than JSON: as there.' }),
    universe: Type.Optional({ ...UniverseSchema, description: 'With a body other than JSON: as there.' }),
    checks: Type.Optional({ ...ChecksParameter, description: 'With a body other than JSON: as there.' }),
    lineage: Type.Optional({
      ...JoinLineageSchema,
      description: 'With a body other than JSON: as there.',
    }),
    prices: Type.Optional({ ...PricesSchema, description: 'With a body other than JSON: as there.' }),
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

const UnmatchedSymbol = Type.Object(
  {
    ticker: Type.String({ description: 'As it was sent.' }),
    from: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
      description: 'null: every day before.',
    }),
    to: Type.Union([Type.String({ format: 'date' }), Type.Null()], { description: 'null: every later day.' }),
    rows: Type.Integer({ description: 'Number of rows on these days. They have null.' }),
    reason: Type.String({
      description: 'Which company had the symbol, as far as is known, and which company has it today.',
      examples: [
        'FB belonged to CIK0001040792 to 2003-03-31, and that company is not loaded here. Today it is META.',
      ],
    }),
  },
  { additionalProperties: false, $id: 'UnmatchedSymbol' },
)

const JoinLineage = Type.Object(
  {
    followed: Type.Boolean({ description: 'Whether figures of all registrants are used (lineage=follow).' }),
    ...Lineage.properties,
  },
  { additionalProperties: false, $id: 'JoinLineage' },
)

const AsOfJoinColumns = Type.Object(
  {
    date: Type.Optional(Type.Array(Type.String({ format: 'date' }))),
    ticker: Type.Array(Type.String()),
  },
  {
    additionalProperties: Type.Array(carriedValue),
    $id: 'AsOfJoinColumns',
    description:
      'Element i of each column is row i, in the order sent: the columns of the rows as they were sent, then `group` and `state` if requested, then each metric, followed by the columns of `with`. null: no figure was known, it was too old, or its state was left out.',
  },
)

export const AsOfJoin = Type.Object(
  {
    object: Type.Literal('as_of_join'),
    count: Type.Integer({ description: 'Rows, as many as were sent.' }),
    data_version: Type.Integer({ description: 'The data version of every figure.' }),
    fp: AsOfPeriodSchema,
    known: Type.Union(
      [
        Type.Literal('filed before the date'),
        Type.Literal('filed on or before the date'),
        Type.Literal('public by the time'),
      ],
      {
        description: 'Which figures a row may use, relative to its date or time.',
      },
    ),
    max_age_days: Type.Union([Type.Integer(), Type.Null()], { description: 'null: no bound.' }),
    group: Type.Optional(Type.String({ description: 'Present if it was sent.', examples: ['ff49'] })),
    universe: Type.Optional(Type.String({ description: 'Present if it was sent.', examples: ['reporting'] })),
    checks: Type.Optional(
      Type.String({ description: 'Present if it was sent.', examples: ['proved,consistent'] }),
    ),
    price_set: Type.Optional(
      Type.String({
        description:
          'Only with valuations: the set of prices. With `with`, `<metric>_end` is the day of the price and `<metric>_filed` the day on which the last of its inputs became known.',
        examples: ['daily-us'],
      }),
    ),
    unknown: Type.Array(Type.String(), {
      description: 'Tickers that name no company, as they were sent: the first 100. Their rows have null.',
    }),
    unknown_count: Type.Integer({ description: 'All tickers that name no company, each once.' }),
    renamed: Type.Optional(
      Type.Array(RenamedTicker, {
        description: 'Former IDs in the rows, the first 100; absent if there are none.',
      }),
    ),
    unmatched: Type.Optional(
      Type.Array(UnmatchedSymbol, {
        description:
          'Days on which no company on record had a ticker that some company had on other days: the first 100. Each ticker is looked up on the date of its row.',
      }),
    ),
    symbol_assumed: Type.Optional(
      Type.Literal(true, {
        description:
          "For some tickers no source says which company had them on the dates of the rows, so today's company is assumed. Send the `issuer_id` to be exact.",
      }),
    ),
    lineages: Type.Optional(
      Type.Array(JoinLineage, {
        description:
          'The lineages of companies in the rows that have predecessors or successors: the first 100; absent if there are none.',
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
