import type { ResolvedSignal } from '../../model/signal.ts'
import type { Sql } from '../database.ts'

const rowsPerFetch = 10_000

/** The archive of one horizon: every resolved signal by day, then ticker, then market. */
export async function* streamResolved(
  sql: Sql,
  horizonDays: number,
  market: string | null,
): AsyncGenerator<ResolvedSignal[], void, undefined> {
  const connection = await sql.reserve()
  try {
    await connection
      .unsafe(
        'begin isolation level repeatable read read only; set local plan_cache_mode = force_custom_plan',
      )
      .simple()
    await connection`
      declare archive no scroll cursor for
      select date - date '1970-01-01' as day, ticker, market, predicted, actual
      from signal
      where actual is not null and horizon = ${horizonDays}
        ${market === null ? connection`` : connection`and market = ${market}`}
      order by date, ticker, market`
    for (;;) {
      const rows = await connection.unsafe<ResolvedSignal[]>(`fetch ${rowsPerFetch} from archive`)
      if (rows.length > 0) yield rows
      if (rows.length < rowsPerFetch) break
    }
  } finally {
    await connection`rollback`.catch(() => {})
    connection.release()
  }
}
