import type { Horizon, ResolvedSignal } from '../../model/signal.ts'
import type { Sql } from '../../store/database.ts'
import { streamResolved } from '../../store/signals/streamResolved.ts'
import { horizonDays } from './horizonDays.ts'

/** The resolved signals of one horizon for the backtest, ordered by day, ticker and market, many at a time. */
export function streamResolvedSignals(
  sql: Sql,
  source: { readonly horizon: Horizon; readonly market?: string },
): AsyncIterable<ResolvedSignal[]> {
  return streamResolved(sql, horizonDays(source.horizon), source.market ?? null)
}
