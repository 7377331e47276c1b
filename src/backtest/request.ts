import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../dates.ts'
import { ChecksParameter } from '../markets/checkStates.ts'
import { MarketCode } from '../markets/parameters.ts'
import { defaultMaxAgeDays, PanelScore, PricesSchema } from './figureScore.ts'
import { BacktestBenchmark } from './requestBenchmark.ts'
import { Neutralise, RankBy, Scores } from './requestColumns.ts'
import { BacktestCompare } from './requestCompare.ts'
import { BacktestEvidence } from './requestEvidence.ts'
import { BacktestFactors } from './requestFactors.ts'
import { BacktestPrices } from './requestPrices.ts'
import { BacktestTrading, closeFields, Rebalance } from './requestTrading.ts'
import { TrialsAlreadyTried } from './requestTrials.ts'

export const PanelId = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  allowed: 'the id of a stored panel',
  description: 'The `id` of a stored panel.',
  examples: ['5d0a3a44-6f0b-4a55-9d7e-2f1c80c1a9d3'],
})

const strict = { additionalProperties: false } as const
const axis = { minItems: 1, uniqueItems: true } as const
const directions = [Type.Literal('long_short'), Type.Literal('long_only')]
const weightings = [Type.Literal('equal'), Type.Literal('score'), Type.Literal('rank')]
const quantileBounds = { minimum: 0.01, maximum: 0.5 } as const
const holdDaysBounds = { minimum: 1, maximum: 252 } as const

export const BacktestConfig = Type.Object(
  {
    direction: Type.Optional(
      Type.Union(directions, {
        default: 'long_short',
        description: 'Both legs, or the top leg only.',
      }),
    ),
    quantile: Type.Optional(
      Type.Number({
        ...quantileBounds,
        default: 0.1,
        description: 'Fraction of eligible names in each leg.',
      }),
    ),
    weighting: Type.Optional(
      Type.Union(weightings, {
        default: 'equal',
        description: 'Weighting within a leg.',
      }),
    ),
    holdDays: Type.Optional(
      Type.Integer({
        ...holdDaysBounds,
        description: 'Holding period in trading days; a multiple of returnDays. Default: returnDays.',
      }),
    ),
    returnDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 252,
        description:
          'Trading days over which forward_return is earned. Default: the horizon of the source, or the date spacing of the panel.',
      }),
    ),
    costBps: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 10_000,
        description: "Flat round-trip cost in basis points; replaces every market's own cost.",
      }),
    ),
    borrowBps: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 10_000,
        default: 50,
        description: 'Annual short-borrow cost in basis points.',
      }),
    ),
    gross: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 10,
        default: 1,
        description: 'Gross exposure of the portfolio.',
      }),
    ),
    neutral: Type.Optional(
      Type.Union([Type.Literal('market'), Type.Literal('group')], {
        description:
          'Form the legs within each market, or within each group: that of the column group, or of score.group; names without a group form one together.',
      }),
    ),
    drift: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Measure turnover from the weights that the returns left: old weights become shares of the grown portfolio, w (1 + r) / (1 + R), with R its gross return.',
      }),
    ),
    neutralise: Type.Optional(Neutralise),
    rankBy: Type.Optional(RankBy),
    folds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, default: 5, description: 'Walk-forward test blocks.' }),
    ),
    rebalance: Type.Optional(Rebalance),
    ...closeFields,
    trading: Type.Optional(BacktestTrading),
  },
  { ...strict, $id: 'BacktestConfig' },
)
export type BacktestConfig = Static<typeof BacktestConfig>

export const BacktestSource = Type.Object(
  {
    market: Type.Optional(MarketCode('Market code. Omit it for all markets.')),
    horizon: Type.Optional(
      Type.Union([Type.Literal('1d'), Type.Literal('3d'), Type.Literal('7d')], {
        default: '1d',
        description: 'Forecast horizon.',
      }),
    ),
    from: Type.Optional(IsoDateSchema('First observation date.', '2013-01-02')),
    to: Type.Optional(IsoDateSchema('Last observation date.', '2016-12-30')),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_000_000,
        description: 'Maximum number of rows. Whole dates are taken, the most recent first.',
      }),
    ),
    score: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_]{0,63}$',
        allowed: 'the name of a metric, in lower case',
        description:
          "A metric from the coverage index or a valuation such as price_to_book, that ranks the companies instead of the forecast. On each date it is the latest full fiscal year, in the latest vintage filed strictly before the date. Requires market, and a licence that includes as_of for all companies. Amounts of money are compared in the market's own currency: a company that reports in another one has no score.",
        examples: ['roe'],
      }),
    ),
    maxAgeDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3_660,
        default: defaultMaxAgeDays,
        description:
          'With score: maximum age of a figure, in days from the end of its fiscal year, whenever it was filed. A company whose latest figure is older has no score.',
      }),
    ),
    checks: Type.Optional({ ...ChecksParameter, description: `With score. ${ChecksParameter.description}` }),
    prices: Type.Optional(PricesSchema),
  },
  { ...strict, $id: 'BacktestSource' },
)
export type BacktestSource = Static<typeof BacktestSource>

/** The limit for any panel, however it is sent. */
export const maxPanelRows = 25_000_000

const cell = {
  date: IsoDateSchema('Observation date.', '2024-01-02'),
  asset: Type.String({ minLength: 1, maxLength: 64, description: 'Your identifier for the name.' }),
  market: Type.Union([Type.String({ minLength: 1, maxLength: 8 }), Type.Null()], {
    description: 'Determines the trading cost. null or omitted: the default cost.',
  }),
  score: Type.Union([Type.Number({ minimum: -1e300, maximum: 1e300 }), Type.Null()], {
    description: 'The highest scores are bought. null: not eligible on that date.',
  }),
  forward_return: Type.Union(
    [
      Type.Number({
        minimum: -1,
        maximum: 1e6,
        allowed: 'a fraction: 0.025 is +2.5%, and -1 loses everything',
      }),
      Type.Null(),
    ],
    {
      description:
        'Return after the date, as a fraction (0.025 is +2.5%); no return is below -1. null: unknown; it earns 0 and is counted in dropped.',
    },
  ),
  // The largest integer that differs from the next one: with a larger bound, values beyond the bound would be
  // equal to it.
  dollar_volume: Type.Union([Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
    description:
      'Value traded in the name on the date, in one currency for all rows. Only include capacity uses it. null or omitted: unknown, which counts as 0.',
  }),
  group: Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()], {
    description:
      'Group of the name on the date, such as its industry, for config.neutral, config.neutralise and include by_group. null or omitted: none.',
  }),
  close: Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: 1e12 }), Type.Null()], {
    description:
      'Closing price of the date in place of forward_return, adjusted for splits and dividends: the returns are computed from it over returnDays dates of the panel. null: no close on that date.',
  }),
  borrow_bps: Type.Union([Type.Number({ minimum: 0, maximum: 1_000_000 }), Type.Null()], {
    description:
      'Annual cost of borrowing the name on the date, in basis points, in place of config.borrowBps. null or omitted: config.borrowBps.',
  }),
}

const ownColumns =
  'Besides these, up to 20 columns of your own with numbers, if config.neutralise.columns, config.rankBy or scores names them.'

export const BacktestPanelRow = Type.Object(
  {
    ...cell,
    market: Type.Optional(cell.market),
    forward_return: Type.Optional(cell.forward_return),
    dollar_volume: Type.Optional(cell.dollar_volume),
    group: Type.Optional(cell.group),
    close: Type.Optional(cell.close),
    borrow_bps: Type.Optional(cell.borrow_bps),
  },
  { ...strict, $id: 'BacktestPanelRow', description: ownColumns },
)
export type BacktestPanelRow = Static<typeof BacktestPanelRow>

const onePerRow = { maxItems: maxPanelRows } as const

/** The same cells by column: element i of each is row i. */
export const BacktestPanelColumns = Type.Object(
  {
    date: Type.Array(cell.date, onePerRow),
    asset: Type.Array(cell.asset, onePerRow),
    market: Type.Optional(Type.Array(cell.market, onePerRow)),
    score: Type.Array(cell.score, onePerRow),
    forward_return: Type.Optional(Type.Array(cell.forward_return, onePerRow)),
    dollar_volume: Type.Optional(Type.Array(cell.dollar_volume, onePerRow)),
    group: Type.Optional(Type.Array(cell.group, onePerRow)),
    close: Type.Optional(Type.Array(cell.close, onePerRow)),
    borrow_bps: Type.Optional(Type.Array(cell.borrow_bps, onePerRow)),
  },
  { ...strict, $id: 'BacktestPanelColumns', description: `Columns of equal length. ${ownColumns}` },
)

/** The optional sections of a result. */
export const BacktestInclude = Type.Union([
  Type.Literal('ic'),
  Type.Literal('quantiles'),
  Type.Literal('monthly'),
  Type.Literal('positions'),
  Type.Literal('curves'),
  Type.Literal('spa'),
  Type.Literal('interval'),
  Type.Literal('cpcv'),
  Type.Literal('track_record'),
  Type.Literal('performance'),
  Type.Literal('ic_decay'),
  Type.Literal('quantile_returns'),
  Type.Literal('capacity'),
  Type.Literal('by_group'),
])
export type BacktestInclude = Static<typeof BacktestInclude>

export const maxSweepConfigurations = 1_000

export const BacktestSweep = Type.Object(
  {
    quantile: Type.Optional(Type.Array(Type.Number(quantileBounds), { ...axis, maxItems: 50 })),
    weighting: Type.Optional(Type.Array(Type.Union(weightings), { ...axis, maxItems: 3 })),
    holdDays: Type.Optional(Type.Array(Type.Integer(holdDaysBounds), { ...axis, maxItems: 252 })),
    direction: Type.Optional(Type.Array(Type.Union(directions), { ...axis, maxItems: 2 })),
  },
  {
    ...strict,
    $id: 'BacktestSweep',
    description:
      'The values to combine into at most 1,000 configurations. An omitted field keeps its value from config. holdDays must be multiples of returnDays.',
  },
)
export type BacktestSweep = Static<typeof BacktestSweep>

export const RequestDataVersion = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 2_147_483_647,
    description:
      'Runs on the archive as it stood at this data version, whatever was imported or corrected since: the `data_version` of an earlier result. Requires a licence that includes `as_of`. Rows of your own are the same at every version.',
    examples: [1],
  }),
)

export const BacktestRequest = Type.Object(
  {
    config: Type.Optional(BacktestConfig),
    sweep: Type.Optional(
      Type.Union([Type.Boolean(), BacktestSweep], {
        description:
          'true tries 48 configurations: quantile .05, .1, .2, .3; equal, rank and score weights; holdDays 1, 5, 10 and 21 times returnDays. An object is your own grid.',
      }),
    ),
    source: Type.Optional(BacktestSource),
    panel: Type.Optional(
      Type.Union([Type.Array(BacktestPanelRow, { maxItems: maxPanelRows }), BacktestPanelColumns, PanelId], {
        description: 'Your own rows, as rows or as columns, or the id of a stored panel.',
      }),
    ),
    include: Type.Optional(Type.Array(BacktestInclude, { uniqueItems: true, maxItems: 14 })),
    evidence: Type.Optional(BacktestEvidence),
    benchmark: Type.Optional(BacktestBenchmark),
    score: Type.Optional(PanelScore),
    compare: Type.Optional(BacktestCompare),
    scores: Type.Optional(Scores),
    trials_already_tried: Type.Optional(TrialsAlreadyTried),
    factors: Type.Optional(BacktestFactors),
    prices: Type.Optional(BacktestPrices),
    data_version: RequestDataVersion,
  },
  { ...strict, $id: 'BacktestRequest' },
)
export type BacktestRequest = Static<typeof BacktestRequest>

/** The formats of a body. */
export const bodyFormats = ['json', 'csv', 'ndjson', 'parquet', 'arrow'] as const
export type BodyFormat = (typeof bodyFormats)[number]
/** The formats that are read sequentially from the first byte to the last. */
export type TextFormat = Exclude<BodyFormat, TableFormat>
/** The formats that store columns. */
export type TableFormat = 'parquet' | 'arrow'

/** The settings of a request whose body contains only rows, as query parameters. */
export interface BodyQuery {
  /** JSON. */
  readonly config?: string
  /** JSON. */
  readonly sweep?: string
  /** Names, separated by commas. */
  readonly include?: string
  /** JSON. */
  readonly evidence?: string
  /** A name, or JSON. */
  readonly benchmark?: string
  /** JSON. */
  readonly score?: string
  /** Names, separated by commas. */
  readonly compare?: string
  /** Names, separated by commas. */
  readonly scores?: string
  readonly trials_already_tried?: number
  /** JSON. */
  readonly factors?: string
  /** JSON. */
  readonly prices?: string
  readonly data_version?: number
}

/** A request as it arrives, before its body is parsed. */
export interface RawRequest {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly format: BodyFormat
  readonly query: BodyQuery
}

/** The formats of a result: JSON data, an HTML page for people, or the form that a job stores, from which
 * either can be made. */
export type ResultFormat = 'json' | 'html' | 'stored'
