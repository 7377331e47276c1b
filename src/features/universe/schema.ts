import { type Static, Type } from '@sinclair/typebox'
import { type Column, CommentsSchema, columns, FormatSchema } from '../../formats/columns.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { asOfParameter, zoneParameter } from '../../markets/asOf.ts'
import { companyStates } from '../../markets/companyStates.ts'
import { MarketCode } from '../../markets/parameters.ts'
import { FundamentalsRow } from '../fundamentals/schema.ts'
import { marketPageFields } from '../marketPages/query.ts'

const strict = { additionalProperties: false } as const

export const universeLimit = { max: 10_000, default: 1_000 } as const

export const UniverseQuery = Type.Object(
  {
    market: MarketCode('Market code.'),
    as_of: asOfParameter('Only what was filed on or before this day. Default today (UTC).', '2010-03-31'),
    tz: zoneParameter,
    data_version: DataVersionParameter,
    state: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 80,
        description: 'Only companies in these states, separated by commas. Default: all states.',
        examples: ['reporting'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: universeLimit.max,
        default: universeLimit.default,
        description: 'Maximum number of companies on a page.',
        examples: [universeLimit.default],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        description:
          'The `next` of the previous page, with the other parameters unchanged; only `limit` and `format` may change. It is signed.',
        examples: ['kx0cZcJ2Y0mVb3f5w1qk7Q3vJm0lTzV9u8h2b6a1c4VbIlVTIiwiMjAxMC0wMi0wMSJd'],
      }),
    ),
    format: FormatSchema,
    comments: CommentsSchema,
  },
  strict,
)
export type UniverseQuery = Static<typeof UniverseQuery>

const { issuer_id, source } = FundamentalsRow.properties
const day = (description: string, example: string) =>
  Type.String({ format: 'date', description, examples: [example] })
const orNull = (description: string, example: string) =>
  Type.Union([Type.String(), Type.Null()], { description, examples: [example] })

export const UniverseRow = Type.Object(
  {
    issuer_id,
    ticker: orNull(
      'The current ID to request its figures with; null: no figures of this company are on record.',
      'AAPL',
    ),
    name: orNull('Its name in the latest filing by as_of that states one.', 'APPLE INC'),
    sector: orNull('Its industry in the latest filing by as_of that states one.', 'SIC 3571'),
    state: Type.Union(
      companyStates.map(state => Type.Literal(state)),
      {
        description:
          'reporting: it filed a periodic report in the 18 months up to as_of. delisted: an exchange removed its shares (Form 25) after its last report. deregistered: it ended the registration of its securities (Form 15) on the day of its last report or later. ceased: no report for 18 months, inferred from the register’s indexes of every month since. unknown: no report for 18 months is stored, but the index of at least one month since is missing.',
      },
    ),
    since: day('First day of this state.', '2009-07-22'),
    rule: Type.Union([Type.Literal('filing'), Type.Literal('silence'), Type.Literal('no_index')], {
      description:
        'What the state follows from. filing: the filing named in this row. silence: the register’s indexes list no later report, an inference. no_index: the index of some month since is not stored.',
    }),
    form: orNull('Form of that filing: the latest report, or the notice.', '10-Q'),
    accession: orNull('Accession of that filing.', '0001193125-10-012085'),
    filed: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
      description: 'Filing day of that filing.',
      examples: ['2010-01-25'],
    }),
    first_filed: day('Day of its first filing on record.', '2009-07-22'),
    last_filed: day('Day of its last filing on record by as_of.', '2010-01-25'),
    source,
  },
  { ...strict, $id: 'UniverseRow' },
)
export type UniverseRow = Static<typeof UniverseRow>

/** Columns of the rows in CSV and Parquet, in the order of the JSON row. */
export const universeSheet = columns({
  issuer_id: 'text',
  ticker: 'text',
  name: 'text',
  sector: 'text',
  state: 'text',
  since: 'day',
  rule: 'text',
  form: 'text',
  accession: 'text',
  filed: 'day',
  first_filed: 'day',
  last_filed: 'day',
  source: 'text',
}) satisfies readonly Column<keyof UniverseRow>[]

export const Universe = Type.Object(
  {
    object: Type.Literal('universe'),
    market: marketPageFields.market,
    as_of: marketPageFields.as_of,
    data_version: marketPageFields.data_version,
    licence: marketPageFields.licence,
    attribution: marketPageFields.attribution,
    note: marketPageFields.note('which indexes of the register are stored'),
    count: Type.Integer({ description: 'Number of rows in data.' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` to get the companies after these; null on the last page.',
    }),
    data: Type.Array(UniverseRow, { description: "In order of the register's number." }),
  },
  { ...strict, $id: 'Universe' },
)
export type Universe = Static<typeof Universe>
