import { parseTraceparent, runInTrace, TraceScope } from '../trace.ts'
import type { JobDeps, TaskLine } from './deps.ts'
import { type JobOrigin, readOrigin } from './jobQueries.ts'
import type { OpenJob } from './openJobs.ts'
import type { QueueTask } from './queue.ts'

/** Runs a task in the trace of the request that submitted its job: its statements name the trace if that is followed, and the log has its
 * ids, in whatever process it runs. */
export async function inTraceOfJob(
  deps: JobDeps,
  job: OpenJob,
  { kind, attempt }: QueueTask,
  work: () => Promise<void>,
): Promise<void> {
  const origin = await originOf(deps, job)
  const trace = origin?.trace ? parseTraceparent(origin.trace) : null
  if (origin === null || trace === null) return work()
  const scope = new TraceScope(trace)
  // Only a trusted proxy's trace is stored as sampled.
  scope.isFollowed = trace.isSampled
  const startedMs = performance.now()
  let outcome: TaskLine['outcome'] = 'failed'
  try {
    await runInTrace(scope, work)
    outcome = 'done'
  } finally {
    scope.isOpen = false
    const ms = Math.round((performance.now() - startedMs) * 100) / 100
    const { requestId } = origin
    const { traceId, parentId } = trace
    deps.logTask?.({ jobId: job.id, requestId, traceId, parentId, task: kind, attempt, outcome, ms })
  }
}

/** Read once for all tasks of the job that run here. */
async function originOf({ sql }: JobDeps, job: OpenJob): Promise<JobOrigin | null> {
  job.origin ??= readOrigin(sql, job.id)
  try {
    return await job.origin
  } catch (error) {
    job.origin = null
    throw error
  }
}
