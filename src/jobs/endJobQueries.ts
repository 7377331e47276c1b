import type { Sql, SqlClient } from '../postgres/client.ts'
import { notifyJobChange } from './jobQueries.ts'
import { removeTasks } from './taskQueries.ts'

interface JobError {
  readonly code: string
  readonly message: string
  readonly param: string | null
}

type JobEnd =
  | {
      readonly state: 'succeeded'
      /** The bytes, or a function that stores them in several parts. */
      readonly result: Uint8Array | ((transaction: SqlClient) => Promise<void>)
      readonly dataVersion: number | null
    }
  | { readonly state: 'failed'; readonly error: JobError }
  | { readonly state: 'cancelled' }

/** Ends an unfinished job for good: stores its result and deletes its body, shards and tasks.
 *
 * @param keyId the key that must own the job; null: any key
 * @returns whether this call ended it */
export async function endJob(
  sql: Sql,
  jobId: string,
  end: JobEnd,
  keyId: number | null = null,
): Promise<boolean> {
  const stored = end.state === 'succeeded' ? end.result : null
  const result = stored instanceof Uint8Array ? await Bun.zstdCompress(stored) : null
  const error = end.state === 'failed' ? end.error : null
  const ending = sql.begin(async transaction => {
    // Runs before the job is locked: storing the parts takes a while, and a cancellation must not wait for
    // it.
    if (typeof stored === 'function') await stored(transaction)
    const ended = await transaction`
      update job set state = ${end.state}, finished_at = now(),
        error_code = ${error?.code ?? null}, error_message = ${error?.message ?? null}, error_param = ${error?.param ?? null}
        ${
          end.state === 'succeeded'
            ? transaction`,
        total = coalesce(total, 1), done = coalesce(total, 1),
        data_version = ${end.dataVersion}, started_at = coalesce(started_at, now())`
            : transaction``
        }
      where job_id = ${jobId} and finished_at is null
        ${keyId === null ? transaction`` : transaction`and key_id = ${keyId}`}`
    if (ended.count === 0) throw new AlreadyEnded()
    if (result !== null)
      await transaction`insert into job_result (job_id, bytes) values (${jobId}, ${result})`
    await transaction`delete from job_body where job_id = ${jobId}`
    await transaction`delete from job_share where job_id = ${jobId}`
    await removeTasks(transaction, jobId)
    await notifyJobChange(transaction, jobId, end.state)
    return true
  })
  return ending.catch(error => {
    if (error instanceof AlreadyEnded) return false
    throw error
  })
}

/** Rolls back what the transaction has stored of the result. */
class AlreadyEnded extends Error {}

/** Cancels a job, even if it is running: every process that works on it is notified. A job that has ended stays
 * unchanged.
 *
 * @param keyId the key that must own the job; null: any key */
export async function cancelJob(sql: Sql, jobId: string, keyId: number | null = null): Promise<void> {
  await endJob(sql, jobId, { state: 'cancelled' }, keyId)
}
