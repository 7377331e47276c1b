import type { Logger } from 'pino'
import packageFile from '../../package.json'
import { KnownKeys } from '../access/authenticate.ts'
import { licensed } from '../access/licences.ts'
import { findKey, recordEntities } from '../access/queries.ts'
import type { ComputePool } from '../backtest/pool/computePool.ts'
import { contentPolicy } from '../backtest/report/tearSheet/policy.ts'
import type { Config } from '../config.ts'
import type { IsoDate } from '../dates.ts'
import { ArchiveCache } from '../features/backtests/archive.ts'
import { JobNews } from '../features/backtests/jobs/events.ts'
import { answerOnce, requestDigest } from '../features/backtests/jobs/idempotency.ts'
import { cancelJob, pageJobs, readJob } from '../features/backtests/jobs/jobs.ts'
import { readResult } from '../features/backtests/jobs/rowQueries.ts'
import { submitJob } from '../features/backtests/jobs/submit.ts'
import { KeyRoom } from '../features/backtests/perKeyLimit.ts'
import { runBacktest } from '../features/backtests/run.ts'
import type { FundamentalsDeps } from '../features/companies/deps.ts'
import { entityDirectory } from '../features/companies/queries.ts'
import { checkCoverage } from '../features/coverage/check.ts'
import { coverageIndex } from '../features/coverage/index.ts'
import { planCrossSection, readCrossSection } from '../features/crossSection/crossSection.ts'
import { crossSectionSheet } from '../features/crossSection/schema.ts'
import { planBatch, planFundamentals } from '../features/fundamentals/plan.ts'
import { answerFundamentals } from '../features/fundamentals/read.ts'
import { fundamentalsSheet } from '../features/fundamentals/schema.ts'
import { openBatch } from '../features/fundamentals/stream.ts'
import { planRestatements, readRestatements } from '../features/restatements/restatements.ts'
import { restatementSheet } from '../features/restatements/schema.ts'
import { searchEntities } from '../features/search/search.ts'
import { streamResolvedSignals } from '../features/signals/archive.ts'
import { planSignals } from '../features/signals/plan.ts'
import { openSignals } from '../features/signals/stream.ts'
import { listBody } from '../formats/rows.ts'
import type { JobServices, Services } from '../http/services.ts'
import { LimitGate } from '../limits/gate.ts'
import { takeHits } from '../limits/queries.ts'
import { loadMarkets } from '../markets/markets.ts'
import { answersPing, type Sql } from '../postgres/client.ts'
import { explainDatabaseError } from '../postgres/errors.ts'
import { StreamTurns } from '../postgres/readLimiter.ts'
import { inSnapshot } from '../postgres/snapshot.ts'
import { makePanels, makeScores } from './backtests.ts'

export interface Parts {
  readonly config: Config
  readonly sql: Sql
  /** For keys and limits alone: slow reads must not keep anybody from being admitted or refused. */
  readonly admission: Sql
  /** For who an ID or a name stands for, and what is known of one company (`byIndex`). */
  readonly lookups: Sql
  readonly pool: ComputePool
  readonly log: Logger
  readonly today: () => IsoDate
  readonly dataVersion: () => number
}

const pingMs = 2_000
/** Longer than this and the database counts as away. */
export const admissionTimeoutMs = 5_000

/** Ties the verbs to this server's database, pool and settings: what the routes may reach. */
export async function makeServices(parts: Parts) {
  const { config, sql, admission, lookups, pool, log, today, dataVersion } = parts
  const markets = await loadMarkets()
  const entities = entityDirectory(lookups)
  const known = new KnownKeys()
  const gate = new LimitGate({
    takeHits: hits => takeHits(admission, hits),
    elapsedMs: () => performance.now(),
    timeoutMs: admissionTimeoutMs,
  })
  const unremembered: FundamentalsDeps = {
    sql: lookups,
    markets,
    today,
    flagship: new Set(config.flagshipTickers.map(ticker => ticker.toUpperCase())),
    recordEntities: (keyId, entityIds, cap) => recordEntities(sql, keyId, entityIds, cap),
  }
  const deps: FundamentalsDeps = { ...unremembered, entities }
  const turns = new StreamTurns(Math.max(1, Math.floor(config.databaseConnections / 2)))
  const archive = new ArchiveCache({
    pool,
    dataVersion,
    loadArchive: horizon => streamResolvedSignals(sql, horizon),
  })
  const panels = makePanels({ sql, pool, config })
  const backtests = {
    ...{ pool, archive, markets: markets.costs.plain, openPanel: panels.open },
    openScored: makeScores({ sql, pool, archive, markets }),
  }
  const jobs = makeJobs(sql, dataVersion)
  const room = new KeyRoom(config.computeThreads, config.computeQueue)

  const settings = { ...config, version: packageFile.version }

  const services: Services = {
    settings,
    log,
    elapsedMs: () => performance.now(),
    today,
    access: { findKey: digest => findKey(admission, digest), known, gate, epochMs: () => Date.now() },
    dataVersion,
    explain: explainDatabaseError,
    readiness: async () => ((await answersPing(sql, pingMs)) ? [] : ['the database does not answer']),
    planFundamentals: async (principal, query) => {
      if (query.ticker?.includes(',')) {
        const plan = await planBatch(deps, principal, query)
        const replan = () => planBatch(unremembered, principal, query)
        return {
          cacheKey: plan.cacheKey,
          open: (format, signal, subject) =>
            turns.use(subject, signal, () => openBatch({ sql, markets }, plan, replan, format, signal)),
        }
      }
      const plan = await planFundamentals(deps, principal, query)
      return {
        cacheKey: plan.cacheKey,
        make: async format => ({
          content: await listBody(
            format,
            fundamentalsSheet,
            await answerFundamentals(deps, principal, query, plan),
          ),
        }),
      }
    },
    planCrossSection: (principal, query) => {
      const plan = planCrossSection(deps, principal, query)
      return {
        cacheKey: plan.cacheKey,
        make: async (format, subject) => {
          const list = await turns.read(subject, () => readCrossSection({ ...deps, sql }, principal, plan))
          return { content: await listBody(format, crossSectionSheet, list), next: list.next }
        },
      }
    },
    planRestatements: (principal, query) => {
      const plan = planRestatements(deps, principal, query)
      return {
        cacheKey: plan.cacheKey,
        make: async (format, subject) => {
          const list = await turns.read(subject, () => readRestatements({ ...deps, sql }, principal, plan))
          return { content: await listBody(format, restatementSheet, list), next: list.next }
        },
      }
    },
    coverageIndex: async (principal, query) => {
      const index = await inSnapshot(sql, connection => coverageIndex({ ...deps, sql: connection }, query))
      return licensed(principal, index)
    },
    checkCoverage: async (principal, id) => {
      const check = await inSnapshot(sql, connection => checkCoverage({ ...deps, sql: connection }, id))
      return licensed(principal, check)
    },
    planSignals: (principal, query) => {
      const plan = planSignals({ today }, principal, query)
      return {
        cacheKey: plan.cacheKey,
        open: (format, signal, subject) =>
          turns.use(subject, signal, () => openSignals(sql, plan, format, signal)),
      }
    },
    runBacktest: (keyId, { bytes, format, query }, form, signal) => {
      const options = { format, query, keyId, form, timeLimitMs: config.computeTimeoutMs }
      return room.use(keyId, async () => (await runBacktest(backtests, bytes, signal, options)).bytes)
    },
    panels: {
      ...panels.services,
      store: (keyId, ...sent) => room.use(keyId, () => panels.services.store(keyId, ...sent)),
    },
    tearSheet: {
      policy: contentPolicy,
      write: async result => (await pool.run('result_page', { result })).bytes,
    },
    jobs: jobs.services,
    search: q => searchEntities(lookups, q),
  }
  return {
    services,
    settings,
    caches: { forgetData: () => entities.forget(), forgetAccess: () => known.forget() },
    jobs: { processId: jobs.processId, news: jobs.news, backtests },
  }
}

/** The jobs as the routes reach them, and who this process is among those that run them. */
export function makeJobs(sql: Sql, dataVersion: () => number) {
  const processId = crypto.randomUUID()
  const news = new JobNews()
  const submitting = { sql, processId, newId: () => Bun.randomUUIDv7(), dataVersion }
  const services: JobServices = {
    submit: ({ keyId, requestId, body: { bytes, format, query }, idempotencyKey }) =>
      submitJob(submitting, { keyId, requestId, body: bytes, format, query, idempotencyKey }),
    answerOnce: async ({ keyId, idempotencyKey: name, body: { bytes, format, query }, beside }, work) => {
      const digest = await requestDigest([beside, format, query], bytes)
      return answerOnce(sql, { keyId, name, digest, processId }, work)
    },
    read: (keyId, jobId) => readJob(sql, keyId, jobId),
    result: jobId => readResult(sql, jobId),
    cancel: (keyId, jobId) => cancelJob(sql, keyId, jobId),
    page: (keyId, query) => pageJobs(sql, keyId, query),
    watch: (jobId, told) => news.watch(jobId, told),
  }
  return { services, processId, news }
}
