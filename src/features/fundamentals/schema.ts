import { type Static, Type } from '@sinclair/typebox'
import { freeLicenceNotice } from '../../access/licences.ts'
import { IsoDateSchema } from '../../dates.ts'
import { type Column, FormatSchema } from '../../formats/columns.ts'
import { defaultCoverageLimit, maxCoverageLimit } from '../coverage/schema.ts'

const strict = { additionalProperties: false } as const

/** The pattern of an ID in a request, before it is turned to upper case. */
export const idPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$'

/** The limit of companies in one request. */
export const maxTickers = 100

/** Which vintages of a period `view=history` shows. */
export const vintages = ['first', 'latest', 'all'] as const
export type Vintage = (typeof vintages)[number]

/** GET /api/v1/fundamentals: with `ticker` the figures of one company or several, without it the coverage index. */
export const FundamentalsQuery = Type.Object(
  {
    ticker: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._, -]+$',
        maxLength: 4_000,
        description: `Entity ID: a ticker symbol (US), else the register number and the market suffix. Up to ${maxTickers} separated by commas; the answer keeps their order. Omit for the coverage index.`,
        examples: ['AAPL'],
      }),
    ),
    as_of: Type.Optional(
      IsoDateSchema('Only rows filed on or before this day. Default today (UTC).', '2010-02-01'),
    ),
    view: Type.Optional(
      Type.Union([Type.Literal('history'), Type.Literal('latest')], {
        default: 'history',
        description:
          'history: every vintage filed by as_of. latest: one row per metric, the latest period at its latest vintage.',
        examples: ['latest'],
      }),
    ),
    vintage: Type.Optional(
      Type.Union([Type.Literal('first'), Type.Literal('latest'), Type.Literal('all')], {
        default: 'all',
        description:
          'Which vintages of a period view=history shows. first: the one filed first, whatever was filed later. latest: the one that was current on as_of. all: each one filed by as_of.',
        examples: ['first'],
      }),
    ),
    metric: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_000,
        description: 'Comma-separated metric names; omit for all. The coverage index lists them.',
        examples: ['revenue,net_margin'],
      }),
    ),
    from: Type.Optional(IsoDateSchema('Only periods that end on or after this day.', '2009-09-26')),
    market: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2}$',
        description:
          "Market code. With ticker: no rows unless it is the entity's. Without: filters the coverage index.",
        examples: ['US'],
      }),
    ),
    format: FormatSchema,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxCoverageLimit,
        default: defaultCoverageLimit,
        description: 'Tickers on a page of the coverage index. Only without ticker.',
        examples: [100],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The `next` of the page before. Only without ticker.',
        examples: ['WyJVUyIsIkFBUEwiLDFd'],
      }),
    ),
  },
  strict,
)
export type FundamentalsQuery = Static<typeof FundamentalsQuery>

export const fiscalPeriods = ['FY', 'Q1', 'Q2', 'Q3', 'Q4'] as const

export const FundamentalsRow = Type.Object(
  {
    m: Type.String({ description: 'Metric.', examples: ['revenue'] }),
    fy: Type.Integer({ description: 'Fiscal year of the period.', examples: [2009] }),
    fp: Type.Union(
      [Type.Literal('FY'), Type.Literal('Q1'), Type.Literal('Q2'), Type.Literal('Q3'), Type.Literal('Q4')],
      { description: 'Fiscal period; Q1 to Q4 are single quarters.', examples: ['FY'] },
    ),
    end: Type.String({ format: 'date', description: 'Last day of the period.', examples: ['2009-09-26'] }),
    filed: Type.String({
      format: 'date',
      description: 'Day on which the figure became known: the point-in-time key.',
      examples: ['2010-01-25'],
    }),
    v: Type.Number({ description: 'Value.', examples: [42_905_000_000] }),
    u: Type.String({ description: 'Unit.', examples: ['USD'] }),
    ticker: Type.String({ description: 'The entity ID, as registered.', examples: ['AAPL'] }),
    issuer_id: Type.String({ description: "The register's own number.", examples: ['0000320193'] }),
    source: Type.String({
      description: 'Source notice of the register.',
      examples: ['U.S. Securities and Exchange Commission, EDGAR'],
    }),
  },
  strict,
)
export type FundamentalsRow = Static<typeof FundamentalsRow>

/** Columns of the rows in CSV and Parquet, in the order of the JSON row. */
export const fundamentalsSheet = [
  { name: 'm', kind: 'text' },
  { name: 'fy', kind: 'whole' },
  { name: 'fp', kind: 'text' },
  { name: 'end', kind: 'day' },
  { name: 'filed', kind: 'day' },
  { name: 'v', kind: 'number' },
  { name: 'u', kind: 'text' },
  { name: 'ticker', kind: 'text' },
  { name: 'issuer_id', kind: 'text' },
  { name: 'source', kind: 'text' },
] as const satisfies readonly Column<keyof FundamentalsRow>[]

export const fundamentalsColumns = fundamentalsSheet.map(column => column.name)

export const FundamentalsList = Type.Object(
  {
    object: Type.Literal('fundamentals_list'),
    ticker: Type.String({ description: 'The entity ID, as registered.', examples: ['AAPL'] }),
    issuer_id: Type.String({ examples: ['0000320193'] }),
    name: Type.Union([Type.String(), Type.Null()], {
      description: "In the register's own script.",
      examples: ['Apple Inc.'],
    }),
    market: Type.String({ examples: ['US'] }),
    as_of: Type.String({
      format: 'date',
      description: 'The day as of which the answer is true.',
      examples: ['2010-02-01'],
    }),
    view: Type.Union([Type.Literal('history'), Type.Literal('latest')]),
    vintage: Type.Optional(
      Type.Union([Type.Literal('first'), Type.Literal('latest')], {
        description: 'Only with vintage=first or vintage=latest.',
      }),
    ),
    data_version: Type.Integer({ description: 'Grows with each import; equal versions mean equal answers.' }),
    licence: Type.Optional(
      Type.String({ description: 'Demo and free keys only.', examples: [freeLicenceNotice] }),
    ),
    attribution: Type.Array(Type.String(), {
      description: 'Statutory attribution of each market in the response.',
    }),
    note: Type.Optional(
      Type.String({
        description:
          'Why rows of the request or of one of its metrics are missing, which rows this key does not see, or what is assumed about the ID.',
      }),
    ),
    count: Type.Integer({ description: 'Rows in data.' }),
    data: Type.Array(FundamentalsRow),
  },
  strict,
)
export type FundamentalsList = Static<typeof FundamentalsList>

export const FundamentalsCompany = Type.Object(
  {
    ticker: FundamentalsList.properties.ticker,
    issuer_id: FundamentalsList.properties.issuer_id,
    name: FundamentalsList.properties.name,
    market: FundamentalsList.properties.market,
    note: FundamentalsList.properties.note,
    count: Type.Integer({ description: 'Rows of this company in data.' }),
  },
  strict,
)
export type FundamentalsCompany = Static<typeof FundamentalsCompany>

/** The answer for several tickers: company after company, in the order of the request. */
export const FundamentalsBatch = Type.Object(
  {
    object: Type.Literal('fundamentals_list'),
    as_of: FundamentalsList.properties.as_of,
    view: FundamentalsList.properties.view,
    vintage: FundamentalsList.properties.vintage,
    data_version: FundamentalsList.properties.data_version,
    licence: FundamentalsList.properties.licence,
    attribution: FundamentalsList.properties.attribution,
    data: Type.Array(FundamentalsRow, {
      description: 'Company after company in the order of the request, each as if it were requested alone.',
    }),
    companies: Type.Array(FundamentalsCompany, { description: 'In the order of the request.' }),
    count: FundamentalsList.properties.count,
  },
  strict,
)
export type FundamentalsBatch = Static<typeof FundamentalsBatch>
