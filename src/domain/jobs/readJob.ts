import { Failure } from '../../errors.ts'
import type { Job } from '../../model/job.ts'
import type { Sql } from '../../store/database.ts'
import { findJob } from '../../store/jobs/jobRow.ts'

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
