import { Failure } from '../../../errors.ts'
import { claimHours } from './idempotency.ts'
import type { JobWork } from './plan.ts'
import { endJob, unfinishedOf } from './progressQueries.ts'
import { findAbandonedJobs } from './queue.ts'
import { jobKeptDays, mostFinishedJobs } from './schema.ts'
import { beat, cleanJobs, findRevokedJobs, leave, releaseDead } from './upkeepQueries.ts'

const beatMs = 1_000
/** Longer silent than this, a process is taken for dead: its tasks are free for others. */
export const silentMs = 5_000
const beatsBetweenSearches = 10
const beatsBetweenCleanings = 60

export interface JobTending {
  /** Says at once that this process lives; to be called when a lock is about to be taken under a new name. */
  beat(): Promise<void>
  close(): Promise<void>
}

/** Looks after the jobs as long as the process lives: says that it does, frees what dead ones held, notices jobs that
 * ended elsewhere or that nobody will go on with, ends those of revoked keys, and forgets what is old.
 *
 * @param locks the names under which this process locks tasks; they may change */
export function tendJobs(work: JobWork, locks: readonly string[], elapsedMs: () => number): JobTending {
  const { sql, processId, report } = work
  let beats = 0
  let lastBeatMs = Number.NEGATIVE_INFINITY
  let busy: Promise<void> | null = null

  const look = async () => {
    // After a silence of its own (a database that was away) this process is no judge of others'.
    const awake = elapsedMs() - lastBeatMs < silentMs / 2
    await beat(sql, processId, locks)
    lastBeatMs = elapsedMs()
    if (awake) {
      for (const dead of await releaseDead(sql, silentMs))
        report(`Process ${dead} is dead; its tasks are free.`, null)
    }
    await endWhatEnded(work)
    if (beats % beatsBetweenSearches === 1 && awake) {
      await failAbandoned(work)
      await cancelRevoked(work)
    }
    if (beats % beatsBetweenCleanings === 0) {
      await cleanJobs(sql, { jobDays: jobKeptDays, jobsPerKey: mostFinishedJobs, claimHours })
    }
    beats++
  }
  const tick = () => {
    busy ??= look()
      .catch(error => {
        if (work.explain(error) === null) report('Looking after the jobs failed.', error)
      })
      .finally(() => {
        busy = null
      })
  }
  tick()
  const timer = setInterval(tick, beatMs)
  return {
    beat: () => beat(sql, processId, locks),
    close: async () => {
      clearInterval(timer)
      await busy
      await leave(sql, processId).catch(() => {})
    },
  }
}

/** News of an end may have been missed. */
async function endWhatEnded({ sql, open }: JobWork): Promise<void> {
  const ids = open.ids()
  if (ids.length === 0) return
  const unfinished = await unfinishedOf(sql, ids)
  for (const id of ids) if (!unfinished.has(id)) open.end(id)
}

/** A key that is revoked, perhaps because somebody else had it, computes nothing more; who follows the job hears its end. */
async function cancelRevoked({ sql }: JobWork): Promise<void> {
  for (const jobId of await findRevokedJobs(sql)) await endJob(sql, jobId, { state: 'cancelled' })
}

/** A task that took its process down with it every time it was begun cannot say so itself. */
async function failAbandoned({ sql, report }: JobWork): Promise<void> {
  for (const jobId of await findAbandonedJobs(sql)) {
    const { code, message } = new Failure(
      'compute_failed',
      'The backtest could not be computed: every process that tried it ended, perhaps for want of memory. Try fewer rows.',
    )
    const ended = await endJob(sql, jobId, { state: 'failed', error: { code, message, param: null } })
    if (ended) report(`Job ${jobId} was given up: nobody could run it.`, null)
  }
}
