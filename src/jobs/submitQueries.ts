import type { Sql, SqlClient } from '../postgres/client.ts'
import type { Job } from './job.ts'
import { jobColumns } from './jobQueries.ts'
import { addTasks, type NewTask } from './taskQueries.ts'

interface NewJob {
  readonly id: string
  readonly kind: string
  readonly keyId: number
  readonly requestId: string
  readonly body: Uint8Array<ArrayBuffer>
  readonly bodyFormat: string
  readonly bodyQuery: object
  readonly dataVersion: number
  /** What it has to do; null: not known yet. */
  readonly total: number | null
  /** Of its request, as `storedTrace` writes it. */
  readonly trace: string | null
  /** The Idempotency-Key that was claimed for it. */
  readonly claim: string | null
}

/** The unfinished jobs of a key. */
export interface Backlog {
  readonly jobs: number
  readonly bytes: number
}

export async function readBacklog(client: SqlClient, keyId: number): Promise<Backlog> {
  const [row] = await client<Backlog[]>`
    select count(*)::int as jobs, coalesce(sum(body_bytes), 0)::float8 as bytes
    from job where key_id = ${keyId} and finished_at is null`
  return row
}

/** An arbitrary number, the same for every server on one database. */
const admissionLock = 0x6a6f6273

/** Stores a job with its body and its first task in one transaction. `admit` judges the backlog of the key under a lock:
 * otherwise two servers could each accept the last job that the limit allows. */
export async function insertJob(
  sql: Sql,
  job: NewJob,
  first: NewTask,
  admit: (backlog: Backlog) => void,
): Promise<Job> {
  return sql.begin(async transaction => {
    await storeBody(transaction, job.id, job.body)
    await transaction`select pg_advisory_xact_lock(${admissionLock}, ${job.keyId})`
    admit(await readBacklog(transaction, job.keyId))
    const [stored] = await transaction<Job[]>`
      insert into job
        (job_id, kind, key_id, request_id, body_format, body_query, body_bytes, submitted_data_version, total, trace)
      values (
        ${job.id}, ${job.kind}, ${job.keyId}, ${job.requestId}, ${job.bodyFormat}, ${JSON.stringify(job.bodyQuery)}::text::json,
        ${job.body.length}, ${job.dataVersion}, ${job.total}, ${job.trace})
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
/** Fast rather than small: a body is stored for minutes. */
const zstdLevel = 1

/** Stores a body in compressed parts. */
async function storeBody(client: SqlClient, jobId: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
  for (let at = 0, part = 0; at < body.length; at += partBytes, part++) {
    const bytes = await Bun.zstdCompress(body.subarray(at, at + partBytes), { level: zstdLevel })
    await client`insert into job_body (job_id, part, bytes) values (${jobId}, ${part}, ${bytes})`
  }
}

/** The body of a job, `size` bytes in memory of its own; null if it has been deleted. */
export async function readBody(
  sql: Sql,
  jobId: string,
  size: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const body = new Uint8Array(size)
  let at = 0
  const parts = sql<{ bytes: Buffer }[]>`select bytes from job_body where job_id = ${jobId} order by part`
  for await (const [{ bytes }] of parts.cursor(1)) {
    const part = await Bun.zstdDecompress(bytes)
    body.set(part, at)
    at += part.length
  }
  return at === size ? body : null
}
