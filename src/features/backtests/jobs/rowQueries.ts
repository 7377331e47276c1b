import type { Sql, Statements } from '../../../postgres/client.ts'
import { addTasks, type NewTask } from './queue.ts'
import type { Job } from './schema.ts'

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

export interface NewJob {
  readonly id: string
  readonly keyId: number
  readonly requestId: string
  readonly body: Uint8Array<ArrayBuffer>
  readonly bodyFormat: string
  readonly bodyQuery: object
  readonly dataVersion: number
  /** The Idempotency-Key that was claimed for it. */
  readonly claim: string | null
}

export interface Backlog {
  readonly jobs: number
  readonly bytes: number
}

/** What a key has in the queue or running. */
export async function readBacklog(statements: Statements, keyId: number): Promise<Backlog> {
  const [row] = await statements<Backlog[]>`
    select count(*)::int as jobs, coalesce(sum(body_bytes), 0)::float8 as bytes
    from backtest_job where key_id = ${keyId} and finished_at is null`
  return row
}

/** Any number will do as long as every server on one database uses the same. */
const admission = 0x6a6f6273

/** Body, job and first task, or nothing. Where it returns, a power cut forgets nothing. The backlog of the key is judged
 * by `admit` once more, alone: two servers cannot let the last job in together. */
export async function insertJob(
  sql: Sql,
  job: NewJob,
  first: NewTask,
  admit: (backlog: Backlog) => void,
): Promise<Job> {
  return sql.begin(async transaction => {
    await storeBody(transaction, job.id, job.body)
    await transaction`select pg_advisory_xact_lock(${admission}, ${job.keyId})`
    admit(await readBacklog(transaction, job.keyId))
    const [stored] = await transaction<Job[]>`
      insert into backtest_job
        (job_id, key_id, request_id, body_format, body_query, body_bytes, submitted_data_version)
      values (
        ${job.id}, ${job.keyId}, ${job.requestId}, ${job.bodyFormat}, ${JSON.stringify(job.bodyQuery)}::text::json,
        ${job.body.length}, ${job.dataVersion})
      returning ${jobColumns(transaction)}`
    if (job.claim !== null) {
      await transaction`
        update idempotency_claim set job_id = ${job.id} where key_id = ${job.keyId} and name = ${job.claim}`
    }
    await addTasks(transaction, job.id, [first])
    return stored
  })
}

const partBytes = 4 * 1_024 * 1_024
/** Fast rather than small: a body lies here for minutes. */
const level = 1

/** Stores a body in compressed pieces. */
export async function storeBody(
  statements: Statements,
  jobId: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<void> {
  for (let at = 0, part = 0; at < body.length; at += partBytes, part++) {
    const bytes = await Bun.zstdCompress(body.subarray(at, at + partBytes), { level })
    await statements`insert into job_body (job_id, part, bytes) values (${jobId}, ${part}, ${bytes})`
  }
}

/** A body of `size` bytes, whole, in memory of its own; null where it is no longer there. */
export async function readBody(
  sql: Sql,
  jobId: string,
  size: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const body = new Uint8Array(size)
  let at = 0
  const pieces = sql<{ bytes: Buffer }[]>`select bytes from job_body where job_id = ${jobId} order by part`
  for await (const [{ bytes }] of pieces.cursor(1)) {
    const piece = await Bun.zstdDecompress(bytes)
    body.set(piece, at)
    at += piece.length
  }
  return at === size ? body : null
}
