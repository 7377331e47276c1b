import type { Sql } from '../postgres/client.ts'
import { isSyncLocked } from '../postgres/syncLock.ts'

/** Instants are Unix times in seconds; null: there is none. */
export interface MarketFigures {
  readonly market: string
  readonly newestFiled: number | null
  readonly lastImport: number | null
  readonly factsLastHour: number
  readonly syncRunning: boolean
  readonly lastSync: number | null
  readonly lastFailure: number | null
  readonly failedAttempts: number
  readonly documents: number
  readonly facts: number
}

/** Imports are looked for among so many of the last batches, so that the query takes no longer as the years pass. */
const maxBatches = 20_000

/** How current each market is. A filing day that lies ahead, as Taiwan's deadlines do, is not the newest one yet. */
export async function readMarketFigures(
  sql: Sql,
  markets: readonly string[],
): Promise<readonly MarketFigures[]> {
  return sql<MarketFigures[]>`
    select m.market, extract(epoch from f.filed)::float8 as "newestFiled",
      extract(epoch from i.last_at)::float8 as "lastImport", coalesce(i.facts_last_hour, 0)::float8 as "factsLastHour",
      m.running as "syncRunning", extract(epoch from d.ended_at)::float8 as "lastSync",
      extract(epoch from l.ended_at)::float8 as "lastFailure",
      coalesce((select attempts from sync_due s where s.market = m.market), 0)::float8 as "failedAttempts",
      coalesce(r.documents, 0)::float8 as documents, coalesce(r.facts, 0)::float8 as facts
    from (
      select market, place, ${isSyncLocked(sql, sql`market`)} as running
      from unnest(${[...markets]}::text[]) with ordinality u (market, place)) m
    left join lateral (
      select filed from filing
      where filing_market(accession) = m.market and filed <= current_date
      order by filed desc limit 1) f on true
    left join (
      select upper(source) as market, max(committed_at) as last_at,
        sum(facts_added) filter (where committed_at > now() - interval '1 hour') as facts_last_hour
      from (select source, committed_at, facts_added from import_batch order by version desc limit ${maxBatches}) b
      group by 1) i on i.market = m.market
    left join lateral (
      select ended_at from sync_run s
      where s.market = m.market and outcome = 'done' and not is_partial order by run_id desc limit 1) d on true
    left join lateral (
      select ended_at from sync_run s
      where s.market = m.market and outcome in ('incomplete', 'failed', 'killed') order by run_id desc limit 1) l on true
    left join lateral (
      select documents, facts from sync_run s
      where m.running and s.market = m.market and ended_at is null order by run_id desc limit 1) r on true
    order by m.place`
}

export interface JobCount {
  readonly kind: string
  readonly state: string
  readonly count: number
  /** When the oldest of them was submitted. */
  readonly oldest: number
}

/** Submitted backtests and joins on record; finished ones go after a week. */
export async function readJobCounts(sql: Sql): Promise<readonly JobCount[]> {
  return sql<JobCount[]>`
    select kind, state, count(*)::float8 as count, extract(epoch from min(created_at))::float8 as oldest
    from job group by kind, state`
}

export interface StoreFigures {
  readonly version: number
  readonly bytes: number
  /** Processes that run jobs and were alive a moment ago. */
  readonly processes: number
  /** Tables, indexes and other relations with damage that is not repaired. */
  readonly damagedRelations: number
  /** When all pages were last checked; null: never. */
  readonly lastPageCheck: number | null
}

export async function readStoreFigures(sql: Sql): Promise<StoreFigures> {
  const [row] = await sql<StoreFigures[]>`
    select (select version::float8 from data_version) as version,
      pg_database_size(current_database())::float8 as bytes,
      (select count(*)::float8 from job_process where seen_at > now() - interval '5 seconds') as processes,
      (select count(distinct relation)::float8 from page_damage) as "damagedRelations",
      (select extract(epoch from max(ended_at))::float8 from page_check where outcome in ('clean', 'damaged')) as "lastPageCheck"`
  return row
}
