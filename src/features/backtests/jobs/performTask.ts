import { type ErrorCode, Failure } from '../../../errors.ts'
import { asFailure } from '../../../http/errors.ts'
import { isDiskFull } from '../../../postgres/errors.ts'
import { endJob, startRound } from './jobQueries.ts'
import { inTraceOfJob } from './jobTrace.ts'
import type { JobDeps, OpenJob } from './openJobs.ts'
import { prepareJob } from './prepare.ts'
import type { QueueTask } from './queue.ts'
import { finishSweepJob, planShards, runShard } from './shards.ts'
import { type JobTask, type RoundTask, readTask } from './taskKinds.ts'

/** Failures of the machine, not of the request: another attempt, perhaps in another process, may succeed. */
const transientCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'compute_failed',
  'compute_lost',
  'compute_busy',
  'database_unavailable',
  'statement_timeout',
  'shutting_down',
  'internal',
])

/** Performs a task of the queue. The queue tries a task again that throws. A failure that would repeat, or that the last
 * attempt meets, ends the job instead. */
export async function performTask(deps: JobDeps, queued: QueueTask): Promise<void> {
  const task = readTask(queued)
  const { jobId } = task.payload
  const job = deps.openJobs.enter(jobId)
  try {
    await inTraceOfJob(deps, job, queued, () => perform(deps, job, task))
  } catch (error) {
    if (job.signal.aborted && !(job.signal.reason instanceof Failure)) return
    const { failure } = asFailure(deps.explain, error)
    if (isDiskFull(failure)) {
      deps.report(`${task.kind} waits: the disk of the database is full.`, error)
      // Without this the attempts would be used up within a minute, and a full disk would end the job.
      await deps.storage.untilRoom(job.signal)
    }
    if (transientCodes.has(failure.code)) {
      deps.report(`Attempt ${queued.attempt} of ${queued.maxAttempts} at ${task.kind} failed.`, error)
      if (queued.attempt < queued.maxAttempts || failure.code === 'shutting_down') throw failure
    }
    const { code, message, details } = failure
    await endJob(deps.sql, jobId, { state: 'failed', error: { code, message, param: details.param ?? null } })
  } finally {
    deps.openJobs.leave(jobId)
  }
}

function perform(deps: JobDeps, job: OpenJob, task: JobTask): Promise<void> {
  switch (task.kind) {
    case 'backtest_start':
      return startJob(deps, job, task.payload)
    case 'backtest_share':
      return runShard(deps, job, task.payload)
    case 'backtest_finish':
      return finishSweepJob(deps, job, task.payload)
    case 'as_of_run':
      return startJoin(deps, job, task.payload)
    default:
      return task satisfies never
  }
}

/** The first task of a job: runs a single configuration to its result, or plans the shards of a sweep. */
async function startJob(deps: JobDeps, openJob: OpenJob, { jobId, round }: RoundTask): Promise<void> {
  const { sql } = deps
  const job = await startRound(sql, jobId, round)
  if (job === null) return
  const prepared = await prepareJob(deps, openJob, job)
  if (prepared.kind === 'sweep') return planShards(sql, jobId, round, prepared.plan)
  const { bytes: result, dataVersion } = prepared.result
  await endJob(sql, jobId, { state: 'succeeded', result, dataVersion })
}

/** The only task of a join. */
async function startJoin(
  { sql, runJoin }: JobDeps,
  openJob: OpenJob,
  { jobId, round }: RoundTask,
): Promise<void> {
  if (runJoin === undefined) throw new Failure('internal', 'This process runs no as-of joins.')
  const job = await startRound(sql, jobId, round)
  if (job !== null) await runJoin(job, openJob)
}
