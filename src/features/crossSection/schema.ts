import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../../dates.ts'
import type { Column } from '../../formats/columns.ts'
import { FundamentalsRow } from '../fundamentals/schema.ts'
import { marketPageFields, marketParameters, type PageLimit } from '../marketPages/query.ts'

const strict = { additionalProperties: false } as const

export const crossSectionLimit = {
  max: 10_000,
  default: 1_000,
  maxFree: 1_000,
} as const satisfies PageLimit

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
    metric: marketParameters.metric('roe'),
    market: marketParameters.market,
    as_of: Type.Optional(
      IsoDateSchema('Only figures filed on or before this day. Default today (UTC).', '2010-02-01'),
    ),
    fp: Type.Optional(
      Type.Union(Period.anyOf, {
        default: 'FY',
        anyCase: true,
        description:
          'FY: the latest full year of each company. Q1 to Q4: its latest such quarter. latest: its latest period of any kind, as in view=latest; if a year and a quarter end on the same day, the year.',
        examples: ['FY'],
      }),
    ),
    max_age_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 36_500,
        description:
          'Excludes companies whose period ended more than this many days before as_of. Default: no limit.',
        examples: [550],
      }),
    ),
    limit: marketParameters.limit(
      crossSectionLimit,
      `Maximum number of companies; \`next\` continues after them. The demo key and free keys get at most ${crossSectionLimit.maxFree} per page. With an evaluation key, each company on the page counts as seen.`,
    ),
    cursor: marketParameters.cursor,
    format: marketParameters.format,
    comments: marketParameters.comments,
  },
  strict,
)
export type CrossSectionQuery = Static<typeof CrossSectionQuery>

const { ticker, issuer_id, fy, fp, end, filed, source, until, kind, generation } = FundamentalsRow.properties

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
    until,
    kind,
    generation,
  },
  { ...strict, $id: 'CrossSectionRow' },
)
export type CrossSectionRow = Static<typeof CrossSectionRow>

/** Columns of the rows in CSV and Parquet, in the order of the JSON row. */
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
  { name: 'until', kind: 'day' },
  { name: 'kind', kind: 'text' },
] as const satisfies readonly Column<keyof CrossSectionRow>[]

export const CrossSection = Type.Object(
  {
    object: Type.Literal('cross_section'),
    metric: Type.String({ examples: ['roe'] }),
    market: marketPageFields.market,
    as_of: marketPageFields.as_of,
    fp: Period,
    max_age_days: Type.Union([Type.Integer(), Type.Null()], { description: 'null: no limit.' }),
    data_version: marketPageFields.data_version,
    licence: marketPageFields.licence,
    attribution: marketPageFields.attribution,
    note: marketPageFields.note('which rows this key does not see'),
    count: Type.Integer({
      description:
        'Number of rows in data. With the demo key or a free key, a page may have fewer rows than limit although more pages follow.',
    }),
    next: marketPageFields.next,
    data: Type.Array(CrossSectionRow, {
      description:
        'One row per company, in the order in which companies were first imported. New ones are appended.',
    }),
  },
  { ...strict, $id: 'CrossSection' },
)
export type CrossSection = Static<typeof CrossSection>
