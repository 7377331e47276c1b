import type { Sql } from '../postgres/client.ts'

interface Retention {
  /** Days for which a finished job is kept. */
  readonly jobDays: number
  /** Finished jobs kept per key; the oldest are deleted first. */
  readonly jobsPerKey: number
  /** Hours for which an Idempotency-Key belongs to its first request. */
  readonly claimHours: number
}

/** Deletes finished jobs and claims past their retention, and addresses that have expired. A job that is
 * shared is kept until the last of its addresses expires. */
export async function deleteExpired(sql: Sql, { jobDays, jobsPerKey, claimHours }: Retention): Promise<void> {
  await sql`delete from shared_report where expires_at <= now()`
  await sql`
    delete from job where finished_at < now() - ${jobDays} * interval '1 day'
      and not exists (select from shared_report s where s.job_id = job.job_id)`
  await sql`
    delete from job where job_id in (
      select job_id from (
        select job_id, row_number() over (partition by key_id order by job_id desc) as place
        from job where finished_at is not null
      ) ranked where place > ${jobsPerKey})
      and not exists (select from shared_report s where s.job_id = job.job_id)`
  await sql`delete from idempotency_claim where claimed_at < now() - ${claimHours} * interval '1 hour'`
}

/** Unfinished jobs of revoked keys: no client can read their results or cancel them. Jobs of a rotated key
 * are excluded, because the new key takes them over. */
export async function findRevokedJobs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ jobId: string }[]>`
    select j.job_id as "jobId" from job j
    where j.finished_at is null and not exists (
      select from api_key k
      where coalesce(k.root_key_id, k.key_id) = j.key_id
        and k.revoked_at is null and (k.retires_at is null or k.retires_at > now()))`
  return rows.map(row => row.jobId)
}

/** Unfinished jobs that no process will continue: a task has used all its attempts, or there is no task. */
export async function findAbandonedJobs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ jobId: string }[]>`
    select j.job_id as "jobId" from job j
    where j.finished_at is null and (
      not exists (select from asfiled_queue.jobs q where starts_with(q.key, j.job_id || '/'))
      or exists (
        select from asfiled_queue.jobs q
        where starts_with(q.key, j.job_id || '/') and q.locked_at is null and q.attempts >= q.max_attempts))`
  return rows.map(row => row.jobId)
}

/** What a process reports about itself, for `asfiled status`. */
export interface ProcessIdentity {
  readonly role: 'server' | 'worker'
  readonly version: string
  readonly host: string
  readonly pid: number
}

/** Records that a process is alive, and the names under which it locks tasks. */
export async function recordHeartbeat(
  sql: Sql,
  processId: string,
  locks: readonly string[],
  identity: ProcessIdentity | null,
): Promise<void> {
  const { role = null, version = null, host = null, pid = null } = identity ?? {}
  await sql`
    insert into job_process (process_id, locks, role, version, host, pid)
    values (${processId}, ${[...locks]}::text[], ${role}, ${version}, ${host}, ${pid})
    on conflict (process_id) do update set locks = excluded.locks, seen_at = now()`
}

/** Releases the tasks of processes without a heartbeat for longer than `silentMs`, and returns the ids of
 * those processes. If one turns out to be alive, no harm is done: a task that runs twice leaves the same
 * result as one run. */
export async function releaseDeadProcesses(sql: Sql, silentMs: number): Promise<string[]> {
  return sql.begin(async transaction => {
    const dead = await transaction<{ id: string }[]>`
      delete from job_process where seen_at < now() - ${silentMs} * interval '1 ms' returning process_id as id`
    // Includes locks without a process: a process may have died before it recorded the name under which it
    // locks.
    await transaction`
      select asfiled_queue.force_unlock_workers(array(
        select distinct locked_by from asfiled_queue.jobs q
        where locked_at < now() - ${silentMs} * interval '1 ms'
          and not exists (select from job_process where q.locked_by = any(locks))))`
    return dead.map(process => process.id)
  })
}

/** Removes a process that is shutting down, and immediately releases the tasks that it still holds. */
export async function removeProcess(sql: Sql, processId: string): Promise<void> {
  await sql.begin(async transaction => {
    const [row] = await transaction<{ locks: string[] }[]>`
      delete from job_process where process_id = ${processId} returning locks`
    if (row) await transaction`select asfiled_queue.force_unlock_workers(${row.locks}::text[])`
  })
}
