import { ComputePool } from '../backtest/pool/computePool.ts'
import type { Config } from '../config.ts'
import { JobNotifier } from '../features/backtests/jobs/events.ts'
import { createLog } from '../http/log.ts'
import { loadMarkets } from '../markets/markets.ts'
import { readDataVersion } from '../postgres/dataVersion.ts'
import { StorageWatch } from '../postgres/storage.ts'
import { describeDatabase, openDatabase, superviseDatabase } from './database.ts'
import { startJobs } from './jobs.ts'
import { openPins } from './pins.ts'
import { makeBacktests } from './resources.ts'
import { endOnSignal, stopTimeoutMs } from './shutdown.ts'
import { checkSchedule, startSyncs } from './syncs.ts'

/** Runs submitted backtests until SIGINT or SIGTERM, then finishes the tasks in progress and ends the process. */
export async function runWorker(config: Config): Promise<void> {
  const opened = new AsyncDisposableStack()
  const announce = (line: string) => console.log(`asfiled worker: ${line}`)
  endOnSignal(opened, 'finishing the tasks in progress ...', stopTimeoutMs(config), announce)
  const log = createLog(config.logLevel)
  checkSchedule(config, announce)
  const database = await openDatabase(config, config.statementTimeoutMs, announce, 'fail')
  opened.defer(() => database.close())
  console.error(describeDatabase(config))
  const { sql, url } = database
  const stopSupervising = superviseDatabase(database, line => log.warn(line))
  opened.defer(async () => stopSupervising())
  const pool = new ComputePool({
    threads: config.computeThreads,
    queue: config.computeQueue,
    timeLimitMs: config.computeTimeoutMs,
  })
  opened.defer(() => pool.close())
  const markets = await loadMarkets()
  const storage = new StorageWatch(sql, config.databaseUrl === null ? config.dataDir : null)
  const pins = openPins({ config, url, sql, elapsedMs: () => performance.now() })
  opened.defer(() => pins.close())
  const concurrency = Math.max(1, config.jobConcurrency)
  const processId = crypto.randomUUID()
  const stopJobs = await startJobs(
    { url, concurrency, drainTimeoutMs: config.drainTimeoutMs, syncSchedule: config.syncSchedule },
    {
      sql,
      backtests: makeBacktests({ sql, pool, config, markets, pins, dataVersion: () => readDataVersion(sql) }),
      processId,
      explain: storage.explain,
      storage,
      report: (message, error) => log.warn(error === null ? {} : { err: error }, message),
      notifier: new JobNotifier(),
    },
  )
  opened.defer(stopJobs)
  const syncs = startSyncs({ sql, processId, config, log })
  opened.defer(async () => syncs?.close(config.drainTimeoutMs))
  announce(
    `ready; runs ${concurrency} ${concurrency === 1 ? 'task' : 'tasks'} at a time. Press Ctrl-C to stop.`,
  )
}
