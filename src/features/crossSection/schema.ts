import { type Static, Type } from '@sinclair/typebox'
import { PricesSchema } from '../../backtest/figureScore.ts'
import { type Column, columns } from '../../formats/columns.ts'
import type { ParameterFamily } from '../../http/parameters.ts'
import { type AsOf, isInstant } from '../../instants.ts'
import { asOfParameter, KnownBySchema, zoneParameter } from '../../markets/asOf.ts'
import { ChecksParameter } from '../../markets/checkStates.ts'
import { FundamentalsRow } from '../fundamentals/schema.ts'
import { marketPageFields, marketParameters, type PageLimit } from '../marketPages/query.ts'
import { comparisonFields, comparisonParameters } from './comparisonSchema.ts'

const strict = { additionalProperties: false } as const

export const crossSectionLimit = {
  max: 10_000,
  default: 1_000,
  maxFree: 1_000,
  defaultCapped: 100,
} as const satisfies PageLimit

/**
 * The maximum number of metrics in one request, including those only used as filters: each costs a probe for
 * every company of the page.
 */
export const maxColumns = 20

const Period = Type.Union([
  Type.Literal('FY'),
  Type.Literal('Q1'),
  Type.Literal('Q2'),
  Type.Literal('Q3'),
  Type.Literal('Q4'),
  Type.Literal('TTM'),
  Type.Literal('latest'),
])
export type CrossSectionPeriod = Static<typeof Period>

/** `min_roe=0.1`. Not documented individually, because every metric has two such parameters. */
export const filterParameters: ParameterFamily = {
  pattern: /^(min|max)_[a-z]/,
  named: 'min_<metric>, max_<metric>',
  schema: Type.Number({ description: 'A bound of a figure, in its own unit.', examples: [0.1] }),
}

/** GET /api/v1/cross-section: metrics of every company of a market. */
export const CrossSectionQuery = Type.Object(
  {
    metric: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: `One metric name, or up to ${maxColumns} separated by commas: then the rows have a column for each, in this order. The coverage index lists all metrics.`,
      examples: ['roe'],
    }),
    market: marketParameters.market,
    as_of: asOfParameter('Only figures filed on or before this day. Default today (UTC).', '2010-02-01'),
    tz: zoneParameter,
    data_version: marketParameters.data_version,
    fp: Type.Optional(
      Type.Union(Period.anyOf, {
        default: 'FY',
        anyCase: true,
        description:
          'FY: the latest full year of each company. Q1 to Q4: its latest such quarter; a balance of Q4 is that of the year end. TTM: its latest trailing twelve months, of flows and the ratios on them; counts and figures per share have none. latest: its latest period of any kind, as in view=latest; if a year and a quarter end on the same day, the year.',
        examples: ['FY'],
      }),
    ),
    sector: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,4}$',
        allowed: 'one to four digits',
        description:
          'Only companies whose latest filing up to as_of states an SIC code that begins with these digits: 73 is business services, 7372 prepackaged software. Filings of the Financial Statement Data Sets state one; a company without such a filing is left out.',
        examples: ['7372'],
      }),
    ),
    group: Type.Optional(
      Type.String({
        minLength: 4,
        maxLength: 300,
        description:
          'Adds the column `group`: sicDivision, sic2, sic3, sic4 or ff49 (the 49 industries of Kenneth French), from the SIC code of the latest filing up to as_of that states one; null: no filing states one, or the code is in no group. `ff49:Softw,Hardw` selects the companies of these groups.',
        examples: ['ff49'],
      }),
    ),
    universe: Type.Optional(
      Type.String({
        minLength: 4,
        maxLength: 80,
        description:
          'Only companies that were in one of these states on as_of, as GET /api/v1/universe lists them, separated by commas.',
        examples: ['reporting'],
      }),
    ),
    checks: Type.Optional(ChecksParameter),
    prices: Type.Optional(PricesSchema),
    max_age_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 36_500,
        description:
          'Excludes companies whose period ended more than this many days before as_of. Default: no limit.',
        examples: [550],
      }),
    ),
    ...comparisonParameters,
    limit: marketParameters.limit(
      crossSectionLimit,
      `Maximum number of companies; \`next\` continues after them. The demo key and free keys get at most ${crossSectionLimit.maxFree} per page. With an evaluation key, each company on the page counts as seen; default ${crossSectionLimit.defaultCapped} then, or as many as it may still see.`,
    ),
    cursor: marketParameters.cursor,
    format: marketParameters.format,
    comments: marketParameters.comments,
  },
  strict,
)
export type CrossSectionQuery = Static<typeof CrossSectionQuery>

const { ticker, issuer_id, fy, fp, end, filed, source, until, kind, generation } = FundamentalsRow.properties

const GroupOfCompany = Type.Optional(
  Type.Union([Type.String(), Type.Null()], {
    description: 'Only with the parameter group; null: no filing states a code, or the code is in no group.',
    examples: ['Hardw'],
  }),
)

export const CrossSectionRow = Type.Object(
  {
    ticker: Type.String({ ...ticker, description: 'The preferred ID of the company.' }),
    issuer_id,
    group: GroupOfCompany,
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
    known_by: KnownBySchema,
  },
  { ...strict, $id: 'CrossSectionRow' },
)
export type CrossSectionRow = Static<typeof CrossSectionRow>

const Bound = Type.Union([Type.Number(), Type.Null()])
const Filters = Type.Array(
  Type.Object(
    { metric: Type.String({ examples: ['roe'] }), min: Bound, max: Bound },
    { ...strict, $id: 'CrossSectionFilter' },
  ),
  { description: 'Only where min_<metric> or max_<metric> was sent; null: no bound.' },
)

const knownByColumn = columns({ known_by: 'text' })

/** Columns of the rows in CSV and Parquet, in the order of the JSON row. */
export const crossSectionSheetOf = (
  asOf: AsOf,
  hasGroups: boolean,
): readonly Column<keyof CrossSectionRow>[] => [
  ...crossSectionSheet,
  ...(isInstant(asOf) ? knownByColumn : []),
  ...(hasGroups ? groupColumn : []),
]

const groupColumn = columns({ group: 'text' })

export const crossSectionSheet = columns({
  ticker: 'text',
  issuer_id: 'text',
  fy: 'whole',
  fp: 'text',
  end: 'day',
  filed: 'day',
  value: 'number',
  unit: 'text',
  source: 'text',
  until: 'day',
  kind: 'text',
  generation: 'text',
}) satisfies readonly Column<keyof CrossSectionRow>[]

export const CrossSection = Type.Object(
  {
    object: Type.Literal('cross_section'),
    metric: Type.String({ examples: ['roe'] }),
    market: marketPageFields.market,
    as_of: marketPageFields.as_of,
    fp: Period,
    max_age_days: Type.Union([Type.Integer(), Type.Null()], { description: 'null: no limit.' }),
    sector: Type.Optional(Type.String({ description: 'Only where it was sent.', examples: ['7372'] })),
    group: Type.Optional(Type.String({ description: 'Present if it was sent.', examples: ['ff49'] })),
    universe: Type.Optional(Type.String({ description: 'Present if it was sent.', examples: ['reporting'] })),
    checks: Type.Optional(
      Type.String({ description: 'Present if it was sent.', examples: ['proved,consistent'] }),
    ),
    filters: Type.Optional(Filters),
    price_set: Type.Optional(
      Type.String({ description: 'Only with valuations: the set of prices that they take.' }),
    ),
    ...comparisonFields,
    data_version: marketPageFields.data_version,
    licence: marketPageFields.licence,
    attribution: marketPageFields.attribution,
    note: marketPageFields.note('which rows this key does not see'),
    seen_only: marketPageFields.seen_only,
    companies_left: marketPageFields.companies_left,
    count: Type.Integer({
      description:
        'Number of rows in data. With the demo key or a free key, and with checks, a page may have fewer rows than limit although more pages follow.',
    }),
    next: marketPageFields.next,
    data: Type.Array(CrossSectionRow, {
      description:
        'One row per company, in the order in which companies were first imported, or in that of `sort`.',
    }),
  },
  { ...strict, $id: 'CrossSection' },
)
export type CrossSection = Static<typeof CrossSection>

const Cell = Type.Union([Type.Number(), Type.Null()], {
  description: 'The figure of a metric that was sent; null: the company has none.',
})

/** A row with several metrics: the fields below and one for each metric. */
export const CrossSectionTableRow = Type.Object(
  {
    ticker: CrossSectionRow.properties.ticker,
    issuer_id,
    fy: Type.Integer({ ...fy, description: 'Fiscal year of the latest period in the row.' }),
    fp,
    end: Type.String({ ...end, description: 'Last day of the latest period in the row.' }),
    filed: Type.String({
      ...filed,
      description: 'Day on which the last of these figures was filed: the row was known from then on.',
    }),
    currency: Type.Union([Type.String(), Type.Null()], {
      description: 'Currency of the figures in money, several separated by spaces; null: none is in money.',
      examples: ['USD'],
    }),
    earlier: Type.Union([Type.String(), Type.Null()], {
      description:
        'The metrics whose figure is of an earlier generation (`generation` of a single metric), separated by spaces; null: none is.',
      examples: [null],
    }),
    older: Type.Union([Type.String(), Type.Null()], {
      description:
        'The metrics whose latest figure is of an earlier period, each with its end, separated by spaces: `roe:2018-12-31`. null: all figures are of one period.',
      examples: [null],
    }),
    source,
    known_by: Type.Optional({
      ...KnownBySchema,
      description:
        'Only if as_of is an instant. day: at least one of the figures counted from the end of its filing day.',
    }),
    price_day: Type.Optional(
      Type.Union([Type.String({ format: 'date' }), Type.Null()], {
        description: 'Only with valuations: the day of the close that they take; null: the company has none.',
      }),
    ),
    group: GroupOfCompany,
  },
  { additionalProperties: Cell, $id: 'CrossSectionTableRow' },
)
export type CrossSectionTableRow = Static<typeof CrossSectionTableRow> &
  Readonly<Record<string, string | number | null>>

/** Columns of these rows in all formats. */
export const crossSectionTableSheet = (
  metrics: readonly string[],
  asOf: AsOf | null = null,
  hasGroups = false,
  hasPrices = false,
): Column[] => [
  ...columns({ ticker: 'text', issuer_id: 'text', fy: 'whole', fp: 'text', end: 'day', filed: 'day' }),
  ...metrics.map(name => ({ name, kind: 'number' as const })),
  ...columns({ currency: 'text', earlier: 'text', older: 'text', source: 'text' }),
  ...(asOf !== null && isInstant(asOf) ? knownByColumn : []),
  ...(hasPrices ? columns({ price_day: 'day' }) : []),
  ...(hasGroups ? groupColumn : []),
]

const { object: _object, metric: _metric, data: _data, ...pageProperties } = CrossSection.properties

export const CrossSectionTable = Type.Object(
  {
    object: Type.Literal('cross_section_table'),
    metrics: Type.Array(Type.String(), {
      description: 'The columns, in the order of the request.',
      examples: [['roe', 'revenue']],
    }),
    ...pageProperties,
    data: Type.Array(CrossSectionTableRow, {
      description: 'One row per company that has any of the figures, in the order of the single metric.',
    }),
  },
  { ...strict, $id: 'CrossSectionTable' },
)
export type CrossSectionTable = Omit<Static<typeof CrossSectionTable>, 'data'> & {
  data: CrossSectionTableRow[]
}

export const CrossSectionAnswer = Type.Union([CrossSection, CrossSectionTable], {
  $id: 'CrossSectionAnswer',
  description: '`object` says which of the two it is: one metric, or a table of several.',
})
