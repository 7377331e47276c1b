import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../../dates.ts'
import { type Column, CommentsSchema, columns, FormatSchema } from '../../formats/columns.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { type AsOf, isInstant } from '../../instants.ts'
import { asOfParameter, KnownBySchema, zoneParameter } from '../../markets/asOf.ts'
import { MarketCode } from '../../markets/parameters.ts'
import { idPattern } from '../companies/lookup.ts'
import { SymbolAssumed } from '../companies/symbolSchema.ts'
import { FundamentalsRow } from '../fundamentals/schema.ts'
import { marketPageFields } from '../marketPages/query.ts'

const strict = { additionalProperties: false } as const

export const maxFilings = 1_000
export const defaultFilings = 100

/** GET /api/v1/filings: filings, latest first. */
export const FilingsQuery = Type.Object(
  {
    market: Type.Optional(MarketCode('Market code. Required without ticker.')),
    ticker: Type.Optional(
      Type.String({
        pattern: idPattern,
        allowed: 'a company ID, for example AAPL or 2330.TW',
        description: 'Only filings of this company: any ID of it, or its `issuer_id`.',
        examples: ['AAPL'],
      }),
    ),
    from: Type.Optional(IsoDateSchema('Only filings of this day or later. Default: all.', '2010-01-01')),
    as_of: asOfParameter('Only filings of this day or earlier. Default today (UTC).', '2010-02-01'),
    tz: zoneParameter,
    data_version: DataVersionParameter,
    form: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Only these kinds of filing, as the register names them, separated by commas.',
        examples: ['10-K,10-K/A'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxFilings,
        default: defaultFilings,
        description: 'Maximum number of filings on a page.',
        examples: [defaultFilings],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
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
export type FilingsQuery = Static<typeof FilingsQuery>

const { ticker, issuer_id, filed, source } = FundamentalsRow.properties
const text = (description: string, example: string) => Type.String({ description, examples: [example] })
const textOrNull = (description: string, example: string) =>
  Type.Union([Type.String(), Type.Null()], { description, examples: [example] })

export const FilingRow = Type.Object(
  {
    filed,
    form: text('Kind of the filing, as the register names it.', '10-K/A'),
    accession: text(
      "The register's number of the filing; outside the United States the market and a colon precede it. A register that overwrites has no number for an edit: its day follows.",
      '0001193125-10-012091',
    ),
    accepted_at: textOrNull(
      'When the register accepted it, an instant in UTC; null if no imported document states it unambiguously. The filing then counts from the end of its day.',
      '2010-01-25T21:27:00Z',
    ),
    figures: Type.Integer({
      description: 'Figures that it states under metrics of this service, repeated ones included.',
      examples: [161],
    }),
    ticker: Type.String({ ...ticker, description: 'The preferred ID of the company.' }),
    issuer_id,
    url: textOrNull(
      'Address of the filing at the register; null where its number leads to none.',
      'https://www.sec.gov/Archives/edgar/data/320193/000119312510012091/0001193125-10-012091-index.htm',
    ),
    source,
    known_by: KnownBySchema,
  },
  { ...strict, $id: 'FilingRow' },
)
export type FilingRow = Static<typeof FilingRow>

/** Columns of the rows in CSV and Parquet, in the order of the JSON row. */
export const filingsSheet = columns({
  filed: 'day',
  form: 'text',
  accession: 'text',
  accepted_at: 'text',
  figures: 'whole',
  ticker: 'text',
  issuer_id: 'text',
  url: 'text',
  source: 'text',
}) satisfies readonly Column<keyof FilingRow>[]

export const filingsSheetOf = (asOf: AsOf): readonly Column<keyof FilingRow>[] =>
  isInstant(asOf) ? [...filingsSheet, { name: 'known_by', kind: 'text' }] : filingsSheet

export const FilingList = Type.Object(
  {
    object: Type.Literal('filing_list'),
    market: marketPageFields.market,
    ticker: Type.Union([Type.String(), Type.Null()], { description: 'null: all companies of the market.' }),
    from: Type.Union([Type.String({ format: 'date' }), Type.Null()], { description: 'null: no limit.' }),
    as_of: marketPageFields.as_of,
    symbol_assumed: SymbolAssumed,
    data_version: marketPageFields.data_version,
    licence: marketPageFields.licence,
    attribution: marketPageFields.attribution,
    note: marketPageFields.note('what has changed about the ID'),
    count: Type.Integer({ description: 'Number of rows in data.' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` to get the filings before these; null on the last page.',
    }),
    data: Type.Array(FilingRow, {
      description: 'The latest day first; filings of one day by accession, descending.',
    }),
  },
  { ...strict, $id: 'FilingList' },
)
export type FilingList = Static<typeof FilingList>
