import type { Sql, SqlFragment } from '../../postgres/client.ts'
import { isSyncLocked } from '../../postgres/syncLock.ts'
import { silentEnd } from './runQueries.ts'

export interface MarketRuns {
  readonly market: string
  readonly running: boolean
  /** Instants like 2026-11-22T06:15:04Z, or null. */
  readonly lastSuccess: string | null
  readonly ageSeconds: number | null
  readonly lastFailure: string | null
  readonly reason: string | null
  /** Counts of the last run, however it ended. */
  readonly documents: number | null
  readonly facts: number | null
  readonly dataVersion: number | null
}

/** What is known about the runs of each market, in the given order. */
export async function readMarketRuns(sql: Sql, markets: readonly string[]): Promise<readonly MarketRuns[]> {
  return sql<MarketRuns[]>`
    select m.market, m.running, ${instant(sql, sql`d.ended_at`)} as "lastSuccess",
      floor(extract(epoch from now() - d.ended_at))::float8 as "ageSeconds",
      ${instant(sql, sql`f.at`)} as "lastFailure", f.reason,
      l.documents::float8 as documents, l.facts::float8 as facts, l.data_version::float8 as "dataVersion"
    from (
      select market, place, ${isSyncLocked(sql, sql`market`)} as running
      from unnest(${[...markets]}::text[]) with ordinality u (market, place)) m
    left join lateral (
      select ended_at from sync_run r
      where r.market = m.market and outcome = 'done' and not is_partial order by run_id desc limit 1) d on true
    left join lateral (
      select coalesce(ended_at, seen_at) as at, coalesce(reason, ${silentEnd}) as reason from sync_run r
      where r.market = m.market and (outcome in ('incomplete', 'failed', 'killed') or (ended_at is null and not m.running))
      order by run_id desc limit 1) f on true
    left join lateral (
      select documents, facts, data_version from sync_run r
      where r.market = m.market order by run_id desc limit 1) l on true
    order by m.place`
}

const instant = (sql: Sql, at: SqlFragment) =>
  sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
