import type { JobNews } from '../features/backtests/jobs/events.ts'
import { tendJobs } from '../features/backtests/jobs/maintain.ts'
import { type JobWork, OpenJobs } from '../features/backtests/jobs/plan.ts'
import { watchJobs } from '../features/backtests/jobs/progressQueries.ts'
import { migrateQueue, openQueue } from '../features/backtests/jobs/queue.ts'
import { taskKinds } from '../features/backtests/jobs/taskNames.ts'
import { performTask } from '../features/backtests/jobs/tasks.ts'

export interface JobSettings {
  readonly url: string
  /** Tasks that this process runs at a time; 0: it leaves them to others. */
  readonly concurrency: number
  /** How long closing waits for the tasks under way before it hands them to others. */
  readonly patienceMs: number
}

export type JobParts = Omit<JobWork, 'open'> & { readonly news: JobNews }

/** Makes this process one of those that run jobs. Returns what ends that, in order: a task under way is finished, or
 * after `patienceMs` handed back. */
export async function startJobs(
  { url, concurrency, patienceMs }: JobSettings,
  { news, ...parts }: JobParts,
): Promise<() => Promise<void>> {
  const work: JobWork = { ...parts, open: new OpenJobs() }
  const { sql, open, report } = work
  await migrateQueue(url)
  const locks: string[] = []
  const tending = tendJobs(work, locks, () => performance.now())
  const heard = (jobId: string, state: string) => {
    if (state !== 'queued' && state !== 'running') open.end(jobId)
    news.tell(jobId)
  }
  const unwatch = await watchJobs(sql, heard, () => news.tellAll())
  const onLock = (name: string) => {
    // A queue that broke and was opened anew holds nothing under its old name.
    locks.splice(0, locks.length, name)
    tending.beat().catch(() => {})
  }
  const perform = performTask.bind(null, work)
  const queue =
    concurrency === 0
      ? null
      : await openQueue({
          url,
          concurrency,
          kinds: taskKinds,
          perform,
          onLock,
          report: line => report(line, null),
        })
  return async () => {
    const late = setTimeout(() => open.interrupt(), patienceMs)
    await Promise.race([queue?.close(), Bun.sleep(patienceMs + 2_000)])
    clearTimeout(late)
    await unwatch().catch(() => {})
    await tending.close()
  }
}
