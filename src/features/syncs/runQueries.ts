import type { Sql, SqlClient } from '../../postgres/client.ts'
import { isSyncLocked } from '../../postgres/syncLock.ts'

/**
 * How a run ended. `done`: everything was fetched. `incomplete`: some requests failed. `failed`: it ended
 * before completing its plan. `stopped`: a signal or its time limit ended it. `killed`: it ended without
 * reporting.
 */
export type SyncOutcome = 'done' | 'incomplete' | 'failed' | 'stopped' | 'killed'

export interface NewRun {
  readonly market: string
  readonly isScheduled: boolean
  readonly isPartial: boolean
}

export interface RunCounts {
  readonly documents: number
  readonly facts: number
}

export interface RunEnd extends RunCounts {
  readonly outcome: SyncOutcome
  readonly reason: string | null
}

/**
 * Records the start of a run. The caller holds the market's lock, so any run of the market without an end is
 * dead.
 */
export async function beginRun(sql: Sql, { market, isScheduled, isPartial }: NewRun): Promise<string> {
  await endDeadRuns(sql, market)
  const [row] = await sql<{ id: string }[]>`
    insert into sync_run (market, is_scheduled, is_partial)
    values (${market}, ${isScheduled}, ${isPartial}) returning run_id as id`
  return row.id
}

/** Records a run's progress, which also serves as its heartbeat. */
export async function noteRun(sql: Sql, id: string, { documents, facts }: RunCounts): Promise<void> {
  await sql`
    update sync_run set seen_at = now(), documents = ${documents}, facts = ${facts}
    where run_id = ${id} and ended_at is null`
}

/** Records the end of a run, even of one that was taken for dead. */
export async function endRun(
  sql: Sql,
  id: string,
  { outcome, reason, documents, facts }: RunEnd,
): Promise<void> {
  await sql`
    update sync_run set ended_at = now(), seen_at = now(), outcome = ${outcome}, reason = ${reason},
      documents = ${documents}, facts = ${facts}, data_version = (select version from data_version)
    where run_id = ${id}`
}

/** Records a run that failed before it could begin. */
export async function recordFailedRun(
  sql: Sql,
  { market, isScheduled, isPartial }: NewRun,
  reason: string,
): Promise<void> {
  await sql`
    insert into sync_run (market, is_scheduled, is_partial, ended_at, outcome, reason, data_version)
    select ${market}, ${isScheduled}, ${isPartial}, now(), 'failed', ${reason}, version from data_version`
}

/** The reason recorded for a run whose process died without reporting an end. */
export const silentEnd =
  'The run ended without a word: its process was killed, or the database was lost. What it fetched is stored, and the next run continues.'

/**
 * Ends the runs of a market whose process died. Either the caller holds the market's lock or no process does.
 */
async function endDeadRuns(sql: SqlClient, market: string): Promise<void> {
  await sql`
    update sync_run set ended_at = seen_at, outcome = 'killed', reason = ${silentEnd}
    where market = ${market} and ended_at is null`
}

interface LastRun {
  readonly id: string
  readonly outcome: SyncOutcome
  readonly reason: string | null
  readonly documents: number
  readonly facts: number
}

/**
 * The last run of a market, if it is later than the given one. A run without an end is dead if no process
 * holds the lock.
 */
export async function lastRunAfter(sql: Sql, market: string, id: string): Promise<LastRun | null> {
  if (!(await isSyncRunning(sql, market))) await endDeadRuns(sql, market)
  const [row] = await sql<LastRun[]>`
    select run_id as id, outcome, reason, documents::float8 as documents, facts::float8 as facts
    from sync_run where market = ${market} and run_id > ${id} and ended_at is not null
    order by run_id desc limit 1`
  return row ?? null
}

/** The number of a market's last run, or 0. */
export async function lastRunId(sql: Sql, market: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select coalesce(max(run_id), 0)::text as id from sync_run where market = ${market}`
  return row.id
}

/** Whether a process is fetching from a market's register, started manually or by the schedule. */
export async function isSyncRunning(sql: Sql, market: string): Promise<boolean> {
  const [row] = await sql<{ running: boolean }[]>`
    select ${isSyncLocked(sql, sql`${market}`)} as running`
  return row.running
}

/** Marks a finished run as failed, for the process that stopped it. */
export async function failRun(sql: Sql, id: string, reason: string): Promise<void> {
  await sql`update sync_run set outcome = 'failed', reason = ${reason} where run_id = ${id} and ended_at is not null`
}

const keepDays = 90
const keepRuns = 1_000

/**
 * Deletes runs past their retention, but keeps each market's last complete `done` run. Also deletes due runs
 * that no schedule has requested for a week.
 */
export async function deleteOldRuns(sql: Sql, limit: number): Promise<void> {
  await sql`
    delete from sync_run where run_id in (
      select run_id from (
        select run_id, ended_at, row_number() over (partition by market order by run_id desc) as place,
               row_number() over (partition by market, outcome, is_partial order by run_id desc) as of_outcome, outcome, is_partial
        from sync_run) r
      where ended_at is not null and (place > ${keepRuns} or ended_at < now() - ${keepDays} * interval '1 day')
        and not (outcome = 'done' and not is_partial and of_outcome = 1)
      order by run_id limit ${limit})`
  await sql`delete from sync_due where process_id is null and try_at < now() - interval '7 days'`
}
