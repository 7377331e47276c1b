import { ComputePool } from '../compute/ComputePool.ts'
import type { Config } from '../config.ts'
import { ArchiveCache } from '../domain/backtests/ArchiveCache.ts'
import { JobNews } from '../domain/jobs/JobNews.ts'
import { loadMarkets } from '../domain/markets/loadMarkets.ts'
import { streamResolvedSignals } from '../domain/signals/streamResolvedSignals.ts'
import { createLog } from '../http/log.ts'
import { readDataVersion } from '../store/dataVersion.ts'
import { explainDatabaseError } from '../store/explainError.ts'
import { openDatabase } from './database.ts'
import { endOnSignal } from './endOnSignal.ts'
import { makePanels } from './makePanels.ts'
import { makeScores } from './makeScores.ts'
import { startJobs } from './startJobs.ts'
import { superviseDatabase } from './supervise.ts'

/** Runs submitted backtests until SIGINT or SIGTERM, then finishes what is under way and ends the process. */
export async function runWorker(config: Config): Promise<void> {
  const opened = new AsyncDisposableStack()
  const announce = (line: string) => console.log(`asfiled worker: ${line}`)
  endOnSignal(opened, 'finishing what is under way ...', announce)
  const log = createLog(config.logLevel)
  const database = await openDatabase(config, config.statementTimeoutMs, announce)
  opened.defer(() => database.close())
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
  const archive = new ArchiveCache({
    pool,
    dataVersion: () => readDataVersion(sql),
    loadArchive: horizon => streamResolvedSignals(sql, horizon),
  })
  const panels = makePanels({ sql, pool, config })
  const concurrency = Math.max(1, config.jobConcurrency)
  const stopJobs = await startJobs(
    { url, concurrency, patienceMs: config.drainTimeoutMs },
    {
      sql,
      backtests: {
        ...{ pool, archive, markets: markets.costs.plain, openPanel: panels.open },
        openScored: makeScores({ sql, pool, archive, markets }),
      },
      processId: crypto.randomUUID(),
      explain: explainDatabaseError,
      report: (message, error) => log.warn(error === null ? {} : { err: error }, message),
      news: new JobNews(),
    },
  )
  opened.defer(stopJobs)
  announce(`ready; takes ${concurrency} ${concurrency === 1 ? 'task' : 'tasks'} at a time. Ctrl-C ends it.`)
}
