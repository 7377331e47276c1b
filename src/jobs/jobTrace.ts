import { parseTraceparent, runInTrace, TraceScope } from '../trace.ts'
import type { JobDeps, TaskLine } from './deps.ts'
import { type JobOrigin, readOrigin } from './jobQueries.ts'
import type { OpenJob } from './openJobs.ts'
import type { QueueTask } from './queue.ts'

/** Runs a task in the trace of the request that submitted its job, whichever process it runs in. Log lines
 * carry the trace ids, and statements name the trace if it is sampled. */
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
  // Only a trace from a trusted proxy is stored as sampled.
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

/** Read once for all tasks of the job in this process. */
async function originOf({ sql }: JobDeps, job: OpenJob): Promise<JobOrigin | null> {
  job.origin ??= readOrigin(sql, job.id)
  try {
    return await job.origin
  } catch (error) {
    job.origin = null
    throw error
  }
}
