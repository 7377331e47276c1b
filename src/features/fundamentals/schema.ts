import { type Static, Type } from '@sinclair/typebox'
import { PricesSchema } from '../../backtest/figureScore.ts'
import { IsoDateSchema } from '../../dates.ts'
import { CommentsSchema, FormatSchema } from '../../formats/columns.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { asOfParameter, KnownBySchema, zoneParameter } from '../../markets/asOf.ts'
import { ChecksParameter } from '../../markets/checkStates.ts'
import { MarketCode } from '../../markets/parameters.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import { Lineage, LineageParameter } from '../companies/lineage.ts'
import { SymbolAssumed } from '../companies/symbolSchema.ts'
import { defaultCoverageLimit, maxCoverageLimit } from '../coverage/schema.ts'
import { MissingComponents } from './missingSchema.ts'
import { provenanceFields } from './provenanceSchema.ts'

const strict = { additionalProperties: false } as const

/** The maximum number of companies in one request. */
export const maxTickers = 100

/** Which vintages of a period `view=history` shows. */
export const vintages = ['first', 'latest', 'all'] as const
export type Vintage = (typeof vintages)[number]

/**
 * GET /api/v1/fundamentals: with `ticker` the figures of one or several companies, without it the coverage
 * index.
 */
export const FundamentalsQuery = Type.Object(
  {
    ticker: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._/, -]+$',
        allowed: `company IDs, up to ${maxTickers} separated by commas`,
        maxLength: 4_000,
        description: `Company ID: a ticker symbol (US), otherwise the register number with the market suffix; the \`issuer_id\` of an answer is one, too. Up to ${maxTickers} IDs, separated by commas; the response keeps their order. Omit it to get the coverage index.`,
        examples: ['AAPL'],
      }),
    ),
    as_of: asOfParameter('Only rows filed on or before this day. Default today (UTC).', '2010-02-01'),
    tz: zoneParameter,
    data_version: DataVersionParameter,
    view: Type.Optional(
      Type.Union([Type.Literal('history'), Type.Literal('latest')], {
        default: 'history',
        description:
          'history: every vintage filed up to as_of. latest: one row per metric, the latest period in its latest vintage; a row is `stale` if the company has since reported a full year without that metric, or with fp=TTM a later part of a year.',
        examples: ['latest'],
      }),
    ),
    vintage: Type.Optional(
      Type.Union([Type.Literal('first'), Type.Literal('latest'), Type.Literal('all')], {
        default: 'all',
        description:
          'Which vintages of a period view=history shows. first: the one filed first, whatever was filed later. latest: the one that was current on as_of. all: every one filed up to as_of.',
        examples: ['first'],
      }),
    ),
    metric: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_000,
        description:
          'Metric names, separated by commas. Omit it for all metrics. The coverage index lists them.',
        examples: ['revenue,net_margin'],
      }),
    ),
    layout: Type.Optional(
      Type.Union([Type.Literal('long'), Type.Literal('wide')], {
        default: 'long',
        description:
          'long: a row per figure. wide: a row per fiscal period, with a column for each metric in the order of `metric`; its figures are those that were current on as_of, or with vintage=first the first ones. Several companies in wide layout require metric. Only with ticker.',
        examples: ['wide'],
      }),
    ),
    max_age_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 36_500,
        description:
          'With view=latest: leaves out rows whose period ended more than this many days before as_of. Default: no limit. Only with ticker.',
        examples: [550],
      }),
    ),
    adjust: Type.Optional(
      Type.Literal('splits', {
        description:
          'splits: divides figures per share and multiplies share counts by the splits that first appear in a filing after that of the row and by as_of. Omit it for figures as filed. Only with ticker.',
        examples: ['splits'],
      }),
    ),
    lineage: Type.Optional(LineageParameter),
    prices: Type.Optional(PricesSchema),
    checks: Type.Optional(ChecksParameter),
    from: Type.Optional(IsoDateSchema('Only periods that end on or after this day.', '2009-09-26')),
    fp: Type.Optional(
      Type.String({
        pattern: '^([Ff][Yy]|[Qq][1-4]|[Tt][Tt][Mm])(, ?([Ff][Yy]|[Qq][1-4]|[Tt][Tt][Mm]))*$',
        maxLength: 22,
        allowed: 'FY, Q1, Q2, Q3 or Q4, or several of them separated by commas, or TTM alone',
        description:
          'Only these fiscal periods: FY, Q1, Q2, Q3, Q4, or several separated by commas. view=latest then shows the latest of them. Balances at a year end are FY; if Q4 is sent but FY is not, they are labelled Q4. TTM, which must be sent alone: the trailing twelve months, computed as full year + year to date - the same months of the year before, all of one generation; at the end of a year, the year itself. Only with ticker.',
        examples: ['FY'],
      }),
    ),
    fy: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{3}([.]{2}[1-9][0-9]{3})?$',
        maxLength: 10,
        allowed: 'a fiscal year like 2015, or a range like 2015..2020',
        description:
          'Only periods of this fiscal year, or of a range of them (2015..2020). view=latest then shows the latest of them. Only with ticker.',
        examples: ['2009'],
      }),
    ),
    market: Type.Optional(
      MarketCode(
        'Market code. With ticker: returns no rows if the company belongs to another market. Without ticker: filters the coverage index.',
      ),
    ),
    fields: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 120,
        description:
          'Where each row comes from, as further columns: accession, form, tag, start, accepted_at, inputs, url, check, statement, line, label, or several separated by commas. The last three say where the filing itself presents the figure. until and kind are always there. Only with ticker, and not with layout=wide.',
        examples: ['accession,form,tag,url'],
      }),
    ),
    format: FormatSchema,
    comments: CommentsSchema,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxCoverageLimit,
        default: defaultCoverageLimit,
        description: 'Maximum number of tickers on a page of the coverage index. Only without ticker.',
        examples: [100],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The `next` of the previous page. Only without ticker.',
        examples: ['WyJVUyIsIkFBUEwiLDFd'],
      }),
    ),
  },
  strict,
)
export type FundamentalsQuery = Static<typeof FundamentalsQuery>

export const fiscalPeriods = ['FY', 'Q1', 'Q2', 'Q3', 'Q4', 'TTM'] as const

export const FundamentalsRow = Type.Object(
  {
    m: Type.String({ description: 'Metric.', examples: ['revenue'] }),
    fy: Type.Integer({ description: 'Fiscal year of the period.', examples: [2009] }),
    fp: Type.Union(
      [
        ...[
          Type.Literal('FY'),
          Type.Literal('Q1'),
          Type.Literal('Q2'),
          Type.Literal('Q3'),
          Type.Literal('Q4'),
        ],
        Type.Literal('TTM'),
        Type.Literal('D'),
      ],
      {
        description:
          'Fiscal period; Q1 to Q4 are single quarters. TTM only where fp=TTM was sent. D: a valuation on the day `end`; `fy` is the calendar year of that day, and `filed` the day on which the last of its inputs became known.',
        examples: ['FY'],
      },
    ),
    end: Type.String({ format: 'date', description: 'Last day of the period.', examples: ['2009-09-26'] }),
    filed: Type.String({
      format: 'date',
      description: 'Day on which the figure was filed and became known: the point-in-time key.',
      examples: ['2010-01-25'],
    }),
    v: Type.Number({ description: 'Value.', examples: [42_905_000_000] }),
    u: Type.String({ description: 'Unit.', examples: ['USD'] }),
    ticker: Type.String({ description: 'The company ID, as registered.', examples: ['AAPL'] }),
    issuer_id: Type.String({ description: "The register's own number.", examples: ['0000320193'] }),
    source: Type.String({
      description: 'Source notice of the register.',
      examples: ['U.S. Securities and Exchange Commission, EDGAR'],
    }),
    until: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
      description:
        'Filed day from which the figure is no longer current: superseded, or withdrawn because its inputs changed. null while it is current, or if that day is after as_of.',
      examples: [null],
    }),
    kind: Type.Union([Type.Literal('stated'), Type.Literal('derived')], {
      description: 'stated: a filing states it. derived: computed from figures that filings state.',
      examples: ['stated'],
    }),
    split_factor: Type.Optional(
      Type.Number({
        description:
          'Only with adjust=splits, on share counts and figures per share: by what the filed figure was multiplied or divided. 1: it is as filed.',
        examples: [4],
      }),
    ),
    stale: Type.Optional(
      Type.Literal(true, {
        description:
          'Only with view=latest, on a row whose period ended more than 350 days before the latest period that the company has reported: it has reported a full year since, without this metric. With fp=TTM: on every row for which the company has reported a later quarter or half-year.',
      }),
    ),
    stale_reason: Type.Optional(
      Type.String({
        description: 'Only with fp=TTM and stale: why there are no trailing twelve months to the later day.',
        examples: [
          'No trailing twelve months to 2017-07-01 were known on 2017-08-03: dividends_paid was restated for one of the full year to 2016-09-24 and the year to date to 2016-06-25, and not yet for the other.',
        ],
      }),
    ),
    generation: Type.Optional(
      Type.Literal('earlier', {
        description:
          'Only on a derived row some of whose inputs were restated and others not: it is the figure from before the restatement, which stays current until the other inputs are restated, too.',
      }),
    ),
    known_by: KnownBySchema,
    ...provenanceFields,
  },
  { ...strict, $id: 'FundamentalsRow' },
)
export type FundamentalsRow = Static<typeof FundamentalsRow>

/** The order of fiscal periods. Days of valuations come last. */
export const periodOrder = (fp: FundamentalsRow['fp']): number =>
  fp === 'D' ? fiscalPeriods.length : fiscalPeriods.indexOf(fp)

export const ShareSplit = Type.Object(
  {
    numerator: Type.Integer({ description: 'Shares after the split.', examples: [4] }),
    denominator: Type.Integer({ description: 'Shares before it.', examples: [1] }),
    filed: Type.String({
      format: 'date',
      description: 'Day of the filing that first shows it.',
      examples: ['2020-10-30'],
    }),
    accession: Type.String({ description: 'That filing.', examples: ['0000320193-20-000096'] }),
  },
  { ...strict, $id: 'ShareSplit' },
)

export const FundamentalsList = Type.Object(
  {
    object: Type.Literal('fundamentals_list'),
    ticker: Type.String({ description: 'The company ID, as registered.', examples: ['AAPL'] }),
    issuer_id: Type.String({ examples: ['0000320193'] }),
    name: Type.Union([Type.String(), Type.Null()], {
      description: "The name in the register's own script.",
      examples: ['Apple Inc.'],
    }),
    market: Type.String({ examples: ['US'] }),
    as_of: Type.String({
      description:
        "The day or the instant as of which the figures were known. An instant is written in the market's own zone.",
      examples: ['2010-02-01'],
    }),
    view: Type.Union([Type.Literal('history'), Type.Literal('latest')]),
    vintage: Type.Optional(
      Type.Union([Type.Literal('first'), Type.Literal('latest')], {
        description: 'Only with vintage=first or vintage=latest.',
      }),
    ),
    splits: Type.Optional(
      Type.Array(ShareSplit, {
        description:
          'Only with adjust=splits: the splits that filings up to as_of show, detected in their restated figures.',
      }),
    ),
    price_set: Type.Optional(
      Type.String({
        description: 'Only with valuations: the set of prices that they take.',
        examples: ['daily-us'],
      }),
    ),
    symbol_assumed: SymbolAssumed,
    lineage: Type.Optional(Lineage),
    data_version: Type.Integer({
      description: 'Increases with each import; equal versions mean equal responses.',
    }),
    licence: Type.Optional(
      Type.String({ description: 'Demo and free keys only.', examples: [freeLicenceNotice] }),
    ),
    attribution: Type.Array(Type.String(), {
      description: 'Statutory attribution of each market in the response.',
    }),
    note: Type.Optional(
      Type.String({
        description:
          'Why there are no rows, or none for one of the metrics; which rows this key does not see; or what is assumed about the ID.',
      }),
    ),
    missing: Type.Optional(
      Type.Array(MissingComponents, {
        description:
          'Computed metrics that were named and have no row, each with the components that no filing up to as_of states for the period that comes closest to having all of them (the latest of several). If every component is stated, components is empty and reason says why there is no row.',
        examples: [[{ metric: 'free_cash_flow', components: ['capital_expenditure'] }]],
      }),
    ),
    count: Type.Integer({ description: 'Number of rows in data.' }),
    data: Type.Array(FundamentalsRow),
  },
  { ...strict, $id: 'FundamentalsList' },
)
export type FundamentalsList = Static<typeof FundamentalsList>
