import { type Static, Type } from '@sinclair/typebox'
import { PricesSchema } from '../../backtest/figureScore.ts'
import { type Column, CommentsSchema, columns, FormatSchema } from '../../formats/columns.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { asOfParameter, zoneParameter } from '../../markets/asOf.ts'
import { FundamentalsRow } from '../fundamentals/schema.ts'
import { marketPageFields, marketParameters, type PageLimit } from '../marketPages/query.ts'

const strict = { additionalProperties: false } as const

export const strategyLimit = {
  max: 2_000,
  default: 500,
  maxFree: 500,
  defaultCapped: 100,
} as const satisfies PageLimit

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const PublishedRecord = Type.Object(
  {
    acronym: Type.String({ description: 'Its name in SignalDoc.csv of OpenSourceAP/CrossSection.' }),
    authors: Type.String(),
    year: Type.Integer(),
    journal: Type.String(),
    sample_start_year: Type.Integer(),
    sample_end_year: Type.Integer(),
    t_value: nullable(Type.Number(), 'The published t value; null: SignalDoc.csv states none.'),
    return_pct: nullable(
      Type.Number(),
      'The published mean return in percent a month; null: none is stated.',
    ),
    predictability: Type.Union([Type.Literal('clear'), Type.Literal('likely'), Type.Literal('not')], {
      description: 'What SignalDoc.csv says of the evidence in the paper.',
    }),
  },
  { ...strict, $id: 'StrategyRecord' },
)

const StrategyLine = Type.Object(
  {
    name: Type.String(),
    formula: Type.String({
      description:
        'Of metrics and earlier lines. name[-1]: the period before. A comparison is 1 or 0. optional(x): 0 if x is missing. positive(x): missing unless x is above 0. mean and sd (with n - 1): over the lags given.',
    }),
    explanation: Type.String(),
  },
  { ...strict, $id: 'StrategyLine' },
)

const StrategyGap = Type.Object(
  {
    market: Type.String(),
    lacking: Type.Array(Type.String(), {
      description: 'Metrics that it requires and that are not reported.',
    }),
  },
  { ...strict, $id: 'StrategyGap' },
)

export const StrategySummary = Type.Object(
  {
    name: Type.String({ description: 'Send it as a metric of an as-of join or as source.score.' }),
    title: Type.String(),
    explanation: Type.String(),
    period: Type.Union([Type.Literal('FY'), Type.Literal('Q')], {
      description: 'FY: of fiscal years. Q: of single quarters.',
    }),
    unit: Type.Union([Type.Literal('pure'), Type.Literal('currency')]),
    sign: Type.Union([Type.Literal(1), Type.Literal(-1)], {
      description: 'The score is the sign times the value, so that higher is better.',
    }),
    takes_prices: Type.Boolean({
      description: 'Whether it needs a set of prices: `prices` of the values, of joins and of backtests.',
    }),
    inputs: Type.Array(Type.String(), {
      description: 'The metrics of its lines. The first one decides the period.',
    }),
    markets: Type.Array(Type.String(), {
      description: 'Markets whose registers report all that it requires of them.',
    }),
    unavailable: Type.Array(StrategyGap, {
      description: 'The other markets, with what their registers do not report.',
    }),
    lines: Type.Array(StrategyLine, {
      description: 'In the order of computation; the last one is the value.',
    }),
    paper: Type.Object(
      { authors: Type.String(), year: Type.Integer(), title: Type.String(), journal: Type.String() },
      { ...strict, $id: 'StrategyPaper' },
    ),
    published: nullable(PublishedRecord, 'null: SignalDoc.csv has no such signal.'),
    notes: Type.Array(Type.String(), { description: 'Where it differs from the paper, and why.' }),
  },
  { ...strict, $id: 'StrategySummary' },
)
export type StrategySummary = Static<typeof StrategySummary>

export const StrategyList = Type.Object(
  {
    object: Type.Literal('strategy_list'),
    count: Type.Integer(),
    data: Type.Array(StrategySummary),
  },
  { ...strict, $id: 'StrategyList' },
)
export type StrategyList = Static<typeof StrategyList>

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })
const LagStudy = Type.Object(
  {
    months: Type.Union([Type.Literal(4), Type.Literal(6)]),
    hidden: share(
      'Share of the values that were public before the lag had passed: a user of the lag does not see them yet.',
    ),
    hidden_days: nullable(
      Type.Number(),
      'Mean number of days for which these stay hidden; null: there are none.',
    ),
    look_ahead: share(
      'Share of the values that became public only after the lag had passed: a user of the lag sees the future.',
    ),
    look_ahead_days: nullable(
      Type.Number(),
      'Mean number of days by which these are seen too early; null: there are none.',
    ),
  },
  { ...strict, $id: 'StrategyLag' },
)
export type LagStudy = Static<typeof LagStudy>

const CoverageYear = Type.Object(
  {
    market: Type.String(),
    year: Type.Integer({ description: 'Calendar year in which the periods end.' }),
    companies: Type.Integer({ description: 'Companies with a value for such a period.' }),
    values: Type.Integer({ description: 'Values: one for each company and period.' }),
    lags: Type.Array(LagStudy, {
      description:
        'What a lag of 4 or 6 months from the end of the period would have done, in place of the filing days.',
    }),
  },
  { ...strict, $id: 'StrategyCoverage' },
)
export type CoverageYear = Static<typeof CoverageYear>

export const StrategyDetail = Type.Object(
  {
    object: Type.Literal('strategy'),
    data_version: Type.Integer(),
    ...StrategySummary.properties,
    coverage: Type.Array(CoverageYear, { description: 'By market and year.' }),
  },
  { ...strict, $id: 'Strategy' },
)
export type StrategyDetail = Static<typeof StrategyDetail>

export const StrategyQuery = Type.Object({ data_version: DataVersionParameter }, strict)

export const StrategyValuesQuery = Type.Object(
  {
    market: marketParameters.market,
    as_of: asOfParameter('Only filings up to this day count. Default today (UTC).', '2019-12-31'),
    tz: zoneParameter,
    prices: Type.Optional(PricesSchema),
    data_version: marketParameters.data_version,
    limit: marketParameters.limit(strategyLimit, 'Maximum number of companies on a page.'),
    cursor: marketParameters.cursor,
    format: FormatSchema,
    comments: CommentsSchema,
  },
  strict,
)
export type StrategyValuesQuery = Static<typeof StrategyValuesQuery>

export const StrategyPath = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,63}$',
      allowed: 'the name of a strategy, in lower case',
      description: 'The name of a strategy.',
      examples: ['accruals'],
    }),
  },
  strict,
)

const { ticker, issuer_id, source } = FundamentalsRow.properties
const number = (description: string) => nullable(Type.Number(), description)

const StrategyValueRow = Type.Object(
  {
    ticker,
    issuer_id,
    end: Type.String({ format: 'date', description: 'Last day of the period.' }),
    filed: Type.String({
      format: 'date',
      description: 'Day on which the last of the inputs was filed: the value was known from then on.',
    }),
    value: number('The last line; null: something is missing.'),
    score: number('The sign times the value.'),
    unit: Type.String(),
    missing: Type.Array(Type.String(), {
      description: 'The inputs that are not known, such as `assets[-1]`.',
    }),
    filings: Type.Array(Type.String(), {
      description:
        'For each input that is known: its name, the last day of its period, its filing day and its accession. For market_cap: the day of the close, the day on which it was known, and no accession.',
    }),
    source,
  },
  {
    additionalProperties: Type.Union([Type.Number(), Type.Null()]),
    $id: 'StrategyValueRow',
    description:
      'Besides these fields, each line and each input has one: `assets` of the period itself, `assets_1` of the one before.',
  },
)

export const StrategyValues = Type.Object(
  {
    object: Type.Literal('strategy_values'),
    strategy: Type.String(),
    market: marketPageFields.market,
    as_of: marketPageFields.as_of,
    price_set: Type.Optional(Type.String({ description: 'The set of prices that the values take.' })),
    data_version: marketPageFields.data_version,
    licence: marketPageFields.licence,
    attribution: marketPageFields.attribution,
    note: marketPageFields.note('why'),
    seen_only: marketPageFields.seen_only,
    companies_left: marketPageFields.companies_left,
    count: Type.Integer({ description: 'Number of rows in data.' }),
    next: marketPageFields.next,
    data: Type.Array(StrategyValueRow, {
      description: 'One row per company that states the first input, in order of import.',
    }),
  },
  { ...strict, $id: 'StrategyValues' },
)

export const strategySheet = (numbers: readonly string[]): Column[] => [
  ...columns({
    ticker: 'text',
    issuer_id: 'text',
    end: 'day',
    filed: 'day',
    value: 'number',
    score: 'number',
    unit: 'text',
  }),
  ...numbers.map(name => ({ name, kind: 'number' as const })),
  ...columns({ missing: 'text', filings: 'text', source: 'text' }),
]
