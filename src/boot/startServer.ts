import type { AnyElysia } from 'elysia'
import type { Logger } from 'pino'
import { watchAccess } from '../access/queries.ts'
import { removeAbandoned } from '../backtest/panelFile/bodySpool.ts'
import { ComputePool } from '../backtest/pool/computePool.ts'
import { type Config, uploadFolder } from '../config.ts'
import type { IsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { startOutbox } from '../features/account/outbox.ts'
import { joinTasks } from '../features/asOfJoins/runJob.ts'
import { auditTasks } from '../features/audits/runJob.ts'
import { backtestTasks } from '../features/backtests/submitted/tasks.ts'
import { capConnections } from '../http/connections.ts'
import { CursorSigner } from '../http/cursor.ts'
import type { Draining } from '../http/draining.ts'
import { createLog } from '../http/log.ts'
import { findMissingIndexes } from '../ingest/store/bulkIndexes.ts'
import { loadMarkets } from '../markets/markets.ts'
import { connect, type Sql } from '../postgres/client.ts'
import { readCursorSecret } from '../postgres/cursorSecret.ts'
import { createApp } from './app.ts'
import type { BannerFacts } from './banner.ts'
import { scheduleBulk } from './bulk.ts'
import { type OpenDatabase, openDatabase, superviseDatabase } from './database.ts'
import { expectsOwnerKey, makeOwnerKey, prepareFirstStart } from './firstStart.ts'
import {
  deleteOldCounters,
  deleteOldSignIns,
  deleteOldSyncRuns,
  deleteUnusedPanels,
  forgetOldVersions,
  remindOfEnds,
} from './housekeeping.ts'
import { announceIgnored } from './ignoredSettings.ts'
import { type ScheduledTask, startJobs } from './jobs.ts'
import { startPageCheck } from './pageCheck.ts'
import { openPins, poolsOf } from './pins.ts'
import { openReads } from './reads.ts'
import { keepAnswersReady } from './readyAnswers.ts'
import { admissionTimeoutMs, makeResources, type Resources } from './resources.ts'
import { checkSchedule, startSyncs, syncTasks } from './syncs.ts'
import { startMetrics } from './telemetry.ts'
import { dropUnusedMemory } from './unusedMemory.ts'
import { startWarming } from './warmSearch.ts'

const admissionConnections = 2

export interface RunningServer extends BannerFacts {
  /** Finishes the requests in progress, then closes everything in reverse order. */
  stop(): Promise<void>
}

/** Opens everything in order. Each resource is registered with `opened` as soon as it is open, so that an
 * interrupted start can be undone as well. */
export async function startServer(
  config: Config,
  today: () => IsoDate,
  announce: (line: string) => void,
  opened: AsyncDisposableStack = new AsyncDisposableStack(),
): Promise<RunningServer> {
  const log = createLog(config.logLevel)
  announceIgnored(config, announce)
  checkSchedule(config, announce)
  const { database, needsOwnerKey } = await prepareDatabase(config, log, announce, opened)
  const { sql, url, embedded } = database
  startHousekeeping(sql, config, opened)
  await removeAbandoned(uploadFolder(config), Date.now())
  opened.defer(keepAnswersReady(sql))
  const pool = startPool(config, opened)
  const { admission, lookups } = connectPools(config, url, opened)
  const reads = await openReads({ config, sql, lookups, report: line => log.warn(line) })
  opened.defer(() => reads.close())
  const { directory, version, replicas } = reads
  const pins = openPins({ config, url, sql: admission, replicas, elapsedMs: () => performance.now() })
  opened.defer(() => pins.close())
  const resources = makeResources({
    config,
    sql,
    admission,
    lookups,
    directory,
    replicas,
    pins,
    pool,
    log,
    today,
    reads: { sql: reads.sql, lookups: reads.lookups },
    showInTerminal: text => console.log(text),
    markets: await loadMarkets(),
    dataVersion: version.current,
    cursors: new CursorSigner(await readCursorSecret(sql)),
  })
  const { markets, requestCounter, responses } = resources
  const stopTrimming = dropUnusedMemory(resources.backtests.panels.cache, resources.events)
  opened.defer(async () => stopTrimming())
  // Started before everything below, so that it is closed after it: metrics remain available during a drain.
  startMetrics(
    {
      config,
      url,
      role: 'server',
      markets: markets.codes,
      requests: requestCounter,
      log,
      announce,
      service: {
        pools: () => ({
          main: [sql],
          lookups: [lookups],
          admission: [admission],
          pinned: pins.opened.flatMap(poolsOf),
          ...replicas?.pools,
        }),
        threads: () => pool.use,
        answers: () => responses,
        dataVersion: version.current,
      },
    },
    opened,
  )
  opened.defer(() => resources.mailer.close())
  opened.defer(startOutbox(resources))
  opened.defer(() => resources.usage.flush())
  opened.defer(await watchAccess(sql, () => resources.access.keyCache.invalidate()))
  const bulk = scheduleBulk(config, log)
  opened.defer(() => bulk.close())
  const scheduled = [...bulk.tasks, ...syncTasks(sql, config.syncSchedule)]
  await startServerJobs(url, config, resources, scheduled, opened)
  // Stopped before the jobs, whose heartbeat shows that this process is alive.
  const syncs = startSyncs({ ...resources, config })
  opened.defer(async () => syncs?.close(config.drainTimeoutMs))
  const { address, port } = listen(createApp(resources), config, opened)
  startWarming(sql, log)
  const stopCheck = startPageCheck({
    config,
    url,
    log,
    damage: resources.damage,
    folder: embedded?.location.cluster ?? null,
  })
  opened.defer(stopCheck)
  // With PORT=0, the system has only now chosen the port.
  if (config.port === 0) resources.settings.baseUrl = address
  const stopReminders = remindOfEnds(sql, resources.settings)
  opened.defer(async () => stopReminders())
  limitConnections(port, config, resources, opened)
  opened.defer(async () => resources.notifier.close())
  opened.defer(() => drain(resources.draining, config.drainDelayMs, announce))
  // Stopped first, so that a run can finish while requests are drained.
  opened.defer(async () => syncs?.stop(config.drainTimeoutMs))
  const ownerKey = needsOwnerKey ? await makeOwnerKey(sql, today, config.ownerKeyFile) : null
  return { address, ownerKey, dataVersion: version.current(), stop: () => opened.disposeAsync() }
}

/** Opens the database, and fills it at the first start. */
async function prepareDatabase(
  config: Config,
  log: Logger,
  announce: (line: string) => void,
  opened: AsyncDisposableStack,
): Promise<{ database: OpenDatabase; needsOwnerKey: boolean }> {
  const database = await openDatabase(config, config.statementTimeoutMs, announce)
  opened.defer(() => database.close())
  const { sql, url, embedded } = database
  const needsOwnerKey = embedded !== null && (await expectsOwnerKey(sql, config.ownerKeyFile))
  if (embedded !== null) await prepareFirstStart(sql, url, announce)
  const missing = await findMissingIndexes(sql)
  if (missing.length > 0)
    log.warn(
      { indexes: missing },
      'A bulk load is running or was killed. Cross-sections and name searches are slow until it ends; if it was killed, run the same command again.',
    )
  const stopSupervising = superviseDatabase(database, line => log.warn(line))
  opened.defer(async () => stopSupervising())
  return { database, needsOwnerKey }
}

function startHousekeeping(sql: Sql, config: Config, opened: AsyncDisposableStack): void {
  const stops = [
    deleteOldCounters(sql),
    deleteUnusedPanels(sql),
    deleteOldSignIns(sql),
    deleteOldSyncRuns(sql),
    forgetOldVersions(sql, config.keepVersions),
  ]
  for (const stop of stops) opened.defer(async () => stop())
}

function startPool(config: Config, opened: AsyncDisposableStack): ComputePool {
  const pool = new ComputePool({
    threads: config.computeThreads,
    queue: config.computeQueue,
    timeLimitMs: config.computeTimeoutMs,
    warmsUp: true,
  })
  opened.defer(() => pool.close())
  return pool
}

/** Opens the connections for keys and limits, and those for searches and single companies. */
function connectPools(config: Config, url: string, opened: AsyncDisposableStack) {
  const admission = connect({
    url,
    connections: admissionConnections,
    statementTimeoutMs: admissionTimeoutMs,
    applicationName: 'asfiled-admission',
    isShared: true,
  })
  opened.defer(() => admission.end({ timeout: 5 }))
  const lookups = connect({
    url,
    connections: Math.ceil(config.databaseConnections / 2),
    statementTimeoutMs: config.statementTimeoutMs,
    applicationName: 'asfiled-lookups',
    indexLookupsOnly: true,
  })
  opened.defer(() => lookups.end({ timeout: 5 }))
  return { admission, lookups }
}

async function startServerJobs(
  url: string,
  config: Config,
  resources: Resources,
  scheduled: readonly ScheduledTask[],
  opened: AsyncDisposableStack,
): Promise<void> {
  const { log } = resources
  const stopJobs = await startJobs(
    { url, role: 'server', concurrency: config.jobConcurrency, drainTimeoutMs: config.drainTimeoutMs },
    {
      ...resources,
      tasks: [...backtestTasks(resources), ...joinTasks(resources), ...auditTasks(resources)],
      explain: resources.storage.explain,
      report: (message, error) => log.warn(error === null ? {} : { err: error }, message),
      logTask: line => log.info(line, 'task'),
    },
    scheduled,
  )
  opened.defer(stopJobs)
}

function limitConnections(
  port: number,
  config: Config,
  { requestCounter, log }: Resources,
  opened: AsyncDisposableStack,
): void {
  const total = config.maxConnections
  // 64 KB of unfinished headers a connection: 32 MB for an address at the default of 4,096.
  const caps = { total, perAddress: Math.ceil(total / 8) }
  const onClosed = (count: number) => {
    if (requestCounter !== null) requestCounter.closedConnections += count
  }
  const stopCaps = capConnections({ port, caps, trustedProxies: config.trustedProxies, log, onClosed })
  opened.defer(async () => stopCaps())
}

/** Gives proxies time to notice that /ready returns 503. Until then they still send requests here, and these
 * are answered. */
async function drain(draining: Draining, delayMs: number, announce: (line: string) => void): Promise<void> {
  draining.begin()
  if (delayMs === 0) return
  announce(`serving for another ${delayMs / 1_000} s, while /ready answers 503 ...`)
  await Bun.sleep(delayMs)
}

/** Serves `app` and returns its address. Closing waits `drainTimeoutMs` for the requests in progress and then
 * cuts them off. */
function listen(app: AnyElysia, config: Config, opened: AsyncDisposableStack) {
  const { host: hostname, port, drainTimeoutMs } = config
  try {
    // Elysia shares a port by default: a second server would silently take half of the first one's requests.
    app.listen({ hostname, port, reusePort: false })
  } catch (cause) {
    throw new Failure(
      'conflict',
      `Could not listen on ${hostname}:${port}. Another server may use this port, or ${hostname} is not an address of this machine. Set PORT to a free port (0 picks one), or correct HOST.`,
      { cause },
    )
  }
  const { server } = app
  if (server === null) throw new Failure('internal', `The server is not listening on ${hostname}:${port}.`)
  opened.defer(async () => {
    const drained = server.stop(false)
    const late = Bun.sleep(drainTimeoutMs).then(() => server.stop(true))
    await Promise.race([drained, late])
  })
  const shown = hostname === '0.0.0.0' || hostname === '::' ? 'localhost' : hostname
  const bound = server.port ?? port
  return { port: bound, address: `http://${shown.includes(':') ? `[${shown}]` : shown}:${bound}` }
}
