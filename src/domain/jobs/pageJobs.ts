import type { BacktestJobsQuery, Job } from '../../model/job.ts'
import type { Sql } from '../../store/database.ts'
import { listJobs } from '../../store/jobs/jobRow.ts'

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
