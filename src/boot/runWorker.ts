import type { Logger } from 'pino'
import { ComputePool } from '../backtest/pool/computePool.ts'
import type { Config } from '../config.ts'
import type { IsoDate } from '../dates.ts'
import { AnswerMemory } from '../features/asOfJoins/answerMemory.ts'
import { joinTasks } from '../features/asOfJoins/runJob.ts'
import { auditTasks } from '../features/audits/runJob.ts'
import { backtestTasks } from '../features/backtests/submitted/tasks.ts'
import { createLog } from '../http/log.ts'
import { JobNotifier } from '../jobs/events.ts'
import { loadMarkets } from '../markets/markets.ts'
import { connect, type Sql } from '../postgres/client.ts'
import { readDataVersion, watchDataVersion } from '../postgres/dataVersion.ts'
import { DamageWatch } from '../postgres/integrity/damageWatch.ts'
import { StorageWatch } from '../postgres/storage.ts'
import { rightsFor } from '../rights/rights.ts'
import { Terms } from '../wholeFilings/terms.ts'
import { describeDatabase, openDatabase, superviseDatabase } from './database.ts'
import { announceIgnored } from './ignoredSettings.ts'
import { startJobs } from './jobs.ts'
import { logDamage } from './pageCheck.ts'
import { openPins, poolsOf } from './pins.ts'
import { makeBacktests, makeEvents, makeReadLimiter } from './resources.ts'
import { endOnSignal, stopTimeoutMs } from './shutdown.ts'
import { checkSchedule, startSyncs, syncTasks } from './syncs.ts'
import { startMetrics } from './telemetry.ts'
import { dropUnusedMemory } from './unusedMemory.ts'

/** Runs submitted backtests and joins until SIGINT or SIGTERM, then finishes the tasks in progress and
 * exits. */
export async function runWorker(config: Config, today: () => IsoDate): Promise<void> {
  const opened = new AsyncDisposableStack()
  const announce = (line: string) => console.log(`asfiled worker: ${line}`)
  endOnSignal(opened, 'finishing the tasks in progress ...', stopTimeoutMs(config), announce)
  const log = createLog(config.logLevel)
  announceIgnored(config, announce)
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
  const elapsedMs = () => performance.now()
  const damage = new DamageWatch({ sql, elapsedMs, report: finding => logDamage(log, finding) })
  const storage = new StorageWatch(sql, config.databaseUrl === null ? config.dataDir : null, damage)
  const pins = openPins({ config, url, sql, elapsedMs })
  opened.defer(() => pins.close())
  const lookups = connect({
    url,
    connections: 2,
    indexLookupsOnly: true,
    applicationName: 'asfiled-lookups',
    statementTimeoutMs: config.statementTimeoutMs,
  })
  opened.defer(() => lookups.end({ timeout: 5 }))
  const version = await watchDataVersion(sql, () => {})
  opened.defer(() => version.close())
  startMetrics(
    {
      config,
      url,
      role: 'worker',
      markets: markets.codes,
      requests: null,
      log,
      announce,
      service: {
        pools: () => ({ main: [sql], lookups: [lookups], pinned: pins.opened.flatMap(poolsOf) }),
        threads: () => pool.use,
        answers: null,
        dataVersion: version.current,
      },
    },
    opened,
  )
  const events = makeEvents({ pool, config, markets })
  const joins = {
    sql,
    lookups,
    pool,
    markets,
    pins,
    events,
    today,
    rightsOf: rightsFor(config),
    answerMemory: new AnswerMemory(),
    terms: new Terms(),
    readLimiter: makeReadLimiter(config),
    dataVersion: version.current,
  }
  const backtests = makeBacktests({
    sql,
    pool,
    config,
    markets,
    pins,
    today,
    events,
    dataVersion: () => readDataVersion(sql),
  })
  const stopTrimming = dropUnusedMemory(backtests.panels.cache, events)
  opened.defer(async () => stopTrimming())
  const processId = crypto.randomUUID()
  await startWorkerJobs(url, config, { sql, processId, backtests, joins, storage, log }, opened)
  const syncs = startSyncs({ sql, processId, config, log })
  opened.defer(async () => syncs?.close(config.drainTimeoutMs))
  const concurrency = concurrencyOf(config)
  announce(
    `ready; runs ${concurrency} ${concurrency === 1 ? 'task' : 'tasks'} at a time. Press Ctrl-C to stop.`,
  )
}

/** A worker without a task to run would be useless. */
const concurrencyOf = ({ jobConcurrency }: Config) => Math.max(1, jobConcurrency)

interface WorkerParts {
  readonly sql: Sql
  readonly processId: string
  readonly backtests: ReturnType<typeof makeBacktests>
  readonly joins: Parameters<typeof joinTasks>[0] & Parameters<typeof auditTasks>[0]
  readonly storage: StorageWatch
  readonly log: Logger
}

async function startWorkerJobs(
  url: string,
  config: Config,
  { sql, processId, backtests, joins, storage, log }: WorkerParts,
  opened: AsyncDisposableStack,
): Promise<void> {
  const stopJobs = await startJobs(
    { url, role: 'worker', concurrency: concurrencyOf(config), drainTimeoutMs: config.drainTimeoutMs },
    {
      sql,
      tasks: [...backtestTasks({ sql, processId, backtests }), ...joinTasks(joins), ...auditTasks(joins)],
      processId,
      explain: storage.explain,
      storage,
      report: (message, error) => log.warn(error === null ? {} : { err: error }, message),
      logTask: line => log.info(line, 'task'),
      notifier: new JobNotifier(),
    },
    syncTasks(sql, config.syncSchedule),
  )
  opened.defer(stopJobs)
}
