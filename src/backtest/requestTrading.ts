import { type Static, Type } from '@sinclair/typebox'

/** The calendars on which a portfolio may be rebalanced. */
export const rebalanceRules = [
  'weekly:MON',
  'weekly:TUE',
  'weekly:WED',
  'weekly:THU',
  'weekly:FRI',
  'month_end',
  'quarter_end',
] as const

export const Rebalance = Type.Union(
  rebalanceRules.map(rule => Type.Literal(rule)),
  {
    description:
      'Trades only on the last date of each week (up to the named weekday), month or quarter, and compounds the returns in between. Needs daily rows with a close or with returns from each date to the next; replaces returnDays and holdDays.',
  },
)
export type Rebalance = (typeof rebalanceRules)[number]

export const defaultEntryDates = 1
export const defaultDelistingReturn = -0.3

/** How returns are computed from a column of closes. */
export const closeFields = {
  entryDates: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 20,
      default: defaultEntryDates,
      description:
        'With the column close: dates of the panel from the score to the close at which it is traded. 1, the default, trades at the next close and needs no assumption. 0 trades at the close of the date itself: only where the score was known before that close.',
    }),
  ),
  delistingReturn: Type.Optional(
    Type.Number({
      minimum: -1,
      maximum: 10,
      default: defaultDelistingReturn,
      description:
        'With the column close: the return that follows the last close of a name whose closes end at least 10 dates before those of the panel. -1 loses everything.',
    }),
  ),
  horizons: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 252 }), {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      description:
        'With the column close: several values of returnDays in one run. The result is that of the first, with the record of each in horizons; each counts as a trial.',
    }),
  ),
} as const

export const defaultVolatilityPeriods = 60
export const defaultMaxLeverage = 2
export const defaultImpactPeriods = 60

/** Trading under limits. Each field is off unless it is sent. */
export const BacktestTrading = Type.Object(
  {
    maxTurnover: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 20,
        description:
          'Highest turnover of a period, 1/2 sum |dw|. Where the target needs more, every trade is cut to the same fraction of its size.',
      }),
    ),
    maxWeight: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 10,
        description:
          'Highest |weight| of a name in the target. The excess goes to the other names of its side in proportion to their weights, up to the limit; what finds no room stays in cash.',
      }),
    ),
    targetVolatility: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 5,
        description:
          'Annualised volatility. The target is multiplied by this divided by the volatility of its own gross returns over the trailing volatilityPeriods that had ended, at most maxLeverage; 1 until there are enough.',
      }),
    ),
    volatilityPeriods: Type.Optional(
      Type.Integer({ minimum: 5, maximum: 1_000, default: defaultVolatilityPeriods }),
    ),
    maxLeverage: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 20, default: defaultMaxLeverage }),
    ),
    impact: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 100,
        description:
          'Coefficient of the square-root impact: a trade of value q in a name with daily volatility s and dollar volume V costs impact * s * sqrt(q / V) of q. Needs capital and the column dollar_volume.',
      }),
    ),
    capital: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1e15,
        description: 'Equity of the portfolio in the currency of dollar_volume; it is held constant.',
      }),
    ),
    impactPeriods: Type.Optional(
      Type.Integer({
        minimum: 5,
        maximum: 1_000,
        default: defaultImpactPeriods,
        description:
          'Trailing periods from whose returns the volatility of a name is measured; at least half of them must have a return.',
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'BacktestTrading',
    description: 'Limits on trades and weights, a volatility target and market impact.',
  },
)
export type BacktestTrading = Static<typeof BacktestTrading>
