import { type Static, Type } from '@sinclair/typebox'
import { count, numberOrNull, strict } from './resultMetrics.ts'

const BacktestPricedRows = Type.Object(
  {
    sent: count('Rows of the dates that the request uses.'),
    used: count('Rows that the backtest has: all but those that it leaves out.'),
    with_return: count('Rows with a return.'),
    carried: count('Rows whose exit day has no close, so the latest earlier one counts.'),
    stated_delistings: count('Rows whose security was delisted, with the return that the set states.'),
    assumed_delistings: count('Rows whose prices end without a word, with the assumed delisting return.'),
    no_entry: count(
      'Used rows without a close on the day of entry: nothing is bought or sold, which earns 0.',
    ),
    undecided: count(
      'Used rows of securities whose prices ended so recently that it is not known whether they go on. They earn 0.',
    ),
    not_ended: count('Left out: the exit day has not come yet.'),
    not_traded: count(
      'Left out: no close on the ten latest trading days up to the date, or before it where rows trade at the close of the date.',
    ),
    unknown_company: count('Left out: no company is known by the ID on the date.'),
    no_prices: count('Left out: the set has no prices of the company.'),
    several_securities: count(
      'Left out: the set has several securities of the company, and the ID names none of them.',
    ),
  },
  { ...strict, $id: 'BacktestPricedRows', description: 'What became of the rows.' },
)
export type BacktestPricedRows = Static<typeof BacktestPricedRows>

const DelistingCase = Type.Object(
  {
    delisting: Type.Number({ description: 'The assumed delisting return.' }),
    mean_return: numberOrNull('Mean return of the rows with one.'),
    sharpe: Type.Optional(numberOrNull('metrics.sharpe with this assumption. Absent in sweeps.')),
    cagr: Type.Optional(numberOrNull('metrics.cagr with this assumption. Absent in sweeps.')),
  },
  { ...strict, $id: 'DelistingCase' },
)
export type DelistingCase = Static<typeof DelistingCase>

/** The prices that gave the returns. */
export const BacktestPricesUsed = Type.Object(
  {
    set: Type.String({ description: 'Name of the price set.' }),
    currency: Type.String({ description: 'Currency of its prices; no return is converted.' }),
    basis: Type.String({ description: 'Whether its closes are raw, split_adjusted or total_return.' }),
    data_version: Type.Integer({ description: 'The data version that the prices are of.' }),
    known: Type.String({ description: 'Only prices that were known by the end of this day count.' }),
    horizon: Type.Integer({ description: 'Trading days from entry to exit.' }),
    entry_lag: Type.Integer({ description: 'Trading days from the date to the close of entry.' }),
    entry: Type.String({ description: 'When a row is traded.' }),
    delisting: Type.Number({ description: 'The assumed delisting return.' }),
    mean_return: numberOrNull('Mean return of the rows with one.'),
    rows: BacktestPricedRows,
    sensitivity: Type.Array(DelistingCase, {
      description:
        'What other assumed delisting returns would give: 0 and -1. Empty where nothing was assumed.',
    }),
    notes: Type.Array(Type.String(), { description: 'What the returns leave out, and why.' }),
    attribution: Type.Array(Type.String(), { description: 'Where the prices come from.' }),
  },
  { ...strict, $id: 'BacktestPricesUsed', description: 'With prices: the set that gave the returns.' },
)
export type BacktestPricesUsed = Static<typeof BacktestPricesUsed>
