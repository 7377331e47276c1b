import { Failure } from '../errors.ts'
import type { JobDeps } from './deps.ts'
import { cancelJob, endJob } from './endJobQueries.ts'
import { claimHours } from './idempotency.ts'
import { jobRetentionDays } from './job.ts'
import { findUnfinished } from './jobQueries.ts'
import {
  deleteExpired,
  findAbandonedJobs,
  findRevokedJobs,
  recordHeartbeat,
  releaseDeadProcesses,
  removeProcess,
} from './maintainQueries.ts'

const heartbeatMs = 1_000
/** A process without a heartbeat for longer than this counts as dead, and other processes may take its
 * tasks. */
const silentMs = 5_000
const heartbeatsPerSearch = 10
const heartbeatsPerCleanup = 60
/** Finished jobs kept per key; the oldest are deleted first. */
const maxFinishedJobs = 500

interface JobMaintenance {
  /** Records a heartbeat immediately. Must be called before this process locks tasks under a new name. */
  heartbeat(): Promise<void>
  close(): Promise<void>
}

/** Maintains the jobs for as long as the process runs. Records heartbeats, releases the tasks of dead
 * processes, and stops local tasks of jobs that ended in another process. Ends jobs that were abandoned or
 * whose key was revoked, and deletes expired ones.
 *
 * @param locks the names under which this process locks tasks; their owner may change them */
export function maintainJobs(
  deps: JobDeps,
  locks: readonly string[],
  elapsedMs: () => number,
): JobMaintenance {
  const { sql, processId, identity = null, report } = deps
  let heartbeats = 0
  let lastHeartbeatMs = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null

  const maintain = async () => {
    // If this process missed its own heartbeats (its database was unreachable), it cannot tell whether others
    // are dead.
    const wasSilent = elapsedMs() - lastHeartbeatMs >= silentMs / 2
    await recordHeartbeat(sql, processId, locks, identity)
    lastHeartbeatMs = elapsedMs()
    if (!wasSilent) {
      for (const dead of await releaseDeadProcesses(sql, silentMs))
        report(`Process ${dead} is dead; its tasks are released.`, null)
    }
    await stopEndedJobs(deps)
    if (heartbeats % heartbeatsPerSearch === 1 && !wasSilent) {
      await failAbandoned(deps)
      await cancelRevoked(deps)
    }
    if (heartbeats % heartbeatsPerCleanup === 0) {
      await deleteExpired(sql, { jobDays: jobRetentionDays, jobsPerKey: maxFinishedJobs, claimHours })
    }
    heartbeats++
  }
  const tick = () => {
    running ??= maintain()
      .catch(error => {
        if (deps.explain(error) === null) report('The job maintenance failed.', error)
      })
      .finally(() => {
        running = null
      })
  }
  tick()
  const timer = setInterval(tick, heartbeatMs)
  return {
    heartbeat: () => recordHeartbeat(sql, processId, locks, identity),
    close: async () => {
      clearInterval(timer)
      await running
      await removeProcess(sql, processId).catch(() => {})
    },
  }
}

/** Covers lost notifications: without this, tasks of an ended job would run on. */
async function stopEndedJobs({ sql, openJobs }: JobDeps): Promise<void> {
  const ids = openJobs.ids()
  if (ids.length === 0) return
  const unfinished = await findUnfinished(sql, ids)
  for (const id of ids) if (!unfinished.has(id)) openJobs.end(id)
}

/** A revoked key may have been stolen, so its jobs must not keep using the machine. Clients that watch them
 * see them end. */
async function cancelRevoked({ sql }: JobDeps): Promise<void> {
  for (const jobId of await findRevokedJobs(sql)) await cancelJob(sql, jobId)
}

/** A task that kills its process at every attempt cannot report its own failure. */
async function failAbandoned({ sql, report }: JobDeps): Promise<void> {
  for (const jobId of await findAbandonedJobs(sql)) {
    const { code, message } = new Failure(
      'compute_failed',
      'It could not be computed: every process that ran it stopped, possibly out of memory. Send fewer rows.',
    )
    const ended = await endJob(sql, jobId, { state: 'failed', error: { code, message, param: null } })
    if (ended) report(`Job ${jobId} failed: no process could run it.`, null)
  }
}
