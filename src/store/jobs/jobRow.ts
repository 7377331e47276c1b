import type { Job } from '../../model/job.ts'
import type { Sql, Statements } from '../database.ts'

export const jobColumns = (sql: Statements) => sql`
  job_id as id, key_id as "keyId", state, request_id as "requestId", body_format as "bodyFormat",
  body_query as "bodyQuery", body_bytes::float8 as "bodyBytes", submitted_data_version::float8 as "submittedDataVersion",
  data_version::float8 as "dataVersion", fingerprint, round, trials_done as done, trials_total as total,
  error_code as "errorCode", error_message as "errorMessage", error_param as "errorParam",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt"`

export async function findJob(sql: Sql, jobId: string): Promise<Job | null> {
  const [row] = await sql<Job[]>`select ${jobColumns(sql)} from backtest_job where job_id = ${jobId}`
  return row ?? null
}

/** A key's jobs, the newest first, from the one after `after`. */
export async function listJobs(sql: Sql, keyId: number, limit: number, after: string | null): Promise<Job[]> {
  const rows = await sql<Job[]>`
    select ${jobColumns(sql)} from backtest_job
    where key_id = ${keyId} ${after === null ? sql`` : sql`and job_id < ${after}`}
    order by job_id desc limit ${limit}`
  return [...rows]
}

/** The text of a job's result; null where there is none. */
export async function readResult(sql: Sql, jobId: string): Promise<string | null> {
  const [row] = await sql<{ bytes: Buffer }[]>`select bytes from job_result where job_id = ${jobId}`
  return row ? new TextDecoder().decode(await Bun.zstdDecompress(row.bytes)) : null
}
