import type { Horizon } from '../../model/signal.ts'
import type { SignalDay } from '../../model/signalDay.ts'
import type { Sql } from '../../store/database.ts'
import { streamResolved } from '../../store/signals/streamResolved.ts'
import { horizonDays } from './horizonDays.ts'

/** The resolved signals of one horizon for the backtest, in the order of days, some of them at a time. */
export function streamResolvedSignals(sql: Sql, horizon: Horizon): AsyncIterable<SignalDay[]> {
  return streamResolved(sql, horizonDays(horizon))
}
