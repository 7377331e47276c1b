import type { SweepPlan } from '../../compute/sweepPlan.ts'
import { findRound, keepShare } from '../../store/jobs/advance.ts'
import { runSlice } from '../backtests/runSlice.ts'
import type { OpenJob } from './OpenJobs.ts'
import { preparedSweep } from './preparedSweep.ts'
import { finishTask, type ShareTask } from './taskNames.ts'
import { whenThereIsRoom } from './whenThereIsRoom.ts'
import type { JobWork } from './work.ts'

/** Runs a share of a sweep, slice by slice, each a turn of its own: a request that comes waits for one slice. */
export async function runShare(work: JobWork, open: OpenJob, share: ShareTask): Promise<void> {
  const { jobId, round, place, slices } = share
  const job = await findRound(work.sql, jobId, round)
  if (job === null) return
  const plan = await preparedSweep(work, open, job)
  if (plan === null) return
  const series = await runSlices(work, open.signal, { ...plan, slices })
  const { sql, processId } = work
  await keepShare(
    sql,
    jobId,
    round,
    { place, configs: slices.flat(), series, processId },
    finishTask(jobId, round),
  )
}

/** The bytes of all slices, one after the other. */
async function runSlices(work: JobWork, signal: AbortSignal, plan: SweepPlan): Promise<Uint8Array> {
  const { pool } = work.backtests
  // A new share is no newcomer: one whose client waits goes before it.
  const visit = await whenThereIsRoom(signal, () => pool.enter(false))
  try {
    const pieces: Uint8Array[] = []
    for (let slice = 0; slice < plan.slices.length; slice++) {
      const { buffer, byteOffset, byteLength } = await runSlice(pool, plan, slice, { signal, visit })
      pieces.push(new Uint8Array(buffer, byteOffset, byteLength))
    }
    return Buffer.concat(pieces)
  } finally {
    pool.leave(visit)
  }
}
