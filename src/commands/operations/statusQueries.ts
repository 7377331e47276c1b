import type { Sql } from '../../postgres/client.ts'

export interface ServerState {
  readonly version: string
  readonly sizeBytes: number
  readonly connections: number
  readonly maxConnections: number
  readonly isStandby: boolean
}

export async function readServerState(sql: Sql): Promise<ServerState> {
  const [row] = await sql<[ServerState]>`
    select current_setting('server_version') as version, pg_database_size(current_database())::float8 as "sizeBytes",
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::int as "maxConnections", pg_is_in_recovery() as "isStandby"`
  return row
}

export interface DataState {
  readonly version: number
  /** An instant like 2026-11-22T06:15:04Z. */
  readonly changedAt: string
}

export async function readDataState(sql: Sql): Promise<DataState> {
  const [row] = await sql<[DataState]>`
    select version::float8 as version, to_char(changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "changedAt"
    from data_version`
  return row
}

export interface ProcessState {
  /** Null for a process of a version that does not report it. */
  readonly role: 'server' | 'worker' | null
  readonly version: string | null
  readonly host: string | null
  readonly pid: number | null
  readonly startedAt: string
  readonly silentSeconds: number
}

/** Every server and worker that shares the database records a heartbeat each second. */
export async function readProcesses(sql: Sql): Promise<readonly ProcessState[]> {
  return sql<ProcessState[]>`
    select to_jsonb(p) ->> 'role' as role, to_jsonb(p) ->> 'version' as version, to_jsonb(p) ->> 'host' as host,
      (to_jsonb(p) ->> 'pid')::int as pid,
      to_char(started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "startedAt",
      extract(epoch from clock_timestamp() - seen_at)::float8 as "silentSeconds"
    from job_process p order by 1, 3, started_at limit 200`
}

export interface JobState {
  readonly waiting: number
  readonly running: number
  /** Within the last day. */
  readonly failed: number
  readonly oldestWaitingSeconds: number | null
}

/** The table of jobs. Before migration 0041 it has another name, and operators also read the status before an upgrade. */
async function jobTable(sql: Sql): Promise<string> {
  const [{ name }] = await sql<[{ name: string }]>`
    select case when to_regclass('job') is null then 'backtest_job' else 'job' end as name`
  return name
}

export async function readJobs(sql: Sql): Promise<JobState> {
  const jobs = await jobTable(sql)
  const [row] = await sql<[JobState]>`
    select count(*) filter (where state = 'queued')::int as waiting, count(*) filter (where state = 'running')::int as running,
      count(*) filter (where state = 'failed' and finished_at > now() - interval '1 day')::int as failed,
      extract(epoch from now() - min(created_at) filter (where state = 'queued'))::float8 as "oldestWaitingSeconds"
    from ${sql(jobs)} where finished_at is null or finished_at > now() - interval '1 day'`
  return row
}

export interface MailState {
  readonly waiting: number
  /** Within the last week. */
  readonly failed: number
  /** How long the oldest due item has been waiting. */
  readonly overdueSeconds: number | null
}

export async function readMail(sql: Sql): Promise<MailState> {
  const [row] = await sql<[MailState]>`
    select count(*) filter (where state = 'waiting')::int as waiting,
      count(*) filter (where state in ('failed', 'expired') and ended_at > now() - interval '7 days')::int as failed,
      extract(epoch from now() - min(queued_at) filter (where state = 'waiting' and next_attempt_at < now()))::float8
        as "overdueSeconds"
    from account.mail_outbox where state = 'waiting' or ended_at > now() - interval '7 days'`
  return row
}

export interface BackupState {
  readonly at: string
  readonly file: string
  readonly bytes: number | null
  readonly ageSeconds: number
}

/** The last successful backup; null if none is on record. */
export async function readLastBackup(sql: Sql): Promise<BackupState | null> {
  const [row] = await sql<BackupState[]>`
    select to_char(ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at, subject as file, bytes::float8 as bytes,
      extract(epoch from now() - ended_at)::float8 as "ageSeconds"
    from operator_run where kind = 'backup' and outcome = 'done' order by run_id desc limit 1`
  return row ?? null
}

export interface LastImport {
  readonly market: string
  readonly ageSeconds: number
}

/** For each market, the last manual import that read every document. */
export async function readLastImports(sql: Sql): Promise<readonly LastImport[]> {
  return sql<LastImport[]>`
    select subject as market, extract(epoch from now() - max(ended_at))::float8 as "ageSeconds"
    from operator_run where kind = 'import' and outcome = 'done' group by subject`
}

export interface PastError {
  readonly at: string
  readonly what: 'backup' | 'import' | 'sync' | 'job' | 'mail'
  /** A file, a market or a job's ID, never a person's address. */
  readonly subject: string
  readonly reason: string
  /** True if the same has succeeded since, or if the request was at fault. */
  readonly isOver: boolean
}

/**
 * Reads the failures of the last week, latest first. A job that failed because of its request counts as over, because
 * only its sender can correct the request.
 */
export async function readErrors(sql: Sql, limit: number): Promise<readonly PastError[]> {
  const jobs = await jobTable(sql)
  return sql<PastError[]>`
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at, what, subject, reason, over as "isOver"
    from (
      select ended_at as at, kind as what, subject, coalesce(reason, 'It was stopped.') as reason,
        exists (select from operator_run l where l.kind = r.kind and l.run_id > r.run_id and l.outcome = 'done'
                and (r.kind = 'backup' or l.subject = r.subject)) as over
      from operator_run r where outcome in ('failed', 'incomplete') and ended_at > now() - interval '7 days'
      union all
      select ended_at, 'sync', market, coalesce(reason, 'It ended without a word.'),
        exists (select from sync_run l where l.market = r.market and l.run_id > r.run_id and l.outcome = 'done' and not l.is_partial)
      from sync_run r where outcome in ('failed', 'incomplete', 'killed') and ended_at > now() - interval '7 days'
      union all
      select finished_at, 'job', job_id::text, error_code || ': ' || error_message, error_code not in ('compute_failed', 'internal')
      from ${sql(jobs)} where state = 'failed' and finished_at > now() - interval '7 days'
      union all
      select ended_at, 'mail', mail_id::text, 'It was ' || case state when 'failed' then 'refused or could not be sent.' else
        'of no use any more before it could be sent.' end, false
      from account.mail_outbox where state in ('failed', 'expired') and ended_at > now() - interval '7 days'
    ) e order by e.at desc limit ${limit}`
}
