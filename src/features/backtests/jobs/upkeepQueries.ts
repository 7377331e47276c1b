import type { Sql } from '../../../postgres/client.ts'

export interface Keeping {
  /** A finished job and its result. */
  readonly jobDays: number
  /** Finished jobs of a key; the oldest go first. */
  readonly jobsPerKey: number
  /** What an Idempotency-Key stands for. */
  readonly claimHours: number
}

/** Forgets what is old or too much. */
export async function cleanJobs(sql: Sql, { jobDays, jobsPerKey, claimHours }: Keeping): Promise<void> {
  await sql`delete from backtest_job where finished_at < now() - ${jobDays} * interval '1 day'`
  await sql`
    delete from backtest_job where job_id in (
      select job_id from (
        select job_id, row_number() over (partition by key_id order by job_id desc) as place
        from backtest_job where finished_at is not null
      ) ranked where place > ${jobsPerKey})`
  await sql`delete from idempotency_claim where claimed_at < now() - ${claimHours} * interval '1 hour'`
}

/** Unfinished jobs whose key was revoked: nobody can read what they yield, or cancel them. */
export async function findRevokedJobs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ jobId: string }[]>`
    select j.job_id as "jobId" from backtest_job j join api_key k on k.key_id = j.key_id
    where j.finished_at is null and k.revoked_at is not null`
  return rows.map(row => row.jobId)
}

/** Says that a process lives, and under which names it locks tasks. */
export async function beat(sql: Sql, processId: string, locks: readonly string[]): Promise<void> {
  await sql`
    insert into job_process (process_id, locks) values (${processId}, ${[...locks]}::text[])
    on conflict (process_id) do update set locks = excluded.locks, seen_at = now()`
}

/** Breaks the locks of processes that have been silent for longer than that, so that others run what they ran, and returns
 * those processes. One that lives after all does no harm: what is run twice leaves what one run leaves. */
export async function releaseDead(sql: Sql, silentMs: number): Promise<string[]> {
  return sql.begin(async transaction => {
    const dead = await transaction<{ id: string }[]>`
      delete from job_process where seen_at < now() - ${silentMs} * interval '1 ms' returning process_id as id`
    // A process may have died before it could say under which name it locks.
    await transaction`
      select asfiled_queue.force_unlock_workers(array(
        select distinct locked_by from asfiled_queue.jobs q
        where locked_at < now() - ${silentMs} * interval '1 ms'
          and not exists (select from job_process where q.locked_by = any(locks))))`
    return dead.map(process => process.id)
  })
}

/** Leaves in order: what the process still holds is free at once. */
export async function leave(sql: Sql, processId: string): Promise<void> {
  await sql.begin(async transaction => {
    const [row] = await transaction<{ locks: string[] }[]>`
      delete from job_process where process_id = ${processId} returning locks`
    if (row) await transaction`select asfiled_queue.force_unlock_workers(${row.locks}::text[])`
  })
}
