import { watchAccess } from '../access/queries.ts'
import { ComputePool } from '../backtest/pool/computePool.ts'
import type { Config } from '../config.ts'
import type { IsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { createLog } from '../http/log.ts'
import { findMissingIndexes } from '../ingest/store/bulkIndexes.ts'
import { connect } from '../postgres/client.ts'
import { explainDatabaseError } from '../postgres/errors.ts'
import { watchDataVersion } from '../postgres/snapshot.ts'
import { createApp } from './app.ts'
import type { BannerFacts } from './banner.ts'
import { openDatabase, superviseDatabase } from './database.ts'
import { makeOwnerKey, prepareFirstStart } from './firstStart.ts'
import { sweepCounters, sweepPanels } from './housekeeping.ts'
import { startJobs } from './jobs.ts'
import { admissionTimeoutMs, makeServices } from './makeServices.ts'

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

type App = ReturnType<typeof createApp>

/** Serves `app` and returns its address. Closing waits for the requests under way as long as the settings allow,
 * then cuts them. */
export function listen(app: App, config: Config, opened: AsyncDisposableStack): string {
  const { host: hostname, port, drainTimeoutMs } = config
  try {
    // Elysia shares a port by default: a second server would take half of the first one’s requests unseen.
    app.listen({ hostname, port, reusePort: false })
  } catch (cause) {
    throw new Failure(
      'conflict',
      `Could not listen on ${hostname}:${port}; is another server there, and is ${hostname} of this machine? Set PORT to a free one, or 0 for any.`,
      { cause },
    )
  }
  const { server } = app
  if (server === null) throw new Failure('internal', `Nothing listens on ${hostname}:${port}.`)
  opened.defer(async () => {
    const drained = server.stop(false)
    const late = Bun.sleep(drainTimeoutMs).then(() => server.stop(true))
    await Promise.race([drained, late])
  })
  const shown = hostname === '0.0.0.0' || hostname === '::' ? 'localhost' : hostname
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${server.port}`
}
