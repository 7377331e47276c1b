import { beginRound, planRound } from '../../store/jobs/advance.ts'
import { endJob } from '../../store/jobs/endJob.ts'
import { cutShares } from './cutShares.ts'
import { fingerprint } from './fingerprint.ts'
import type { OpenJob } from './OpenJobs.ts'
import { prepareJob } from './prepareJob.ts'
import { type RoundTask, shareTask } from './taskNames.ts'
import type { JobWork } from './work.ts'

/** The first task of a job: runs one configuration to the end; of a sweep, makes the tasks that run it. */
export async function startJob(work: JobWork, open: OpenJob, { jobId, round }: RoundTask): Promise<void> {
  const { sql } = work
  const job = await beginRound(sql, jobId, round)
  if (job === null) return
  const prepared = await prepareJob(work, open, job)
  if (prepared.kind === 'result') {
    const { bytes: result, dataVersion } = prepared.result
    await endJob(sql, jobId, { state: 'succeeded', result, dataVersion })
    return
  }
  const { plan } = prepared
  await planRound(sql, jobId, round, {
    trials: plan.configs.length,
    dataVersion: plan.dataVersion,
    fingerprint: await fingerprint(plan.data),
    shares: cutShares(plan.slices).map((slices, place) =>
      shareTask({ jobId, round, place, slices: slices.map(slice => [...slice]) }),
    ),
  })
}
