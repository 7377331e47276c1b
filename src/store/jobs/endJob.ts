import type { Sql } from '../database.ts'
import { tellOfJob } from './news.ts'
import { dropTasks } from './tasks.ts'

export interface JobError {
  readonly code: string
  readonly message: string
  readonly param: string | null
}

export type JobEnd =
  | { readonly state: 'succeeded'; readonly result: Uint8Array; readonly dataVersion: number | null }
  | { readonly state: 'failed'; readonly error: JobError }
  | { readonly state: 'cancelled' }

/** Ends a job that is unfinished, once and for all: its body and what its shares yielded go, its result stays.
 *
 * @param keyId where it must be that key's
 * @returns whether this was what ended it */
export async function endJob(
  sql: Sql,
  jobId: string,
  end: JobEnd,
  keyId: number | null = null,
): Promise<boolean> {
  const result = end.state === 'succeeded' ? await Bun.zstdCompress(end.result) : null
  const error = end.state === 'failed' ? end.error : null
  return sql.begin(async transaction => {
    const ended = await transaction`
      update backtest_job set state = ${end.state}, finished_at = now(),
        error_code = ${error?.code ?? null}, error_message = ${error?.message ?? null}, error_param = ${error?.param ?? null}
        ${
          end.state === 'succeeded'
            ? transaction`,
        trials_total = coalesce(trials_total, 1), trials_done = coalesce(trials_total, 1),
        data_version = ${end.dataVersion}, started_at = coalesce(started_at, now())`
            : transaction``
        }
      where job_id = ${jobId} and finished_at is null
        ${keyId === null ? transaction`` : transaction`and key_id = ${keyId}`}`
    if (ended.count === 0) return false
    if (result !== null)
      await transaction`insert into job_result (job_id, bytes) values (${jobId}, ${result})`
    await transaction`delete from job_body where job_id = ${jobId}`
    await transaction`delete from job_share where job_id = ${jobId}`
    await dropTasks(transaction, jobId)
    await tellOfJob(transaction, jobId, end.state)
    return true
  })
}

/** Which of these jobs are unfinished. */
export async function unfinishedOf(sql: Sql, jobIds: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select job_id as id from backtest_job where job_id = any(${[...jobIds]}::uuid[]) and finished_at is null`
  return new Set(rows.map(row => row.id))
}
