import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../../dates.ts'
import { ChecksParameter } from '../../markets/checkStates.ts'
import { groupSchemes } from '../../markets/industries.ts'
import { AsOfPeriodSchema, PricesSchema } from '../figureScore.ts'

export const maxJoinRows = 5_000_000
export const maxJoinMetrics = 20
export const maxTickerLength = 64

const strict = { additionalProperties: false } as const

export const maxAgeLimits = { minimum: 0, maximum: 36_600 } as const

export const MaxAgeSchema = Type.Integer({
  ...maxAgeLimits,
  description:
    "Maximum age of a figure, in days from the end of its period to the row's date. A row whose latest figure is older has null. Omit it for no bound.",
  examples: [550],
})

const metricName = Type.String({
  pattern: '^[a-z][a-z0-9_]{0,63}$',
  allowed: 'the name of a metric, in lower case',
  examples: ['roe'],
})

export const JoinExtra = Type.Union([Type.Literal('end'), Type.Literal('filed'), Type.Literal('known_by')])
export type JoinExtra = Static<typeof JoinExtra>

export const joinRowSchemas = {
  date: IsoDateSchema(
    'The day on which the figure is needed. Figures filed before it count. Not later than the day after today (UTC), with inclusive not later than today.',
    '2010-01-26',
  ),
  ticker: Type.String({
    minLength: 1,
    maxLength: maxTickerLength,
    description: 'Any ID of a company, former ones included, or its `issuer_id`.',
    examples: ['AAPL'],
  }),
}

const onePerRow = { maxItems: maxJoinRows } as const

/** A value of a column that the join only carries through. */
export const carriedValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

export const DataVersionSchema = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description:
    'Answers as the data stood at this data version, whatever was imported or corrected since: the `data_version` of an earlier answer.',
  examples: [1],
})

export const GroupSchema = Type.Union(
  groupSchemes.map(scheme => Type.Literal(scheme)),
  {
    description:
      "Adds the column `group`: the company's group on the date of the row, from the SIC code that its filings stated by then. ff49: the 49 industries of Kenneth French. null: no filing stated a code, or the code is in no group.",
    examples: ['ff49'],
  },
)

export const UniverseSchema = Type.String({
  minLength: 4,
  maxLength: 80,
  description:
    'States, separated by commas. Adds the column `state`, the state of the company on the date of the row as GET /api/v1/universe lists it; rows in any other state get no figures. Whether the date itself is included follows `inclusive`, as for figures.',
  examples: ['reporting'],
})

export const JoinLineageSchema = Type.Union([Type.Literal('none'), Type.Literal('follow')], {
  default: 'none',
  description:
    "none: the figures of the row's own registrant. follow: also those of its predecessors and successors, from the day on which the succession was public. The figure of the latest period is used or, if several registrants report that period, the one that was filed last. `lineages` in the answer lists the registrants and the days on which they succeeded one another.",
  examples: ['follow'],
})

/** The settings of a join. */
const settings = {
  metrics: Type.Array(metricName, {
    minItems: 1,
    maxItems: maxJoinMetrics,
    uniqueItems: true,
    description:
      'Metrics from the coverage index, up to 20. The answer has a column for each, in this order.',
    examples: [['roe', 'revenue']],
  }),
  fp: Type.Optional(AsOfPeriodSchema),
  inclusive: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'false: figures filed strictly before the date of a row, since a filing of that day may come after the close. true: those filed on the date, too.',
    }),
  ),
  max_age_days: Type.Optional(MaxAgeSchema),
  with: Type.Optional(
    Type.Array(JoinExtra, {
      uniqueItems: true,
      maxItems: 3,
      description:
        'Columns next to each value: `<metric>_end`, the last day of its period, and `<metric>_filed`, the day on which this vintage of it was filed. For rows with a column time also `<metric>_known_by`: `time` if it counted from the time at which the register accepted its filing, `day` if that is not known and it counted from the end of its filing day.',
      examples: [['end', 'filed']],
    }),
  ),
  lineage: Type.Optional(JoinLineageSchema),
  group: Type.Optional(GroupSchema),
  universe: Type.Optional(UniverseSchema),
  checks: Type.Optional(ChecksParameter),
  prices: Type.Optional(PricesSchema),
  data_version: Type.Optional(DataVersionSchema),
}

export const JoinSettings = Type.Object(settings, strict)
/** The settings of a join as sent. */
export type JoinSettings = Static<typeof JoinSettings>

export const AsOfJoinRequest = Type.Object(
  {
    rows: Type.Object(
      {
        date: Type.Optional(Type.Array(joinRowSchemas.date, onePerRow)),
        time: Type.Optional(
          Type.Array(
            Type.String({
              description:
                "Instead of date, the instant at which the figure is needed: `2010-01-25T16:00:00-05:00`, a local time in the company's market (`2010-01-25T16:00`), or the open or close of a session (`2010-01-25@close`). The answer has what was public by then. Either all times have an offset or none has one.",
              examples: ['2010-01-25T16:00:00-05:00'],
            }),
            onePerRow,
          ),
        ),
        ticker: Type.Array(joinRowSchemas.ticker, onePerRow),
      },
      {
        additionalProperties: Type.Array(carriedValue, onePerRow),
        $id: 'AsOfJoinRows',
        description:
          'Columns of equal length: element i of each is row i. In any order; a row may repeat. Up to 100 columns of other names come back unchanged in the answer.',
      },
    ),
    ...settings,
  },
  { ...strict, $id: 'AsOfJoinRequest' },
)

/** The formats of a join's body and of its answer. */
export const joinFormats = ['json', 'csv', 'ndjson', 'parquet', 'arrow'] as const
export type JoinFormat = (typeof joinFormats)[number]
