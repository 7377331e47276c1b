import { findRound, readShares } from '../../store/jobs/advance.ts'
import { endJob } from '../../store/jobs/endJob.ts'
import { finishSweep } from '../backtests/finishSweep.ts'
import type { OpenJob } from './OpenJobs.ts'
import { preparedSweep } from './preparedSweep.ts'
import type { RoundTask } from './taskNames.ts'
import { whenThereIsRoom } from './whenThereIsRoom.ts'
import type { JobWork } from './work.ts'

/** The last task of a sweep: gathers what its shares yielded, wherever they ran. */
export async function finishJob(work: JobWork, open: OpenJob, { jobId, round }: RoundTask): Promise<void> {
  const { sql, backtests } = work
  const job = await findRound(sql, jobId, round)
  if (job === null) return
  const plan = await preparedSweep(work, open, job)
  if (plan === null) return
  const shares = await readShares(sql, jobId, round)
  const slices = shares.map(share => share.configs)
  const series = shares.map(share => share.series)
  const { signal } = open
  const result = await whenThereIsRoom(signal, () =>
    finishSweep(backtests.pool, { ...plan, slices }, series, 'json', { signal }),
  )
  await endJob(sql, jobId, {
    state: 'succeeded',
    result: result.bytes,
    dataVersion: job.dataVersion,
  })
}
