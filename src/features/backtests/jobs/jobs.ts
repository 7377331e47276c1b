import { Failure } from '../../../errors.ts'
import type { Sql } from '../../../postgres/client.ts'
import { endJob } from './progressQueries.ts'
import { findJob, listJobs } from './rowQueries.ts'
import type { BacktestJobsQuery, Job } from './schema.ts'

/** A job of this key. Another key's might as well never have been. */
export async function readJob(sql: Sql, keyId: number, jobId: string): Promise<Job> {
  const job = await findJob(sql, jobId)
  if (job?.keyId === keyId) return job
  throw new Failure(
    'entity_unknown',
    `This key has no backtest ${jobId}. GET /api/v1/backtests lists those it has; they are kept for 7 days.`,
    { param: 'id' },
  )
}

const usualLimit = 20

export interface JobPage {
  readonly jobs: readonly Job[]
  /** Where the next page begins; null at the end. */
  readonly next: string | null
}

/** A key's jobs, the newest first. */
export async function pageJobs(sql: Sql, keyId: number, query: BacktestJobsQuery): Promise<JobPage> {
  const { limit = usualLimit, cursor = null } = query
  const found = await listJobs(sql, keyId, limit + 1, cursor)
  const jobs = found.slice(0, limit)
  return { jobs, next: found.length > limit ? (jobs.at(-1)?.id ?? null) : null }
}

/** Cancels a job of this key, also one that runs; every process that works at it hears of it. One that has ended stays
 * as it is. */
export async function cancelJob(sql: Sql, keyId: number, jobId: string): Promise<Job> {
  await endJob(sql, jobId, { state: 'cancelled' }, keyId)
  return readJob(sql, keyId, jobId)
}
