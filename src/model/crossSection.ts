import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from './date.ts'
import { FundamentalsList, FundamentalsRow } from './fundamentals.ts'
import { type Column, FormatSchema } from './sheet.ts'

const strict = { additionalProperties: false } as const

export const crossSectionLimit = { most: 10_000, usual: 1_000, mostOfFree: 1_000 } as const

const Period = Type.Union([
  Type.Literal('FY'),
  Type.Literal('Q1'),
  Type.Literal('Q2'),
  Type.Literal('Q3'),
  Type.Literal('Q4'),
  Type.Literal('latest'),
])
export type CrossSectionPeriod = Static<typeof Period>

/** GET /api/v1/cross-section: one metric of every company of a market. */
export const CrossSectionQuery = Type.Object(
  {
    metric: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'One metric name; the coverage index lists them.',
      examples: ['roe'],
    }),
    market: Type.String({
      pattern: '^[A-Za-z]{2}$',
      description: 'Market code. One market at a time: the same column can mean different things in two.',
      examples: ['US'],
    }),
    as_of: Type.Optional(
      IsoDateSchema('Only figures filed on or before this day. Default today (UTC).', '2010-02-01'),
    ),
    fp: Type.Optional(
      Type.Union(Period.anyOf, {
        default: 'FY',
        description:
          'FY: the latest full year of each company. Q1 to Q4: its latest such quarter. latest: its latest period of any kind, the year before the quarter where both end on one day, as view=latest shows it.',
        examples: ['FY'],
      }),
    ),
    max_age_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 36_500,
        description:
          'Leaves out companies whose period ended more than this many days before as_of. Default: no bound.',
        examples: [550],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: crossSectionLimit.most,
        default: crossSectionLimit.usual,
        description: `At most this many companies; \`next\` continues after them. The demo key and free keys get at most ${crossSectionLimit.mostOfFree} at a time, and an evaluation key counts each company on the page.`,
        examples: [100],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "The `next` of the page before, with the other parameters unchanged. It holds for the day of that page: where `as_of` is left out, send the answer's `as_of` from midnight UTC on.",
        examples: ['VVMgMSAyMDEwLTAyLTAxIDQ'],
      }),
    ),
    format: FormatSchema,
  },
  strict,
)
export type CrossSectionQuery = Static<typeof CrossSectionQuery>

const { ticker, issuer_id, fy, fp, end, filed, source } = FundamentalsRow.properties

export const CrossSectionRow = Type.Object(
  {
    ticker: Type.String({ ...ticker, description: 'The preferred ID of the company.' }),
    issuer_id,
    fy,
    fp,
    end,
    filed,
    value: Type.Number({ description: 'Value.', examples: [0.1935] }),
    unit: Type.String({ description: 'Unit.', examples: ['pure'] }),
    source,
  },
  strict,
)
export type CrossSectionRow = Static<typeof CrossSectionRow>

/** Columns of the rows as a sheet, in the order of the JSON row. */
export const crossSectionSheet = [
  { name: 'ticker', kind: 'text' },
  { name: 'issuer_id', kind: 'text' },
  { name: 'fy', kind: 'whole' },
  { name: 'fp', kind: 'text' },
  { name: 'end', kind: 'day' },
  { name: 'filed', kind: 'day' },
  { name: 'value', kind: 'number' },
  { name: 'unit', kind: 'text' },
  { name: 'source', kind: 'text' },
] as const satisfies readonly Column<keyof CrossSectionRow>[]

export const CrossSection = Type.Object(
  {
    object: Type.Literal('cross_section'),
    metric: Type.String({ examples: ['roe'] }),
    market: Type.String({ examples: ['US'] }),
    as_of: FundamentalsList.properties.as_of,
    fp: Period,
    max_age_days: Type.Union([Type.Integer(), Type.Null()], { description: 'null: no bound.' }),
    data_version: FundamentalsList.properties.data_version,
    licence: FundamentalsList.properties.licence,
    attribution: FundamentalsList.properties.attribution,
    note: Type.Optional(
      Type.String({
        description:
          'Why there are no rows, which rows this key leaves out, or that data was imported since the first page.',
      }),
    ),
    count: Type.Integer({
      description:
        'Rows in data. A page of the demo key or a free key may hold fewer than limit and still have a next one.',
    }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` for the companies after these; null at the end.',
    }),
    data: Type.Array(CrossSectionRow, {
      description:
        'One row a company, in the order in which the service came to know them: later ones are appended.',
    }),
  },
  strict,
)
export type CrossSection = Static<typeof CrossSection>
