import { createKey } from '../../../../src/access/keys.ts'
import { operator } from '../../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../../src/backtest/pool/computePool.ts'
import type { ResultFormat } from '../../../../src/backtest/request.ts'
import { startJobs } from '../../../../src/boot/jobs.ts'
import { ArchiveCache } from '../../../../src/features/backtests/archive.ts'
import { type BacktestDeps, runBacktest } from '../../../../src/features/backtests/run.ts'
import { readJob } from '../../../../src/features/backtests/submitted/keyJobs.ts'
import { submitBacktest } from '../../../../src/features/backtests/submitted/kind.ts'
import { backtestTasks } from '../../../../src/features/backtests/submitted/tasks.ts'
import { PanelCache } from '../../../../src/features/panels/cache.ts'
import type { PanelDeps } from '../../../../src/features/panels/panels.ts'
import { horizons } from '../../../../src/horizons.ts'
import { JobNotifier } from '../../../../src/jobs/events.ts'
import type { Job } from '../../../../src/jobs/job.ts'
import { migrateQueue } from '../../../../src/jobs/queue.ts'
import type { Sql } from '../../../../src/postgres/client.ts'
import { explainDatabaseError } from '../../../../src/postgres/errors.ts'
import { StorageWatch } from '../../../../src/postgres/storage.ts'
import { Semaphore } from '../../../../src/semaphore.ts'
import { type TestDatabase, testDatabase } from '../../../database.ts'
import { packDays, type ResolvedSignal } from '../../signals/signalDays.ts'
import { costs, signals } from '../backtestBench.ts'

type Submission = Parameters<typeof submitBacktest>[1]

/** An archive whose rows and version a test can change. */
export interface FakeArchive {
  rows: ResolvedSignal[]
  version: number
}

type JobDeps = BacktestDeps & { readonly panels: PanelDeps }

export interface JobProcess {
  readonly id: string
  readonly deps: BacktestDeps
  stop(): Promise<void>
}

export interface JobBench {
  readonly db: TestDatabase
  readonly sql: Sql
  readonly keyId: number
  readonly archive: FakeArchive
  /** The errors that processes of this bench reported. */
  readonly reports: string[]
  newKey(): Promise<number>
  /** A process as far as the database can tell: threads, queue, heartbeat. */
  process(concurrency?: number): Promise<JobProcess>
  submit(body: unknown, change?: Partial<Submission>): Promise<Job>
  /** The job once it has ended. */
  ended(jobId: string): Promise<Job>
  /** The synchronous response to the same body. */
  answer(body: unknown, resultFormat?: ResultFormat): Promise<string>
  /** Threads, the archive and stored panels, as a process of its own has them. */
  compute(threads: number): JobDeps
  stopAll(): Promise<void>
  close(): Promise<void>
}

let buyers = 0

export async function jobBench(): Promise<JobBench> {
  const db = await testDatabase()
  const { sql } = db
  await migrateQueue(db.url)
  const archive: FakeArchive = { rows: signals(80), version: 7 }
  const running = new Set<JobProcess>()
  const reports: string[] = []

  async function newKey(): Promise<number> {
    const email = `jobs${++buyers}@fund.example`
    const order = { email, licence: 'personal', quant: true, environment: 'test' } as const
    const { prefix } = await createKey({ sql, today: () => '2026-01-01' }, order)
    const [row] = await sql<{ key_id: number }[]>`select key_id from api_key where prefix = ${prefix}`
    return row.key_id
  }

  const pools: ComputePool[] = []

  function compute(threads: number): JobDeps {
    const pool = new ComputePool({ threads, queue: 50, timeLimitMs: 20_000 })
    pools.push(pool)
    const loadArchive = async function* () {
      yield packDays(archive.rows)
    }
    return {
      pool,
      costs,
      panels: { sql, pool, cache: new PanelCache(2 ** 30), reads: new Semaphore({ slots: 2 }) },
      archive: new ArchiveCache({
        pool,
        dataVersion: () => archive.version,
        loadArchive,
        listHorizons: async () => horizons,
      }),
    }
  }

  async function startProcess(concurrency = 2): Promise<JobProcess> {
    const deps = compute(2)
    const id = crypto.randomUUID()
    const stopJobs = await startJobs(
      { url: db.url, concurrency, drainTimeoutMs: 5_000 },
      {
        sql,
        tasks: backtestTasks({ sql, processId: id, backtests: deps }),
        processId: id,
        explain: explainDatabaseError,
        storage: new StorageWatch(sql, null),
        report: (message, error) => reports.push(error === null ? message : `${message} ${error}`),
        notifier: new JobNotifier(),
      },
    )
    const started: JobProcess = {
      id,
      deps,
      stop: async () => {
        if (!running.delete(started)) return
        await stopJobs()
      },
    }
    running.add(started)
    return started
  }

  async function stopAll(): Promise<void> {
    for (const each of [...running]) await each.stop()
  }

  const keyId = await newKey()
  const alone = compute(1)
  const encode = (body: unknown) => new TextEncoder().encode(JSON.stringify(body))
  return {
    db,
    sql,
    keyId,
    archive,
    reports,
    newKey,
    compute,
    process: startProcess,
    submit: async (body, change = {}) => {
      const { job } = await submitBacktest(
        {
          sql,
          processId: crypto.randomUUID(),
          newId: () => Bun.randomUUIDv7(),
          dataVersion: () => archive.version,
        },
        {
          keyId,
          requestId: 'test',
          body: encode(body),
          format: 'json',
          query: {},
          idempotencyKey: null,
          ...change,
        },
      )
      return job
    },
    ended: async jobId => {
      for (let tries = 0; tries < 600; tries++) {
        const [row] = await sql<{ key_id: number }[]>`
          select key_id from job where job_id = ${jobId} and finished_at is not null`
        if (row) return readJob(sql, row.key_id, jobId)
        await Bun.sleep(25)
      }
      throw new Error(`The job did not end within 15 s. ${reports.join('\n')}`)
    },
    answer: async (body, resultFormat) => {
      const { bytes } = await runBacktest(alone, encode(body), undefined, { caller: operator, resultFormat })
      return new TextDecoder().decode(bytes)
    },
    stopAll,
    close: async () => {
      await stopAll()
      await Promise.all(pools.map(pool => pool.close()))
      await db.close()
    },
  }
}
