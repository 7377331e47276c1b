import type { SignalDay } from '../../backtest/pool/tasks.ts'
import { type Horizon, horizonDays } from '../../horizons.ts'
import type { Sql } from '../../postgres/client.ts'

/** The resolved signals of one horizon for the backtest, in the order of days, some of them at a time. */
export function streamResolvedSignals(sql: Sql, horizon: Horizon): AsyncIterable<SignalDay[]> {
  return streamResolved(sql, horizonDays(horizon))
}

const daysPerFetch = 50

/** The archive of one horizon: every resolved signal, in the order of days, some of them at a time. */
export async function* streamResolved(
  sql: Sql,
  horizonDays: number,
): AsyncGenerator<SignalDay[], void, undefined> {
  const connection = await sql.reserve()
  try {
    await connection
      .unsafe(
        'begin isolation level repeatable read read only; set local plan_cache_mode = force_custom_plan',
      )
      .simple()
    await connection`
      declare archive no scroll cursor for
      select date - date '1970-01-01' as day,
        string_agg(ticker || ' ' || market, E'\n' order by ticker, market) as names,
        string_agg(float8send(predicted), ''::bytea order by ticker, market) as predicted,
        string_agg(float8send(actual), ''::bytea order by ticker, market) as actual
      from signal
      where actual is not null and horizon = ${horizonDays}
      group by date
      order by date`
    for (;;) {
      const days = await connection.unsafe<SignalDay[]>(`fetch ${daysPerFetch} from archive`)
      if (days.length > 0) yield days
      if (days.length < daysPerFetch) break
    }
  } finally {
    await connection`rollback`.catch(() => {})
    connection.release()
  }
}
