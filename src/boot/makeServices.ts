import type { Logger } from 'pino'
import packageFile from '../../package.json'
import type { ComputePool } from '../compute/ComputePool.ts'
import type { Config } from '../config.ts'
import { KnownKeys } from '../domain/access/KnownKeys.ts'
import { licensed } from '../domain/access/licensed.ts'
import { ArchiveCache } from '../domain/backtests/ArchiveCache.ts'
import { KeyRoom } from '../domain/backtests/KeyRoom.ts'
import { runBacktest } from '../domain/backtests/runBacktest.ts'
import { answerFundamentals } from '../domain/fundamentals/answerFundamentals.ts'
import { checkCoverage } from '../domain/fundamentals/checkCoverage.ts'
import { coverageIndex } from '../domain/fundamentals/coverageIndex.ts'
import type { FundamentalsDeps } from '../domain/fundamentals/deps.ts'
import { openBatch } from '../domain/fundamentals/openBatch.ts'
import { planBatch } from '../domain/fundamentals/planBatch.ts'
import { planCrossSection } from '../domain/fundamentals/planCrossSection.ts'
import { planFundamentals } from '../domain/fundamentals/planFundamentals.ts'
import { planRestatements } from '../domain/fundamentals/planRestatements.ts'
import { readCrossSection } from '../domain/fundamentals/readCrossSection.ts'
import { readRestatements } from '../domain/fundamentals/readRestatements.ts'
import { LimitGate } from '../domain/limits/LimitGate.ts'
import { loadMarkets } from '../domain/markets/loadMarkets.ts'
import { searchEntities } from '../domain/search/search.ts'
import { listBody } from '../domain/sheets/listBody.ts'
import { planSignals } from '../domain/signals/planSignals.ts'
import { StreamTurns } from '../domain/signals/StreamTurns.ts'
import { streamResolvedSignals } from '../domain/signals/streamResolvedSignals.ts'
import { openSignals } from '../domain/signals/streamSignals.ts'
import type { Services } from '../http/services.ts'
import { crossSectionSheet } from '../model/crossSection.ts'
import type { IsoDate } from '../model/date.ts'
import { fundamentalsSheet } from '../model/fundamentals.ts'
import { restatementSheet } from '../model/restatement.ts'
import { answersPing, type Sql } from '../store/database.ts'
import { explainDatabaseError } from '../store/explainError.ts'
import { entityDirectory } from '../store/fundamentals/entityDirectory.ts'
import { findKey } from '../store/keys/findKey.ts'
import { recordEntities } from '../store/keys/recordEntities.ts'
import { takeHits } from '../store/limits/takeHits.ts'
import { inSnapshot } from '../store/snapshot.ts'
import { contentPolicy } from '../web/tearSheet/policy.ts'
import { makeJobs } from './makeJobs.ts'
import { makePanels } from './makePanels.ts'
import { makeScores } from './makeScores.ts'

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
