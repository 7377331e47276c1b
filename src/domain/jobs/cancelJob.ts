import type { Job } from '../../model/job.ts'
import type { Sql } from '../../store/database.ts'
import { endJob } from '../../store/jobs/endJob.ts'
import { readJob } from './readJob.ts'

/** Cancels a job of this key, also one that runs; every process that works at it hears of it. One that has ended stays
 * as it is. */
export async function cancelJob(sql: Sql, keyId: number, jobId: string): Promise<Job> {
  await endJob(sql, jobId, { state: 'cancelled' }, keyId)
  return readJob(sql, keyId, jobId)
}
