import { ComputePool } from '../compute/ComputePool.ts'
import type { Config } from '../config.ts'
import { createApp } from '../http/createApp.ts'
import { createLog } from '../http/log.ts'
import type { IsoDate } from '../model/date.ts'
import { connect } from '../store/database.ts'
import { watchDataVersion } from '../store/dataVersion.ts'
import { explainDatabaseError } from '../store/explainError.ts'
import { findMissingIndexes } from '../store/facts/bulkIndexes.ts'
import { watchAccess } from '../store/keys/watchAccess.ts'
import type { BannerFacts } from './banner.ts'
import { openDatabase } from './database.ts'
import { makeOwnerKey, prepareFirstStart } from './firstStart.ts'
import { listen } from './listen.ts'
import { admissionTimeoutMs, makeServices } from './makeServices.ts'
import { startJobs } from './startJobs.ts'
import { superviseDatabase } from './supervise.ts'
import { sweepCounters } from './sweepCounters.ts'
import { sweepPanels } from './sweepPanels.ts'

const admissionConnections = 2

export interface RunningServer extends BannerFacts {
  /** Finishes the requests under way, then closes what was opened, last first. */
  stop(): Promise<void>
}

/** Opens everything in order; `opened` takes what has to be closed as it comes, so that a start that is interrupted
 * can be undone too. */
export async function startServer(
  config: Config,
  today: () => IsoDate,
  announce: (line: string) => void,
  opened: AsyncDisposableStack = new AsyncDisposableStack(),
): Promise<RunningServer> {
  const log = createLog(config.logLevel)
  const database = await openDatabase(config, config.statementTimeoutMs, announce)
  opened.defer(() => database.close())
  const { sql, url, embedded } = database
  if (embedded !== null) await prepareFirstStart(sql, announce)
  const missing = await findMissingIndexes(sql)
  if (missing.length > 0)
    log.warn(
      { indexes: missing },
      'A bulk load is under way or was killed: cross-sections and name searches are slow until the same command has ended.',
    )
  const stopSupervising = superviseDatabase(database, line => log.warn(line))
  opened.defer(async () => stopSupervising())
  const stopSweeping = sweepCounters(sql)
  opened.defer(async () => stopSweeping())
  const stopSweepingPanels = sweepPanels(sql)
  opened.defer(async () => stopSweepingPanels())

  const pool = new ComputePool({
    threads: config.computeThreads,
    queue: config.computeQueue,
    timeLimitMs: config.computeTimeoutMs,
  })
  opened.defer(() => pool.close())
  const caches = { forgetData: () => {}, forgetAccess: () => {} }
  const version = await watchDataVersion(sql, () => caches.forgetData())
  opened.defer(() => version.close())
  const unwatchAccess = await watchAccess(sql, () => caches.forgetAccess())
  opened.defer(unwatchAccess)

  const admission = connect({
    url,
    connections: admissionConnections,
    statementTimeoutMs: admissionTimeoutMs,
    applicationName: 'asfiled-admission',
  })
  opened.defer(() => admission.end({ timeout: 5 }))
  const lookups = connect({
    url,
    connections: Math.ceil(config.databaseConnections / 2),
    statementTimeoutMs: config.statementTimeoutMs,
    applicationName: 'asfiled-lookups',
    byIndex: true,
  })
  opened.defer(() => lookups.end({ timeout: 5 }))
  const made = await makeServices({
    config,
    sql,
    admission,
    lookups,
    pool,
    log,
    today,
    dataVersion: version.current,
  })
  Object.assign(caches, made.caches)
  const stopJobs = await startJobs(
    { url, concurrency: config.jobConcurrency, patienceMs: config.drainTimeoutMs },
    {
      ...made.jobs,
      sql,
      explain: explainDatabaseError,
      report: (message, error) => log.warn(error === null ? {} : { err: error }, message),
    },
  )
  opened.defer(stopJobs)
  const address = listen(createApp(made.services), config, opened)
  // Any free port was asked for: now it has a number.
  if (config.port === 0) made.settings.baseUrl = address
  // Streams of events would hold up the end until its time is over.
  opened.defer(async () => made.jobs.news.close())
  const ownerKey = embedded === null ? null : await makeOwnerKey(sql, today)
  return { address, ownerKey, dataVersion: version.current(), stop: () => opened.disposeAsync() }
}
