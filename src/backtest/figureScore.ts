import { type Static, Type } from '@sinclair/typebox'
import { ChecksParameter } from '../markets/checkStates.ts'

/** In requests that may name a valuation. */
export const PricesSchema = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
  allowed: 'the name of a set of prices',
  description:
    'The set of prices that the operator imported, for valuations such as price_to_earnings. Omit it if your key may see one set only. The answer names the set.',
  examples: ['daily-us'],
})

const count = (description: string) => Type.Integer({ minimum: 0, description })
const strict = { additionalProperties: false } as const

export const asOfPeriods = ['FY', 'Q', 'TTM', 'latest'] as const
export type AsOfPeriod = (typeof asOfPeriods)[number]

export const AsOfPeriodSchema = Type.Union(
  asOfPeriods.map(period => Type.Literal(period)),
  {
    default: 'FY',
    description:
      'Which period counts as latest. FY: the latest full fiscal year. Q: the latest single quarter; a balance at the end of a year counts as one. TTM: the latest trailing twelve months. latest: the latest period of any kind, as view=latest shows it.',
    examples: ['FY'],
  },
)

/** The default maximum age of a figure that ranks its company, in days from the end of its period: one year
 * until the next period ends, plus six months by which that period's report is certain to be filed. */
export const defaultMaxAgeDays = 550

export const PanelScore = Type.Object(
  {
    asOf: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_]{0,63}$',
        allowed: 'the name of a metric, in lower case',
        description:
          'A metric from the coverage index. Amounts of money rank companies of one currency only. Without it the rows keep their own scores, and group and universe apply to them.',
        examples: ['roe'],
      }),
    ),
    fp: Type.Optional(AsOfPeriodSchema),
    max_age_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3_660,
        default: defaultMaxAgeDays,
        description:
          'Maximum age of a figure, in days from the end of its period to the date. A name whose latest figure is older has no score on that date.',
      }),
    ),
    at: Type.Optional(
      Type.Union([Type.Literal('open'), Type.Literal('close')], {
        description:
          "Counts what was public by the open or the close of the date's session in the company's market, in place of what was filed before the date. Send it only if forward_return begins then or later. On a date without a session, what was public by the last close before it counts.",
        examples: ['close'],
      }),
    ),
    group: Type.Optional(
      Type.String({
        minLength: 4,
        maxLength: 300,
        description:
          'The group of each name before the date, from the SIC code that its filings stated: sicDivision, sic2, sic3, sic4 or ff49. config.neutral=group forms the legs within each group. With `ff49:Softw,Hardw` only names in these groups have a score.',
        examples: ['ff49'],
      }),
    ),
    universe: Type.Optional(
      Type.String({
        minLength: 4,
        maxLength: 80,
        description:
          'Only names that were in one of these states before the date have a score. GET /api/v1/universe lists the states.',
        examples: ['reporting'],
      }),
    ),
    checks: Type.Optional(ChecksParameter),
    prices: Type.Optional(PricesSchema),
  },
  {
    ...strict,
    $id: 'PanelScore',
    description:
      "With panel: the metric that is the score of each row, as known strictly before its date or, with `at`, at a point of its session. It replaces the rows' own scores, which may be left out; `asset` is the ID of a company. Without `asOf`: the group and state of each name before the date, for scores of your own. Requires a licence that includes as_of; with an evaluation key, every company of the rows counts as seen.",
  },
)
export type PanelScore = Static<typeof PanelScore>

export const BacktestScore = Type.Object(
  {
    metric: Type.Optional(
      Type.String({
        description: 'The metric used as the score; absent: the rows have scores of their own.',
      }),
    ),
    definition: Type.Optional(Type.String({ description: 'Definition of the metric.' })),
    unit: Type.Optional(
      Type.String({ description: 'Unit of the figures; figures in any other unit are not used.' }),
    ),
    market: Type.String({
      description: "Market of the ranked companies; of a caller's rows all of them, separated by commas.",
    }),
    fiscal_period: Type.Optional(
      Type.Union([Type.Literal('FY'), Type.Literal('Q'), Type.Literal('TTM'), Type.Literal('latest')], {
        description:
          'FY: the latest known full fiscal year. Q: the latest single quarter. TTM: the latest trailing twelve months. latest: the latest period of any kind.',
      }),
    ),
    known: Type.Union(
      [
        Type.Literal('filed before the date'),
        Type.Literal('public by the open'),
        Type.Literal('public by the close'),
      ],
      {
        description:
          'filed before the date: filings made on the date itself are not known yet. The others, with score.at: a filing counts from the time at which its register accepted it, or from the end of its day where that is not known.',
      },
    ),
    max_age_days: Type.Optional(
      Type.Integer({ description: 'Maximum age of a figure, in days from the end of its period.' }),
    ),
    group: Type.Optional(Type.String({ description: 'As sent; absent: none.' })),
    universe: Type.Optional(Type.String({ description: 'As sent; absent: all states.' })),
    checks: Type.Optional(Type.String({ description: 'As sent; absent: figures in all states.' })),
    price_set: Type.Optional(
      Type.String({ description: 'Only if the metric is a valuation: the set of prices that it takes.' }),
    ),
    n_names: count("Names in the archive of this market, or in the caller's rows."),
    n_assets: count(
      "Names that have such a figure on some date. The others are never ranked. Without a metric: names that are a company and, on some date, in the state and group that score chooses. A name means the company that had the ticker on the date, if a source on record says which company that was, and today's company otherwise. In the latter case companies since renamed, acquired or delisted are missing, which is survivorship bias.",
    ),
    attribution: Type.String({ description: "The statutory attribution of the market's figures." }),
  },
  {
    ...strict,
    $id: 'BacktestScore',
    description:
      'With source.score or score: how the score of each date is defined, or which filings give the group and state of each name.',
  },
)
export type BacktestScore = Static<typeof BacktestScore>
