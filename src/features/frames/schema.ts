import { type Static, Type } from '@sinclair/typebox'
import { type Column, columns } from '../../formats/columns.ts'
import { type AsOf, isInstant } from '../../instants.ts'
import { asOfParameter, KnownBySchema, zoneParameter } from '../../markets/asOf.ts'
import { firstFrameYear, lastFrameYear } from '../../wholeFilings/frames.ts'
import { FundamentalsRow } from '../fundamentals/schema.ts'
import { marketPageFields, marketParameters, type PageLimit } from '../marketPages/query.ts'

const strict = { additionalProperties: false } as const

export const framesLimit = {
  max: 10_000,
  default: 1_000,
  maxFree: 1_000,
  defaultCapped: 100,
} as const satisfies PageLimit

/** GET /api/v1/frames: one tag of every company of a market for one period. */
export const FramesQuery = Type.Object(
  {
    tag: Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'A concept with the prefix of its taxonomy, spelled as in filings. It may be a company’s own.',
      examples: ['us-gaap:Assets'],
    }),
    period: Type.String({
      minLength: 6,
      maxLength: 9,
      description: `CY2009: the calendar year, CY2009Q1: a quarter, CY2009Q1I: the end of a quarter; from ${firstFrameYear} to ${lastFrameYear}. A duration of 365 or 91 days, give or take 30, belongs to the calendar year or quarter that contains its midpoint. An instant belongs to the quarter that contains the day 45 days earlier, which is nearly always the quarter with the nearest end.`,
      examples: ['CY2009Q2I'],
    }),
    unit: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'As the filing states it: USD, shares, USD/shares, pure. Data sets of the SEC state USD for USD/shares, too. Default: the currency of the market.',
        examples: ['USD'],
      }),
    ),
    market: marketParameters.market,
    as_of: asOfParameter(
      'Only filings that were filed on or before this day. Default today (UTC).',
      '2009-08-31',
    ),
    tz: zoneParameter,
    data_version: marketParameters.data_version,
    limit: marketParameters.limit(
      framesLimit,
      `Maximum number of companies; \`next\` continues after them. With an evaluation key, each company on the page counts as seen; default ${framesLimit.defaultCapped} then, or as many as it may still see.`,
    ),
    cursor: marketParameters.cursor,
    format: marketParameters.format,
    comments: marketParameters.comments,
  },
  strict,
)
export type FramesQuery = Static<typeof FramesQuery>

const { ticker, issuer_id, source } = FundamentalsRow.properties
const day = (description: string, example: string) =>
  Type.String({ format: 'date', description, examples: [example] })

export const FrameRow = Type.Object(
  {
    ticker: Type.String({ ...ticker, description: 'The preferred ID of the company.' }),
    issuer_id,
    start: Type.Union([day('', '2009-04-01'), Type.Null()], {
      description: 'First day of the period; null for an instant and if the source only counts quarters.',
    }),
    end: day('Last day of the period, or the day at whose end an instant is.', '2009-06-30'),
    value: Type.Number({ description: 'The value that the filing states.', examples: [48_140_000_000] }),
    decimals: Type.Union([Type.String(), Type.Null()], {
      description:
        'Its stated accuracy: -6 for millions, INF for exact; null if the source does not state it.',
      examples: ['-6'],
    }),
    unit: Type.String({ description: 'Unit.', examples: ['USD'] }),
    accession: Type.String({
      description: 'The filing that states it: the latest one that does and that was public.',
      examples: ['0001193125-09-153165'],
    }),
    form: Type.String({ description: 'Kind of that filing.', examples: ['10-Q'] }),
    filed: day('Day on which it was filed.', '2009-07-22'),
    source,
    known_by: KnownBySchema,
  },
  { ...strict, $id: 'FrameRow' },
)
export type FrameRow = Static<typeof FrameRow>

const sheet = columns({
  ticker: 'text',
  issuer_id: 'text',
  start: 'day',
  end: 'day',
  value: 'number',
  decimals: 'text',
  unit: 'text',
  accession: 'text',
  form: 'text',
  filed: 'day',
  source: 'text',
}) satisfies readonly Column<keyof FrameRow>[]

/** Columns of the rows in CSV and Parquet, in the order of the JSON row. */
export const frameSheetOf = (asOf: AsOf): readonly Column<keyof FrameRow>[] =>
  isInstant(asOf) ? [...sheet, ...columns({ known_by: 'text' })] : sheet

export const FrameList = Type.Object(
  {
    object: Type.Literal('frame'),
    tag: Type.String({ description: 'As sent.', examples: ['us-gaap:Assets'] }),
    period: Type.String({ description: 'As sent.', examples: ['CY2009Q2I'] }),
    unit: Type.String({ description: 'The unit of all values.', examples: ['USD'] }),
    market: marketPageFields.market,
    as_of: marketPageFields.as_of,
    data_version: marketPageFields.data_version,
    licence: marketPageFields.licence,
    attribution: marketPageFields.attribution,
    note: marketPageFields.note('which rows this key does not see'),
    seen_only: marketPageFields.seen_only,
    companies_left: marketPageFields.companies_left,
    count: Type.Integer({ description: 'Number of rows in data.' }),
    next: marketPageFields.next,
    data: Type.Array(FrameRow, {
      description: 'One row per company, in the order in which companies were first imported.',
    }),
  },
  { ...strict, $id: 'Frame' },
)
export type FrameList = Static<typeof FrameList>
