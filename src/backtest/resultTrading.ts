import { type Static, Type } from '@sinclair/typebox'
import { Rebalance } from './requestTrading.ts'
import { count, numberOrNull, strict } from './resultMetrics.ts'

export const ReturnsUsed = Type.Object(
  {
    from: Type.Union([Type.Literal('close'), Type.Literal('forward_return')], {
      description: 'The column from which the returns were computed.',
    }),
    rebalance: Type.Union([Rebalance, Type.Null()]),
    entryDates: Type.Optional(
      Type.Integer({ description: 'Dates from the score to the close at which it is traded.' }),
    ),
    delistingReturn: Type.Optional(
      Type.Number({ description: 'The assumed return after the last close of a name that ended.' }),
    ),
    dates: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Dates of the panel over which a return is earned; null: from one rebalancing to the next.',
    }),
    dates_without_return: count(
      'Dates at the end, or rebalancings, whose return has not ended. They are left out.',
    ),
    rows_carried: Type.Optional(
      count('Rows whose exit has no close: the latest earlier close counted, as the name trades again.'),
    ),
    rows_delisted: Type.Optional(
      count('Rows whose name ended before the exit: delistingReturn followed its last close.'),
    ),
    rows_without_entry: Type.Optional(count('Rows without a close at the entry, which have no return.')),
    rows_pending: Type.Optional(
      count('Rows whose name has no later close, too recently to count as ended; they have no return.'),
    ),
    returns_missing: Type.Optional(
      count('Missing returns between rebalancings; each contributed 0 to a compounded return.'),
    ),
  },
  {
    ...strict,
    $id: 'ReturnsUsed',
    description: 'With closes or config.rebalance: how returns were computed.',
  },
)
export type ReturnsUsed = Static<typeof ReturnsUsed>

export const TradingUsed = Type.Object(
  {
    maxTurnover: numberOrNull('As sent; null: no limit.'),
    maxWeight: numberOrNull('As sent; null: no limit.'),
    targetVolatility: numberOrNull('As sent; null: none.'),
    volatilityPeriods: Type.Integer(),
    maxLeverage: Type.Number(),
    impact: numberOrNull('As sent; null: none.'),
    capital: numberOrNull('As sent; null: none.'),
    impactPeriods: Type.Integer(),
    periods_turnover_capped: count('Periods in which the target needed more than maxTurnover.'),
    mean_traded_fraction: Type.Number({ description: 'Mean part of each wanted trade that was made.' }),
    periods_weight_capped: count('Periods in which a name was cut to maxWeight.'),
    mean_names_capped: Type.Number({ description: 'Mean number of names cut to maxWeight per period.' }),
    mean_in_cash: Type.Number({ description: 'Mean exposure for which no name had room.' }),
    leverage_mean: Type.Number(),
    leverage_min: Type.Number(),
    leverage_max: Type.Number(),
    periods_leverage_capped: count('Periods in which maxLeverage held the volatility target back.'),
    impact_annual: Type.Number({ description: 'Mean impact paid, a fraction of equity per year.' }),
    trades_without_inputs: count(
      'Trades without a volume or past returns, which paid the highest rate of their period.',
    ),
    borrow_by_name: Type.Boolean({ description: 'True if rows have borrow_bps.' }),
    leverage: Type.Array(Type.Number(), { description: 'Multiple of the target in each period.' }),
    turnover: Type.Array(Type.Number(), { description: 'Turnover of each period.' }),
    impact_paid: Type.Array(Type.Number(), { description: 'Impact of each period, a fraction of equity.' }),
  },
  { ...strict, $id: 'TradingUsed', description: 'With config.trading or borrow_bps: what the rules did.' },
)
export type TradingUsed = Static<typeof TradingUsed>

export const HorizonRecord = Type.Object(
  {
    returnDays: Type.Integer(),
    n_periods: count('Periods.'),
    periods_per_year: Type.Number(),
    sharpe: numberOrNull('Annualised Sharpe ratio of net returns.'),
    judged_sharpe: numberOrNull('The same of the net return minus that of the benchmark.'),
    cagr: numberOrNull('Compound annual growth rate.'),
    max_drawdown: numberOrNull('Largest decline from a running peak.'),
    avg_turnover: numberOrNull('Mean of 1/2 sum |dw| per period.'),
    dsr: numberOrNull('Deflated Sharpe ratio, with every horizon counted as a trial.'),
  },
  { ...strict, $id: 'HorizonRecord' },
)
export type HorizonRecord = Static<typeof HorizonRecord>

/** The fields of a result about closes, calendars and trading. */
export const tradingFields = {
  returns: Type.Optional(ReturnsUsed),
  trading: Type.Optional(TradingUsed),
  horizons: Type.Optional(
    Type.Array(HorizonRecord, {
      description: 'With config.horizons: the record of each, in the order sent.',
    }),
  ),
}
