import type { Job } from '../../model/job.ts'
import type { Sql, Statements } from '../database.ts'
import { storeBody } from './bodies.ts'
import { jobColumns } from './jobRow.ts'
import { addTasks, type NewTask } from './tasks.ts'

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
