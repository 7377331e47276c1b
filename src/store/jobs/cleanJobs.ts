import type { Sql } from '../database.ts'

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
