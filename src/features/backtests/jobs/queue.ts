import { EventEmitter } from 'node:events'
import { Logger, type Runner, run, runMigrations, type WorkerEvents } from 'graphile-worker'
import type { Sql, Statements } from '../../../postgres/client.ts'

export interface QueueOptions {
  readonly url: string
  /** Tasks that run at a time. */
  readonly concurrency: number
  readonly kinds: readonly string[]
  readonly perform: (task: QueueTask) => Promise<void>
  /** Told the name under which this process locks its tasks from now on, before it locks any. */
  readonly onLock: (name: string) => void
  readonly report: (line: string) => void
}

/** Not the package's usual one: the database may be somebody's who uses it too. */
const schema = 'asfiled_queue'
/** The package answers for a task (done, failed) in batches or without waiting for the database. Only batches are waited
 * for at the end, and only their failure ends the queue, where it would else end the process. */
const answers = { completeJobBatchDelay: 0, failJobBatchDelay: 0 }
/** A task under way needs no connection of the queue's; taking it and answering for it do, for a moment. */
const mostTaking = 6
const pollMs = 1_000
/** Between the end of a queue that broke and the next try. */
const restartMs = 1_000

/** Brings the queue's own schema up to date. */
export async function migrateQueue(url: string): Promise<void> {
  await runMigrations({ connectionString: queueUrl(url), schema, logger: reporter(() => {}) })
}

export interface OpenQueue {
  /** Takes no more tasks, and resolves when those under way are done. */
  close(): Promise<void>
}

/** Takes tasks from the queue until it is closed; a task that throws is tried again later. */
export async function openQueue(options: QueueOptions): Promise<OpenQueue> {
  let closed = false
  let runner: Runner | null = await startRunner(options)
  const supervised = (async () => {
    while (!closed) {
      await runner?.promise.catch(() => {})
      if (closed) return
      await Bun.sleep(restartMs)
      runner = await startRunner(options).catch(() => null)
    }
  })()
  return {
    close: async () => {
      closed = true
      await runner?.stop().catch(() => {})
      await supervised
    },
  }
}

function startRunner({ url, concurrency, kinds, perform, onLock, report }: QueueOptions): Promise<Runner> {
  const events: WorkerEvents = new EventEmitter()
  events.on('pool:create', ({ workerPool }) => onLock(workerPool.id))
  const taskList = Object.fromEntries(
    kinds.map(kind => [
      kind,
      (payload: unknown, { job }: { job: { attempts: number; max_attempts: number } }) =>
        perform({ kind, payload, attempt: job.attempts, mostAttempts: job.max_attempts }),
    ]),
  )
  return run({
    connectionString: queueUrl(url),
    schema,
    maxPoolSize: Math.min(concurrency, mostTaking) + 2,
    concurrency,
    taskList,
    parsedCronItems: [],
    noHandleSignals: true,
    pollInterval: pollMs,
    preset: { worker: answers },
    logger: reporter(report),
    events,
  })
}

/** `sslmode=require` means to the queue's driver what it means to psql, and to our own driver: no more than encrypted. */
function queueUrl(url: string): string {
  if (!/[?&]sslmode=/.test(url) || url.includes('uselibpqcompat')) return url
  return `${url}&uselibpqcompat=true`
}

/** The queue tells of every task; only what went wrong is passed on. */
function reporter(report: (line: string) => void): Logger {
  return new Logger(() => (level, message) => {
    const known = message.includes('maxPoolSize')
    if (level === 'error' || (level === 'warning' && !known)) report(message)
  })
}

export interface NewTask {
  readonly kind: string
  readonly payload: object
  /** Names the task among those of its job. */
  readonly name: string
  /** The least is run first. */
  readonly priority: number
}

/** A task that the queue hands out. */
export interface QueueTask {
  readonly kind: string
  readonly payload: unknown
  /** Times it has been begun, this one included. */
  readonly attempt: number
  readonly mostAttempts: number
}

/** Begun more often than this, a task is given up: it may be what kills the processes that run it. */
const mostAttempts = 4

/** Puts tasks of a job into the queue, in the transaction of what makes them needed. */
export async function addTasks(
  statements: Statements,
  jobId: string,
  tasks: readonly NewTask[],
): Promise<void> {
  await statements`
    select asfiled_queue.add_job(
      t.kind, t.payload::json, job_key := ${jobId} || '/' || t.name, max_attempts := ${mostAttempts}, priority := t.priority)
    from unnest(
      ${tasks.map(task => task.kind)}::text[], ${tasks.map(task => JSON.stringify(task.payload))}::text[],
      ${tasks.map(task => task.name)}::text[], ${tasks.map(task => task.priority)}::int[]
    ) t (kind, payload, name, priority)`
}

/** Takes a job's tasks out of the queue, but for those under way. */
export async function dropTasks(statements: Statements, jobId: string): Promise<void> {
  await statements`
    select asfiled_queue.complete_jobs(array(
      select id from asfiled_queue.jobs where starts_with(key, ${`${jobId}/`}) and locked_at is null))`
}

/** Jobs that nobody will ever go on with: a task of theirs was begun too often, or they have none. */
export async function findAbandonedJobs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ jobId: string }[]>`
    select j.job_id as "jobId" from backtest_job j
    where j.finished_at is null and (
      not exists (select from asfiled_queue.jobs q where starts_with(q.key, j.job_id || '/'))
      or exists (
        select from asfiled_queue.jobs q
        where starts_with(q.key, j.job_id || '/') and q.locked_at is null and q.attempts >= q.max_attempts))`
  return rows.map(row => row.jobId)
}
