import { EventEmitter } from 'node:events'
import {
  type CronMatcher,
  Logger,
  parseCronItem,
  type RunnerOptions,
  run,
  runMigrations,
  type WorkerEvents,
} from 'graphile-worker'
import { Pool } from 'pg'
import { Failure } from '../errors.ts'

interface QueueOptions {
  readonly url: string
  /** The maximum number of tasks that run at the same time. */
  readonly concurrency: number
  readonly kinds: readonly string[]
  readonly perform: (task: QueueTask) => Promise<void>
  /** Called with the name under which this process will lock tasks, before it locks any. */
  readonly onLock: (name: string) => void
  readonly report: (line: string) => void
  /** Scheduled tasks, which the queue adds itself: once per scheduled time, however many processes declare
   * them. */
  readonly timed?: readonly TimedTask[]
}

/** A task that is added on a schedule. */
export interface TimedTask {
  readonly kind: string
  /** Identifies the schedule within the database. */
  readonly name: string
  readonly payload: Record<string, unknown>
  readonly isTime: CronMatcher
}

/** A scheduled time that passed while no process ran is made up for if it is less than a day ago. */
const missedMs = 24 * 3_600_000

/** Not the package's default, which another application in the same database may use. */
const schema = 'asfiled_queue'
/** Makes the package record finished and failed tasks in batches. With batches, stopping waits for them, and
 * a batch that fails ends only the queue. Without batches, stopping does not wait, and a failure ends the
 * whole process. */
const batching = { completeJobBatchDelay: 0, failJobBatchDelay: 0 }
/** The queue needs a connection only briefly, to claim a task and to record its end, so there can be fewer
 * connections than tasks. */
const maxConnections = 6
const pollMs = 1_000
/** The pause between the end of a broken queue and the next attempt to open it. */
const restartMs = 1_000
/** How long to wait for connections to close: a database that hangs never confirms it. */
const endMs = 2_000

/** Migrates the queue's own schema. */
export async function migrateQueue(url: string): Promise<void> {
  const pool = openPool(url, 1)
  try {
    await runMigrations({ pgPool: pool, schema, logger: reporter(() => {}) })
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.includes('schema revision')) throw cause
    throw new Failure(
      'conflict',
      'The queue of this database comes from a newer asfiled. Start that version or a newer one, or restore a backup from before the upgrade.',
      { cause },
    )
  } finally {
    await endPool(pool)
  }
}

/** Creates the pool here: the pool that the package would create removes its error handlers before its
 * connections are closed, so a connection that the server cuts in between would end the process. */
function openPool(url: string, max: number): Pool {
  const pool = new Pool({ connectionString: queueUrl(url), max })
  // A statement on a cut connection fails by itself, and the pool drops the connection.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  return pool
}

/** Ends a pool and waits until its connections are closed, which its own end() does not do. */
async function endPool(pool: Pool): Promise<void> {
  let open = pool.totalCount
  const closed = new Promise<void>(resolve => {
    if (open === 0) resolve()
    pool.on('remove', () => {
      open -= 1
      if (open === 0) resolve()
    })
  })
  await pool.end()
  // A sleep that nobody waits for would keep a command alive for its two seconds.
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, endMs)
  await Promise.race([closed, late.promise]).finally(() => clearTimeout(timer))
}

interface QueueRun {
  /** Resolves when the queue has stopped or broken and its connections are closed. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

interface OpenQueue {
  /** Stops claiming tasks, and resolves when those in progress are done. */
  close(): Promise<void>
}

/** Claims and performs tasks until it is closed. A task that throws is retried later. */
export async function openQueue(options: QueueOptions): Promise<OpenQueue> {
  let closed = false
  let current: QueueRun | null = await startQueue(options)
  const supervised = (async () => {
    while (!closed) {
      await current?.ended
      if (closed) return
      await Bun.sleep(restartMs)
      current = await startQueue(options).catch(() => null)
    }
  })()
  return {
    close: async () => {
      closed = true
      await current?.stop()
      await supervised
    },
  }
}

async function startQueue(options: QueueOptions): Promise<QueueRun> {
  const pool = openPool(options.url, Math.min(options.concurrency, maxConnections) + 2)
  try {
    const runner = await run(runnerOptions(options, pool))
    const ended = runner.promise.catch(() => {}).then(() => endPool(pool))
    return { ended, stop: () => runner.stop().catch(() => {}) }
  } catch (error) {
    await endPool(pool)
    throw error
  }
}

function runnerOptions(
  { concurrency, kinds, perform, onLock, report, timed = [] }: QueueOptions,
  pgPool: Pool,
): RunnerOptions {
  const events: WorkerEvents = new EventEmitter()
  events.on('pool:create', ({ workerPool }) => onLock(workerPool.id))
  const taskList = Object.fromEntries(
    kinds.map(kind => [
      kind,
      (payload: unknown, { job }: { job: { attempts: number; max_attempts: number } }) =>
        perform({ kind, payload, attempt: job.attempts, maxAttempts: job.max_attempts }),
    ]),
  )
  return {
    pgPool,
    schema,
    concurrency,
    taskList,
    parsedCronItems: timed.map(({ kind, name, payload, isTime }) =>
      parseCronItem({
        task: kind,
        identifier: name,
        match: isTime,
        payload,
        // With its name as the job key, a new entry replaces one that is still waiting.
        options: { backfillPeriod: missedMs, jobKey: name, maxAttempts, priority: -1 },
      }),
    ),
    noHandleSignals: true,
    pollInterval: pollMs,
    preset: { worker: batching },
    logger: reporter(report),
    events,
  }
}

/** Makes `sslmode=require` mean the same to the queue's driver as to psql and our own driver: encrypted, and
 * nothing more. */
function queueUrl(url: string): string {
  if (!/[?&]sslmode=/.test(url) || url.includes('uselibpqcompat')) return url
  return `${url}&uselibpqcompat=true`
}

/** The package logs every task; only errors and warnings are passed on. */
function reporter(report: (line: string) => void): Logger {
  return new Logger(() => (level, message) => {
    // The pool is smaller than the concurrency on purpose.
    const isExpected = message.includes('maxPoolSize')
    if (level === 'error' || (level === 'warning' && !isExpected)) report(message)
  })
}

/** A task that this process has claimed. */
export interface QueueTask {
  readonly kind: string
  readonly payload: unknown
  /** Counted from 1. */
  readonly attempt: number
  readonly maxAttempts: number
}

/** Bounded, because the task itself may be what kills the processes that run it. */
export const maxAttempts = 4
