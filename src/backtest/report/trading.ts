import type { BacktestResult } from '../result.ts'
import { count, percent, plural, ratio } from './numberFormat.ts'

/** Explains how returns were computed from closes or on a calendar, one sentence each. */
export function describeReturns(returns: NonNullable<BacktestResult['returns']>): string[] {
  const { from, rebalance, entryDates = 0, dates, delistingReturn = 0 } = returns
  const span =
    dates === null ? `from one rebalancing to the next (${rebalance})` : `over ${plural(dates, 'date')}`
  if (from === 'forward_return')
    return [
      `Returns are compounded ${span}.`,
      `${plural(returns.returns_missing ?? 0, 'missing return')} contributed 0.`,
    ]
  return [
    `Returns are computed from closes ${span}.`,
    entryDates === 0
      ? 'A score is traded at the close of its own date, so it must have been known before that close.'
      : `A score is traded at the close ${plural(entryDates, 'date')} later.`,
    `In ${plural(returns.rows_delisted ?? 0, 'row')} the closes of the name ended before the exit: a return of ${percent(delistingReturn, 0)} is assumed to follow the last one.`,
    `${plural(returns.rows_carried ?? 0, 'row')} used an earlier close at the exit; ${count((returns.rows_without_entry ?? 0) + (returns.rows_pending ?? 0))} had no return.`,
  ]
}

/** What limits on trading did, as lines of a table. */
export function tradingRows(
  trading: NonNullable<BacktestResult['trading']>,
  periods: number,
): (readonly [name: string, value: string])[] {
  const share = (held: number) => `${count(held)} of ${plural(periods, 'period')}`
  return [
    ...(trading.maxTurnover === null
      ? []
      : ([
          ['Turnover capped', share(trading.periods_turnover_capped)],
          ['Mean part of each wanted trade that was made', percent(trading.mean_traded_fraction, 1)],
        ] as const)),
    ...(trading.maxWeight === null
      ? []
      : ([
          ['Weights capped', share(trading.periods_weight_capped)],
          ['Mean exposure left in cash', percent(trading.mean_in_cash, 2)],
        ] as const)),
    ...(trading.targetVolatility === null
      ? []
      : ([
          [
            'Leverage, lowest, mean and highest',
            `${ratio(trading.leverage_min)}, ${ratio(trading.leverage_mean)}, ${ratio(trading.leverage_max)}`,
          ],
          ['Leverage at its limit', share(trading.periods_leverage_capped)],
        ] as const)),
    ...(trading.impact === null
      ? []
      : ([
          ['Impact paid per year', percent(trading.impact_annual, 2)],
          ['Trades without a volume or past returns', count(trading.trades_without_inputs)],
        ] as const)),
    ['Borrowing costs', trading.borrow_by_name ? 'of each name' : 'the same for all names'],
  ]
}
