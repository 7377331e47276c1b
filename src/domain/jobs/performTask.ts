import { type ErrorCode, Failure } from '../../errors.ts'
import { endJob } from '../../store/jobs/endJob.ts'
import type { QueueTask } from '../../store/jobs/tasks.ts'
import { finishJob } from './finishJob.ts'
import type { OpenJob } from './OpenJobs.ts'
import { runShare } from './runShare.ts'
import { startJob } from './startJob.ts'
import { type JobTask, readTask } from './taskNames.ts'
import type { JobWork } from './work.ts'

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
