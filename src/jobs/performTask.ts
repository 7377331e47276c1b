import { type ErrorCode, Failure } from '../errors.ts'
import { asFailure } from '../http/errors.ts'
import { isDiskFull } from '../postgres/errors.ts'
import type { JobDeps } from './deps.ts'
import { endJob } from './endJobQueries.ts'
import { inTraceOfJob } from './jobTrace.ts'
import type { QueueTask } from './queue.ts'

/** Failures of the machine rather than the request: another attempt, perhaps in another process, may
 * succeed. */
const transientCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'compute_failed',
  'compute_lost',
  'compute_busy',
  'database_unavailable',
  'statement_timeout',
  'shutting_down',
  'internal',
])

/** Performs a task from the queue. If a task throws, the queue retries it. A failure that would repeat, or
 * one on the last attempt, ends the job instead. */
export async function performTask(deps: JobDeps, queued: QueueTask): Promise<void> {
  const task = deps.tasks.find(({ kind }) => kind === queued.kind)?.read(queued.payload) ?? null
  if (task === null)
    throw new Error(`The queue contains a ${queued.kind} task, which this version does not know.`)
  const { jobId } = task
  const job = deps.openJobs.enter(jobId)
  try {
    await inTraceOfJob(deps, job, queued, () => task.perform(job))
  } catch (error) {
    if (job.signal.aborted && !(job.signal.reason instanceof Failure)) return
    const { failure } = asFailure(deps.explain, error)
    if (isDiskFull(failure)) {
      deps.report(`${queued.kind} waits: the disk of the database is full.`, error)
      // Without this, all attempts would be used up within a minute, and a full disk would end the job.
      await deps.storage.untilRoom(job.signal)
    }
    if (transientCodes.has(failure.code)) {
      deps.report(`Attempt ${queued.attempt} of ${queued.maxAttempts} at ${queued.kind} failed.`, error)
      if (queued.attempt < queued.maxAttempts || failure.code === 'shutting_down') throw failure
    }
    const { code, message, details } = failure
    await endJob(deps.sql, jobId, { state: 'failed', error: { code, message, param: details.param ?? null } })
  } finally {
    deps.openJobs.leave(jobId)
  }
}
