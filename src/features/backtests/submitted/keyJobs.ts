import { Failure } from '../../../errors.ts'
import { cancelJob } from '../../../jobs/endJobQueries.ts'
import { type Job, jobRetentionDays } from '../../../jobs/job.ts'
import { findJob, listJobs } from '../../../jobs/jobQueries.ts'
import type { Sql } from '../../../postgres/client.ts'
import { backtestKind } from './kind.ts'
import type { BacktestJobsQuery } from './schema.ts'

/**
 * A job of this key. Another key's job fails as if it had never existed, so that nothing about it is
 * revealed.
 */
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
  /** The cursor of the next page, or null on the last one. */
  readonly next: string | null
}

/** The jobs of a key, newest first. */
export async function pageJobs(sql: Sql, keyId: number, query: BacktestJobsQuery): Promise<JobPage> {
  const { limit = defaultLimit, cursor = null } = query
  // One more than the page shows, to learn whether another page follows.
  const found = await listJobs(sql, backtestKind, keyId, limit + 1, cursor)
  const jobs = found.slice(0, limit)
  return { jobs, next: found.length > limit ? (jobs.at(-1)?.id ?? null) : null }
}

/** Cancels a job of this key and returns it. */
export async function cancelBacktest(sql: Sql, keyId: number, jobId: string): Promise<Job> {
  // Also rejects jobs of other kinds.
  await readJob(sql, keyId, jobId)
  await cancelJob(sql, jobId, keyId)
  return readJob(sql, keyId, jobId)
}
