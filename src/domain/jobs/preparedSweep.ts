import type { SweepPlan } from '../../compute/sweepPlan.ts'
import { Failure } from '../../errors.ts'
import type { Job } from '../../model/job.ts'
import { nextRound } from '../../store/jobs/advance.ts'
import { fingerprint } from './fingerprint.ts'
import type { OpenJob } from './OpenJobs.ts'
import { prepareJob } from './prepareJob.ts'
import { startTask } from './taskNames.ts'
import type { JobWork } from './work.ts'

const mostRounds = 5
const lagMs = 250
const mostLags = 60

/** The plan of a job's sweep in this process, for the very rows that the job was planned for. null where the archive has
 * others by now: then the sweep has begun anew, for what two states of the archive yielded must not meet in one result. */
export async function preparedSweep(work: JobWork, open: OpenJob, job: Job): Promise<SweepPlan | null> {
  for (let lag = 0; lag < mostLags; lag++) {
    const prepared = await prepareJob(work, open, job)
    if (prepared.kind === 'sweep') {
      const { plan } = prepared
      if ((await fingerprint(plan.data)) === job.fingerprint) return { ...plan, dataVersion: job.dataVersion }
      if ((plan.dataVersion ?? 0) >= (job.dataVersion ?? 0)) break
    }
    // This process has yet to hear of the data version that another one planned for.
    open.prepared = null
    await Bun.sleep(lagMs)
    open.signal.throwIfAborted()
  }
  if (job.round + 1 >= mostRounds) {
    throw new Failure(
      'conflict',
      `The archive changed ${mostRounds} times while the sweep ran on it. Submit it again when the import is over.`,
    )
  }
  await nextRound(work.sql, job.id, job.round, startTask(job.id, job.round + 1))
  return null
}
