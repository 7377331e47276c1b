import { Failure } from '../../../errors.ts'
import { type Job, jobRetentionDays } from '../../../jobs/job.ts'
import { endJob, findJob, listJobs } from '../../../jobs/jobQueries.ts'
import type { Sql } from '../../../postgres/client.ts'
import { backtestKind } from './kind.ts'
import type { BacktestJobsQuery } from './schema.ts'

/** A job of this key. Another key's job fails like one that never existed, so that nothing of it is revealed. */
export async function readJob(sql: Sql, keyId: number, jobId: string): Promise<Job> {
  const job = await findJob(sql, jobId, backtestKind)
  if (job?.keyId === keyId) return job
  throw new Failure(
    'entity_unknown',
    `This key has no backtest ${jobId}. GET /api/v1/backtests lists its backtests; a finished one is deleted after ${jobRetentionDays} days.`,
    { param: 'id' },
  )
}

const defaultLimit = 20

interface JobPage {
  readonly jobs: readonly Job[]
  /** The cursor of the next page; null at the end. */
  readonly next: string | null
}

/** The jobs of a key, newest first. */
export async function pageJobs(sql: Sql, keyId: number, query: BacktestJobsQuery): Promise<JobPage> {
  const { limit = defaultLimit, cursor = null } = query
  // One more than the page shows whether another page follows.
  const found = await listJobs(sql, backtestKind, keyId, limit + 1, cursor)
  const jobs = found.slice(0, limit)
  return { jobs, next: found.length > limit ? (jobs.at(-1)?.id ?? null) : null }
}

/** Cancels a job of this key, even if it is running: every process that works on it is notified. A job that has ended stays as
 * it is. */
export async function cancelJob(sql: Sql, keyId: number, jobId: string): Promise<Job> {
  // A job of another kind is none of these.
  await readJob(sql, keyId, jobId)
  await endJob(sql, jobId, { state: 'cancelled' }, keyId)
  return readJob(sql, keyId, jobId)
}
