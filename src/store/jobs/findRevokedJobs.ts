import type { Sql } from '../database.ts'

/** Unfinished jobs whose key was revoked: nobody can read what they yield, or cancel them. */
export async function findRevokedJobs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ jobId: string }[]>`
    select j.job_id as "jobId" from backtest_job j join api_key k on k.key_id = j.key_id
    where j.finished_at is null and k.revoked_at is not null`
  return rows.map(row => row.jobId)
}
