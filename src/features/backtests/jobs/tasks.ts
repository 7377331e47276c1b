import { finishSweep, runSlice } from '../../../backtest/pool/sweep.ts'
import type { SweepPlan, SweepSlice } from '../../../backtest/pool/sweepPlan.ts'
import { type ErrorCode, Failure } from '../../../errors.ts'
import {
  fingerprint,
  type JobWork,
  type OpenJob,
  preparedSweep,
  prepareJob,
  whenThereIsRoom,
} from './plan.ts'
import { beginRound, endJob, findRound, keepShare, planRound, readShares } from './progressQueries.ts'
import type { QueueTask } from './queue.ts'
import { finishTask, type JobTask, type RoundTask, readTask, type ShareTask, shareTask } from './taskNames.ts'

/** Of the machine and not of the request: another attempt, perhaps elsewhere, may well succeed. */
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'compute_failed',
  'compute_lost',
  'compute_busy',
  'database_unavailable',
  'statement_timeout',
  'shutting_down',
  'internal',
])

/** Performs a task of the queue. One that throws is tried again by the queue; a failure that would come again, or that
 * came too often, ends the job. */
export async function performTask(work: JobWork, queued: QueueTask): Promise<void> {
  const task = readTask(queued)
  const { jobId } = task.payload
  const open = work.open.enter(jobId)
  try {
    await perform(work, open, task)
  } catch (error) {
    if (open.signal.aborted && !(open.signal.reason instanceof Failure)) return
    const failure = asFailure(work, error)
    if (passing.has(failure.code)) {
      work.report(`Attempt ${queued.attempt} of ${queued.mostAttempts} at ${task.kind} failed.`, error)
      if (queued.attempt < queued.mostAttempts || failure.code === 'shutting_down') throw failure
    }
    const { code, message, details } = failure
    await endJob(work.sql, jobId, { state: 'failed', error: { code, message, param: details.param ?? null } })
  } finally {
    work.open.leave(jobId)
  }
}

function perform(work: JobWork, open: OpenJob, task: JobTask): Promise<void> {
  switch (task.kind) {
    case 'backtest_start':
      return startJob(work, open, task.payload)
    case 'backtest_share':
      return runShare(work, open, task.payload)
    case 'backtest_finish':
      return finishJob(work, open, task.payload)
    default:
      return task satisfies never
  }
}

function asFailure({ explain }: JobWork, error: unknown): Failure {
  if (error instanceof Failure) return error
  const message = 'Something went wrong on our side. The request id finds it in the log.'
  return explain(error) ?? new Failure('internal', message, { cause: error })
}

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

/** A share costs a few statements: enough of them that workers end together and progress is seen, no more. */
const mostShares = 64

/** Consecutive slices together, as what one task of the queue takes. */
export function cutShares(slices: readonly SweepSlice[]): SweepSlice[][] {
  const each = Math.ceil(slices.length / mostShares)
  const shares: SweepSlice[][] = []
  for (let at = 0; at < slices.length; at += each) shares.push(slices.slice(at, at + each))
  return shares
}

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
