import { hostname } from 'node:os'
import type { JobDeps } from '../jobs/deps.ts'
import type { JobNotifier } from '../jobs/events.ts'
import { watchJobs } from '../jobs/jobQueries.ts'
import { maintainJobs } from '../jobs/maintain.ts'
import type { ProcessIdentity } from '../jobs/maintainQueries.ts'
import { OpenJobs } from '../jobs/openJobs.ts'
import { performTask } from '../jobs/performTask.ts'
import { migrateQueue, openQueue, type QueueTask, type TimedTask } from '../jobs/queue.ts'
import { version } from '../postgres/history.ts'

export interface JobSettings {
  readonly url: string
  /** What `asfiled status` calls this process. */
  readonly role?: ProcessIdentity['role']
  /** Tasks that this process runs at a time; 0: it leaves them to other processes. */
  readonly concurrency: number
  /** How long closing waits for the tasks in progress before it hands them to other processes. */
  readonly drainTimeoutMs: number
}

/** What is done at the times of a schedule. It must not take long: it holds a place of the queue. */
export type ScheduledTask = TimedTask & { readonly perform: (task: QueueTask) => Promise<void> }

export type JobParts = Omit<JobDeps, 'openJobs'> & { readonly notifier: JobNotifier }

/** Makes this process one of those that run submitted jobs. Returns the function that ends it: a task in progress is
 * finished or, after `drainTimeoutMs`, handed back. */
export async function startJobs(
  { url, role, concurrency, drainTimeoutMs }: JobSettings,
  parts: JobParts,
  scheduled: readonly ScheduledTask[] = [],
): Promise<() => Promise<void>> {
  const { sql, tasks, processId, explain, storage, report, logTask, notifier } = parts
  const openJobs = new OpenJobs()
  const deps: JobDeps = {
    ...{ sql, tasks, processId, explain, storage, report, openJobs },
    identity: role === undefined ? null : { role, version, host: hostname(), pid: process.pid },
    ...(logTask === undefined ? {} : { logTask }),
  }
  await migrateQueue(url)
  const locks: string[] = []
  const maintenance = maintainJobs(deps, locks, () => performance.now())
  const onState = (jobId: string, state: string) => {
    if (state !== 'queued' && state !== 'running') openJobs.end(jobId)
    notifier.notify(jobId)
  }
  const unwatch = await watchJobs(sql, onState, () => notifier.notifyAll())
  const onLock = (name: string) => {
    // A queue that reconnects locks under a new name and holds nothing under the old one.
    locks.splice(0, locks.length, name)
    maintenance.heartbeat().catch(() => {})
  }
  const perform = async (task: QueueTask) => {
    const timed = scheduled.find(({ kind }) => kind === task.kind)
    await (timed === undefined ? performTask(deps, task) : timed.perform(task))
  }
  const kinds = [
    ...(concurrency === 0 ? [] : tasks.map(({ kind }) => kind)),
    ...new Set(scheduled.map(({ kind }) => kind)),
  ]
  const queue =
    kinds.length === 0
      ? null
      : await openQueue({
          ...{ url, perform, onLock, kinds, timed: scheduled },
          concurrency: Math.max(1, concurrency),
          report: line => report(line, null),
        })
  return async () => {
    const late = setTimeout(() => openJobs.interrupt(), drainTimeoutMs)
    await Promise.race([queue?.close(), Bun.sleep(drainTimeoutMs + 2_000)])
    clearTimeout(late)
    await unwatch().catch(() => {})
    await maintenance.close()
  }
}
