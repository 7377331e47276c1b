import type { Logger } from 'pino'
import packageFile from '../../package.json'
import { type AccessDeps, type Caller, KeyCache } from '../access/authenticate.ts'
import { Cookies } from '../access/cookies.ts'
import { findKey, findKeys } from '../access/queries.ts'
import { SharedLookup } from '../access/sharedLookup.ts'
import { findSession, findSessionRights } from '../access/visitorQueries.ts'
import { sharedData } from '../backtest/pool/caller.ts'
import type { ComputePool } from '../backtest/pool/computePool.ts'
import type { Config } from '../config.ts'
import type { IsoDate } from '../dates.ts'
import { makeMailer } from '../features/account/mail.ts'
import { UsageRecorder } from '../features/account/usage.ts'
import { addUse } from '../features/account/usageQueries.ts'
import { AnswerMemory } from '../features/asOfJoins/answerMemory.ts'
import { EventStore } from '../features/asOfJoins/eventStore.ts'
import { ArchiveCache } from '../features/backtests/archive.ts'
import { findListedAt, openFiguresAt, PinnedArchives } from '../features/backtests/pinnedArchives.ts'
import type { BacktestDeps } from '../features/backtests/run.ts'
import { ScoreCache } from '../features/backtests/scoreCache.ts'
import type { PinnedStore } from '../features/companies/deps.ts'
import type { CompanyDirectory } from '../features/companies/directory.ts'
import { PanelCache } from '../features/panels/cache.ts'
import { resolvedHorizons, streamResolvedSignals } from '../features/signals/queries.ts'
import { Freshness } from '../features/syncs/freshness.ts'
import type { CursorSigner } from '../http/cursor.ts'
import { Draining } from '../http/draining.ts'
import { ResponseCache } from '../http/responseCache.ts'
import { UnlistedProxy } from '../http/unlistedProxy.ts'
import { JobNotifier } from '../jobs/events.ts'
import { takeHits } from '../limits/queries.ts'
import { RateLimiter } from '../limits/rateLimiter.ts'
import type { Markets } from '../markets/markets.ts'
import type { Sql } from '../postgres/client.ts'
import type { DataVersionWatch } from '../postgres/dataVersion.ts'
import { DamageWatch } from '../postgres/integrity/damageWatch.ts'
import type { PinnedPools } from '../postgres/pins/pinnedPools.ts'
import { ReadLimiter } from '../postgres/readLimiter.ts'
import type { Replicas } from '../postgres/replicas/replicas.ts'
import { StorageWatch } from '../postgres/storage.ts'
import { rightsFor } from '../rights/rights.ts'
import { Semaphore } from '../semaphore.ts'
import { RequestCounts } from '../telemetry/requestCounts.ts'
import { Terms } from '../wholeFilings/terms.ts'
import { logDamage } from './pageCheck.ts'

/** What a server opens first: its settings, connections, threads and log. */
export interface Opened {
  readonly config: Config
  readonly sql: Sql
  /** Only for keys and limits: otherwise every request would wait behind slow reads before it is admitted. */
  readonly admission: Sql
  /** For searches and for statements on single companies (`indexLookupsOnly`). */
  readonly lookups: Sql
  /** The same two pools for read-only statements, which go to replicas if there are any. */
  readonly reads?: { readonly sql: Sql; readonly lookups: Sql }
  readonly replicas?: Replicas | null
  /** Looks companies up through the read-only lookup pool. It is cleared at each new data version. */
  readonly directory: CompanyDirectory
  readonly pins: PinnedPools<PinnedStore>
  readonly pool: ComputePool
  readonly log: Logger
  /** Writes to the server's terminal, for its operator. Nothing written here goes to the log. */
  readonly showInTerminal: (text: string) => void
  readonly today: () => IsoDate
  readonly dataVersion: DataVersionWatch['current']
  readonly markets: Markets
  readonly cursors: CursorSigner
}

export type Resources = ReturnType<typeof makeResources>

/** If a query for a key or a limit takes longer than this, the database counts as unreachable. */
export const admissionTimeoutMs = 5_000

/** The pause between two queries for keys from addresses that have sent many invalid ones: at most ten
 * queries per second. */
const suspectPauseMs = 100

/** Creates what the routes of one server share: its caches, its limits and the datasets in memory. */
export function makeResources(opened: Opened) {
  const { config, sql, admission } = opened
  const settings = { ...config, version: packageFile.version }
  const elapsedMs = () => performance.now()
  const damage = new DamageWatch({ sql, elapsedMs, report: finding => logDamage(opened.log, finding) })
  const storage = new StorageWatch(sql, config.databaseUrl === null ? config.dataDir : null, damage)
  const rateLimiter = new RateLimiter({
    takeHits: async hits => {
      try {
        return await takeHits(admission, hits)
      } catch (error) {
        throw storage.explain(error) ?? error
      }
    },
    elapsedMs,
    timeoutMs: admissionTimeoutMs,
  })
  const rightsOf = rightsFor(config)
  const access: AccessDeps = {
    rightsOf,
    findKey: digest => findKey(admission, digest),
    suspectKeys: new SharedLookup({
      findAll: digests => findKeys(admission, digests),
      pauseMs: suspectPauseMs,
    }),
    sessions: new SharedLookup({ findAll: digests => findSessionRights(admission, digests), pauseMs: 0 }),
    findSession: digest => findSession(sql, digest),
    isAdmin: email => config.adminEmails.includes(email),
    // Read at each request, because with PORT=0 the address is known only after the server has started.
    cookies: new Cookies(() => settings.baseUrl.startsWith('https:')),
    keyCache: new KeyCache(),
    rateLimiter,
    epochMs: () => Date.now(),
  }
  const events = makeEvents(opened)
  const requestCounter = config.metricsPort === null ? null : new RequestCounts()
  const usage = new UsageRecorder({ addUse: uses => addUse(sql, uses) })
  return {
    ...opened,
    elapsedMs,
    access,
    storage,
    damage,
    usage,
    freshness: new Freshness({
      sql,
      elapsedMs,
      schedule: config.syncSchedule,
      markets: opened.markets.codes,
    }),
    responses: new ResponseCache(opened.replicas ? { current: opened.dataVersion } : {}),
    requestCounter,
    recordUse: (caller: Caller, route: string) => usage.record(caller, route),
    mailer: makeMailer(config, opened),
    settings,
    rightsOf,
    readLimiter: makeReadLimiter(config),
    events,
    terms: new Terms(),
    answerMemory: new AnswerMemory(),
    backtests: makeBacktests({ ...opened, events }),
    processId: crypto.randomUUID(),
    newId: () => Bun.randomUUIDv7(),
    notifier: new JobNotifier(),
    draining: new Draining(),
    unlistedProxy: new UnlistedProxy(opened.log, elapsedMs, requestCounter),
  }
}

type BacktestParts = Pick<Opened, 'sql' | 'pool' | 'config' | 'markets' | 'pins' | 'today'> & {
  readonly dataVersion: () => number | Promise<number>
  readonly events: EventStore
}

/** Long reads leave half of the connections to everything else. */
export const makeReadLimiter = ({ databaseConnections }: Pick<Config, 'databaseConnections'>) =>
  new ReadLimiter(Math.max(1, Math.floor(databaseConnections / 2)))

/** The figures of companies in shared memory, for as-of joins and for backtests that rank by a figure. */
export const makeEvents = ({ pool, config, markets }: Pick<Opened, 'pool' | 'config' | 'markets'>) =>
  new EventStore(
    {
      events: vintages => pool.tasks.buildEvents(vintages, { caller: sharedData, priority: 'background' }),
      vintages: filings => pool.tasks.buildVintages(filings, { caller: sharedData, priority: 'background' }),
    },
    config.panelMemoryMb * 1_024 * 1_024,
    markets,
  )

/** The rows that this process's backtests run on, each in shared memory: the archive, stored panels, and
 * archives ranked by figures. */
export function makeBacktests({
  sql,
  pool,
  config,
  markets,
  pins,
  events,
  dataVersion,
  today,
}: BacktestParts) {
  const archive = new ArchiveCache({
    pool,
    dataVersion,
    loadArchive: (...request) => streamResolvedSignals(sql, ...request),
    listHorizons: () => resolvedHorizons(sql),
  })
  const pinnedParts = {
    pool,
    pins,
    events,
    loadArchive: streamResolvedSignals,
    listHorizons: resolvedHorizons,
  }
  return {
    pool,
    archive,
    costs: markets.costs.plain,
    panels: {
      sql,
      pool,
      cache: new PanelCache(config.panelMemoryMb * 1_024 * 1_024),
      reads: new Semaphore({ slots: Math.max(1, Math.floor(config.databaseConnections / 4)) }),
    },
    scores: {
      sql,
      markets,
      scores: new ScoreCache({
        pool,
        archive,
        openFigures: (wanted, version) => openFiguresAt({ sql, pins, events }, wanted, version),
        findListed: (names, market, version) => findListedAt({ sql, pins }, names, market, version),
      }),
    },
    panelScores: { sql, pool, markets, events, pins, dataVersion, today },
    prices: { sql, pool, markets, pins, today },
    pinned: { sql, archives: new PinnedArchives(pinnedParts) },
  } satisfies BacktestDeps
}
